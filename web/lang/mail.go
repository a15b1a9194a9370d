package lang

func (t T) MailHello(name string) string { return t.pick("Hello "+name+",", name+"，你好：") }
func (t T) MailFoot(site string) string {
	return t.pick("Sent by Meterhouse at "+site+".", "由 Meterhouse 发送，地址 "+site+"。")
}
func (t T) MailUnsubscribe() string {
	return t.pick("Get no more of these", "不再接收此类邮件")
}

func (t T) MailNeeded() string {
	return t.pick("This kind of mail can't be switched off.", "此类邮件无法关闭。")
}

func (t T) MailBudgetSubject(name, percent string, reached bool) string {
	if reached {
		return t.pick("Budget "+name+" is spent: "+percent, "预算 "+name+" 已用完："+percent)
	}
	return t.pick("Budget "+name+": "+percent+" spent", "预算 "+name+" 已用 "+percent)
}
func (t T) MailBudgetLead(name, percent, spent, limit string) string {
	return t.pick("The budget "+name+" has crossed "+percent+": "+spent+" of "+limit+" are spent.", "预算 "+name+" 已越过 "+percent+"：已用 "+spent+"，额度 "+limit+"。")
}

// MailBudgetMeans says what the action does, or will do at the limit.
func (t T) MailBudgetMeans(action string, reached bool) string {
	switch {
	case action == "block" && reached:
		return t.pick("No new instance can be rented on it until the period ends or the limit is raised. What runs goes on and is billed.", "在本周期结束或提高额度之前，不能再新建实例；正在运行的实例继续运行并计费。")
	case action == "block":
		return t.pick("Nothing is blocked yet. At the limit no new instance can be rented; what runs goes on.", "目前没有限制。到达额度后将不能新建实例，正在运行的不受影响。")
	case action == "spot_only" && reached:
		return t.pick("Only spot instances can be rented until the period ends or the limit is raised.", "在本周期结束或提高额度之前，仅可租用竞价实例。")
	case action == "spot_only":
		return t.pick("Nothing is blocked yet. At the limit only spot instances can be rented.", "目前没有限制。到达额度后仅可租用竞价实例。")
	case action == "stop" && reached:
		return t.pick("What runs on it is stopped in 15 minutes.", "相关实例将在 15 分钟后停止。")
	case action == "stop":
		return t.pick("Nothing is stopped yet. At the limit what runs on it is stopped, with 15 minutes' notice.", "目前没有停止任何实例。到达额度后，将在提前 15 分钟通知后停止相关实例。")
	}
	return t.pick("This is a notice alone: nothing is blocked and nothing is stopped.", "仅为提醒：没有限制，也没有停止任何实例。")
}
func (t T) MailForecastSubject(name, percent string) string {
	return t.pick("Budget "+name+" is expected to cross "+percent, "预算 "+name+" 预计将越过 "+percent)
}
func (t T) MailForecastLead(name, percent, expected, limit string) string {
	return t.pick("If it goes on as in the last 7 days, the budget "+name+" crosses "+percent+": "+expected+" of "+limit+".", "若按最近 7 天的花费继续，预算 "+name+" 将越过 "+percent+"：预计 "+expected+"，额度 "+limit+"。")
}
func (t T) MailForecastMeans() string {
	return t.pick("Reservations that are known count as what they are.", "已知的预留按其实际费用计入。")
}
func (t T) MailBudgetStopSubject(name, at string) string {
	return t.pick("Budget "+name+" is spent: instances are stopped at "+at, "预算 "+name+" 已用完：实例将于 "+at+" 停止")
}
func (t T) MailBudgetStopLead(name, at string) string {
	return t.pick("The budget "+name+" is used up. What runs on it is stopped at "+at+".", "预算 "+name+" 已用完。相关实例将于 "+at+" 停止。")
}
func (t T) MailBudgetStopMeans() string {
	return t.pick("Raise the limit or delete the budget before, and nothing is stopped. Save what is not on a volume: it goes with the instance.", "在此之前提高额度或删除预算，则不会停止任何实例。请保存不在卷上的数据，它们会随实例一起消失。")
}
func (t T) MailStopsWhat() string    { return t.pick("Is stopped", "将停止") }
func (t T) MailStopsAt() string      { return t.pick("Stops at the latest", "最迟停止于") }
func (t T) MailExpected() string     { return t.pick("Expected", "预计") }
func (t T) MailSpent() string        { return t.pick("Spent", "已用") }
func (t T) MailLimit() string        { return t.pick("Limit", "额度") }
func (t T) MailPeriodEnds() string   { return t.pick("Period ends", "周期结束") }
func (t T) MailBudgetButton() string { return t.pick("Look at the budget", "查看预算") }

func (t T) MailStoppedSubject(name, cost string) string {
	return t.pick(name+" was stopped, cost "+cost, name+" 已停止，费用 "+cost)
}
func (t T) MailStoppedLead(name string) string {
	return t.pick("The instance "+name+" was stopped.", "实例 "+name+" 已停止。")
}
func (t T) MailStoppedWhy(reason, by, code string) string {
	switch reason {
	case "person", "admin":
		if by == "" {
			return t.pick("It was stopped by hand.", "由人手动停止。")
		}
		return t.pick(by+" stopped it.", "由 "+by+" 停止。")
	case "hours":
		return t.pick("It reached its hard end.", "已到强制结束时间。")
	case "budget":
		return t.pick("The budget it ran on is spent.", "所用预算已用完。")
	case "idle":
		return t.pick("It was idle for too long.", "空闲时间过长。")
	case "reservation":
		return t.pick("Its GPUs were reserved from then on.", "其 GPU 之后已被预留。")
	case "maintenance":
		return t.pick("Maintenance of its node began.", "所在节点开始维护。")
	case "drain":
		return t.pick("Its node was emptied.", "所在节点已清空。")
	case "reservation_ends":
		return t.pick("The reservation that it used was over.", "其所用的预留已结束。")
	case "exited":
		if code == "" {
			return t.pick("Its command ended.", "命令已结束。")
		}
		return t.pick("Its command ended with exit status "+code+".", "命令已结束，退出状态 "+code+"。")
	case "failed":
		return t.pick("It failed; the log says how far it got.", "运行失败，详见日志。")
	case "lost":
		return t.pick("Its node did not come back. Nothing is billed after the last sign of life.", "所在节点未恢复。最后一次存活证明之后不计费。")
	}
	return ""
}
func (t T) MailBilled() string        { return t.pick("Billed for", "计费时长") }
func (t T) MailStoppedButton() string { return t.pick("Look at the bill", "查看账单") }

func (t T) MailInvitationSubject(team string) string {
	return t.pick("You are invited to Meterhouse, team "+team, "邀请你加入 Meterhouse 的 "+team+" 团队")
}
func (t T) MailInvitationLead(by, team string) string {
	return t.pick(by+" invites you to rent GPUs with the team "+team+".", by+" 邀请你加入 "+team+" 团队一起租用 GPU。")
}
func (t T) MailSignInSubject() string {
	return t.pick("Your sign-in link for Meterhouse", "Meterhouse 登录链接")
}
func (t T) MailSignInLead() string {
	return t.pick("Here is the sign-in link that was asked for.", "这是你请求的登录链接。")
}
func (t T) MailLinkMeans(until string) string {
	return t.pick("The link works once, until "+until+". If you did not ask for it, do nothing.", "链接仅可使用一次，有效期至 "+until+"。若非你本人请求，请忽略。")
}
func (t T) MailSignInButton() string { return t.pick("Sign in", "登录") }
