package lang

func (t T) MailSpotSubject(name, at string) string {
	return t.pick(name+" is reclaimed: it ends by "+at, name+" 即将被回收：最迟 "+at+" 结束")
}
func (t T) MailSpotLead(name, at string) string {
	return t.pick("The spot instance "+name+" gives back its GPUs: it ends by "+at+".", "竞价实例 "+name+" 需要归还 GPU：最迟 "+at+" 结束。")
}
func (t T) MailSpotMeans(requeue bool) string {
	if requeue {
		return t.pick("Its processes were told with SIGUSR1, are asked to end 90 seconds after the notice, and are killed after 120. It waits in the queue again and starts anew from there.", "进程已收到 SIGUSR1，通知 90 秒后会被要求结束，120 秒后被强制终止。该任务会重新排队并再次启动。")
	}
	return t.pick("Its processes were told with SIGUSR1, are asked to end 90 seconds after the notice, and are killed after 120. Reclaimed in its first hour it costs nothing.", "进程已收到 SIGUSR1，通知 90 秒后会被要求结束，120 秒后被强制终止。首小时内被回收则不收费。")
}

func (t T) MailIdleSubject(name string) string {
	return t.pick(name+" does nothing but cost", name+" 处于空闲但仍在计费")
}
func (t T) MailIdleLead(name string) string {
	return t.pick("The GPUs of "+name+" have had nothing to do for a while.", name+" 的 GPU 已有一段时间没有负载。")
}
func (t T) MailIdleMeans(stops bool) string {
	if stops {
		return t.pick("It is stopped at the time below for being idle, unless it works again or somebody keeps it. It is billed until then. The link keeps it for 24 hours and works as long.", "若未恢复工作也无人保留，将因空闲在下列时间停止；在此之前继续计费。链接可保留 24 小时，有效期 24 小时。")
	}
	return t.pick("It goes on and is billed. Stop it if it is not needed.", "实例继续运行并计费。若不需要请停止。")
}
func (t T) MailIdleSince() string  { return t.pick("Idle since", "空闲自") }
func (t T) MailIdleButton() string { return t.pick("Keep it, or stop it", "保留或停止") }

func (t T) MailGPUSubject(model, node, state string) string {
	return t.pick(model+" on "+node+": "+state, node+" 上的 "+model+"："+state)
}
func (t T) MailGPULead(model, node, state string) string {
	return t.pick("A GPU needs a look: "+model+" on "+node+" is now "+state+".", "GPU 需要检查："+node+" 上的 "+model+" 当前状态为 "+state+"。")
}
func (t T) MailGPUMeans(mine bool) string {
	if mine {
		return t.pick("Your instance has this GPU. What it computes from now on may be wrong or stand still; save what you can, stop it and rent another.", "你的实例正在使用该 GPU。之后的计算结果可能有误或停滞；请尽量保存数据，停止实例并另行租用。")
	}
	return t.pick("It is not offered to anybody until it is proven clean and well.", "在确认干净且正常之前，不会再提供给任何人。")
}
func (t T) MailGPU() string       { return t.pick("Which GPU", "GPU 编号") }
func (t T) MailInstance() string  { return t.pick("Instance", "实例") }
func (t T) MailFound() string     { return t.pick("What was found", "检查结果") }
func (t T) MailGPUButton() string { return t.pick("Look at the fleet", "查看设备") }

// MailQuotaRule names what a quota limits.
func (t T) MailQuotaRule(rule string) string {
	switch rule {
	case "gpus":
		return t.pick("GPUs at once", "同时使用的 GPU")
	case "instances":
		return t.pick("instances at once", "同时运行的实例")
	case "rate":
		return t.pick("running price an hour", "每小时运行价格")
	case "term":
		return t.pick("longest term", "最长时长")
	case "spot_only":
		return t.pick("spot only", "仅限竞价")
	case "hours":
		return t.pick("hours of on demand", "按需时段")
	}
	return rule
}
func (t T) MailQuotaAskedSubject(by, rule string) string {
	return t.pick(by+" asks for more: "+rule, by+" 申请提高："+rule)
}
func (t T) MailQuotaAskedLead(by, rule string) string {
	return t.pick(by+" asks for more than the limit of "+rule+".", by+" 申请超出限制："+rule+"。")
}
func (t T) MailQuotaAskedMeans() string {
	return t.pick("Grant it for a time or refuse it; who asked is told.", "可限时批准或拒绝，申请人会收到通知。")
}
func (t T) MailQuotaDecidedSubject(granted bool, rule string) string {
	if granted {
		return t.pick("Granted: "+rule, "已批准："+rule)
	}
	return t.pick("Not granted: "+rule, "未批准："+rule)
}
func (t T) MailQuotaDecidedLead(by string, granted bool, rule string) string {
	if granted {
		return t.pick(by+" granted what you asked for: "+rule+".", by+" 批准了你的申请："+rule+"。")
	}
	return t.pick(by+" did not grant what you asked for: "+rule+".", by+" 未批准你的申请："+rule+"。")
}
func (t T) MailQuotaButton(decided bool) string {
	if decided {
		return t.pick("Look at it", "查看")
	}
	return t.pick("Decide", "处理申请")
}
func (t T) MailPool() string   { return t.pick("Pool", "资源池") }
func (t T) MailUntil() string  { return t.pick("Until", "有效期至") }
func (t T) MailReason() string { return t.pick("Reason", "理由") }

func (t T) MailDeviceSubject(browser string) string {
	return t.pick("Sign-in with a new browser: "+browser, "新浏览器登录："+browser)
}
func (t T) MailDeviceLead() string {
	return t.pick("Somebody signed in as you with a browser that you did not use here before.", "有人使用你未曾在此用过的浏览器以你的身份登录。")
}
func (t T) MailDeviceMeans(byLink bool) string {
	if byLink {
		return t.pick("It was done with a sign-in link. If it was you, do nothing. If not, end that sign-in and set another password.", "通过登录链接登录。若是本人操作，请忽略；否则请结束该登录会话并更改密码。")
	}
	return t.pick("It was done with your password. If it was you, do nothing. If not, end that sign-in and set another password.", "使用你的密码登录。若是本人操作，请忽略；否则请结束该登录会话并更改密码。")
}
func (t T) MailDeviceAt() string      { return t.pick("When", "时间") }
func (t T) MailDeviceBrowser() string { return t.pick("Browser", "浏览器") }
func (t T) MailDeviceAddress() string { return t.pick("Address", "地址") }
func (t T) MailDeviceButton() string  { return t.pick("Look at your sign-ins", "查看登录会话") }

func (t T) MailDigestSubject(n string) string {
	return t.pick(n+" notices from Meterhouse", "Meterhouse 的 "+n+" 条通知")
}
func (t T) MailDigestLead() string {
	return t.pick("This is what happened in the last hour.", "以下为最近一小时的通知。")
}
func (t T) MailDigestMeans() string {
	return t.pick("It comes in one mail so that not many come. What is urgent always comes by itself.", "为避免邮件过多而合并发送。紧急通知仍会单独发送。")
}
func (t T) MailDigestButton() string {
	return t.pick("Choose which mail you get", "选择接收哪些邮件")
}

func (t T) MailTestSubject() string {
	return t.pick("Mail from Meterhouse arrives", "Meterhouse 邮件测试成功")
}
func (t T) MailTestLead() string {
	return t.pick("This mail was sent to see whether mail arrives. It does.", "本邮件用于测试邮件是否送达，现已送达。")
}
func (t T) MailTestSent() string   { return t.pick("Sent", "发送时间") }
func (t T) MailTestButton() string { return t.pick("Open the console", "打开控制台") }
