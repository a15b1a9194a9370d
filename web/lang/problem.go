package lang

// ProblemTitle says what happened, by HTTP status.
func (t T) ProblemTitle(status int) string {
	switch status {
	case 400:
		return t.pick("This request can't be read", "无法识别该请求")
	case 401:
		return t.pick("You are not signed in", "你尚未登录")
	case 402:
		return t.pick("A budget is in the way", "受预算限制")
	case 403:
		return t.pick("You may not do this", "你没有此项权限")
	case 404:
		return t.pick("There is nothing here", "此处没有内容")
	case 405:
		return t.pick("This address does not do that", "该地址不支持此操作")
	case 409:
		return t.pick("Something changed in the meantime", "期间情况已发生变化")
	case 413:
		return t.pick("That was too much at once", "一次提交的内容过多")
	case 422:
		return t.pick("Something in the form is not right", "表单中有内容不正确")
	case 429:
		return t.pick("Too many requests", "请求过于频繁")
	case 503:
		return t.pick("The console can't do this right now", "控制台暂时无法完成此操作")
	}
	return t.pick("Something went wrong on our side", "服务端出现错误")
}

func (t T) ProblemMeans() string {
	return t.pick("What it means for data and money", "对数据与费用的影响")
}
func (t T) ProblemNext() string { return t.pick("What to do", "接下来怎么办") }

// ProblemMeaning says what a failure means for data and money, by HTTP status.
func (t T) ProblemMeaning(status int) string {
	switch {
	case status == 402 || status == 409:
		return t.pick("Nothing was started and nothing was billed. What runs already goes on as before.", "没有启动任何实例，也没有产生费用；已在运行的实例不受影响。")
	case status == 404:
		return t.pick("Nothing was changed. What other teams have is not shown here either.", "没有任何更改。其他团队的内容在此同样不可见。")
	case status >= 500:
		return t.pick("Instances go on running and are billed exactly; what was saved before is safe. What you just sent may not have been done.",
			"实例继续运行，计费准确；之前保存的内容安全。你刚才提交的操作可能未完成。")
	}
	return t.pick("Nothing was changed and nothing was billed.", "没有任何更改，也没有产生费用。")
}

// ProblemAdvice says what to do next, by HTTP status.
func (t T) ProblemAdvice(status int) string {
	switch status {
	case 401:
		return t.pick("Sign in and try again.", "请登录后重试。")
	case 402:
		return t.pick("Look at the budget; a manager of the team can raise it.", "请查看预算；团队管理者可以提高额度。")
	case 403:
		return t.pick("Ask a manager of your team or an admin of the site.", "请联系团队管理者或站点管理员。")
	case 404:
		return t.pick("Check the address, or begin at the home page.", "请检查地址，或从首页开始。")
	case 409:
		return t.pick("Go back, look at how things are now, and try again.", "请返回查看当前情况后重试。")
	case 429:
		return t.pick("Wait a little and try again.", "请稍候再试。")
	case 400, 405, 413, 422:
		return t.pick("Go back, check what was entered, and try again.", "请返回检查填写的内容后重试。")
	}
	return t.pick("Look at the list of instances before you send it again. If it stays like this, give an admin the number below.", "重新提交前请先查看实例列表。若问题持续，请将下方编号告知管理员。")
}

// ProblemRetry says when to try again.
func (t T) ProblemRetry(wait string) string {
	return t.pick("Try again in "+wait+".", "请在 "+wait+" 后重试。")
}

func (t T) ProblemID() string   { return t.pick("Number to quote", "问题编号") }
func (t T) ProblemHome() string { return t.pick("Go to the home page", "回到首页") }
