package lang

// errorsOfIdle are about what is stopped for being idle.
var errorsOfIdle = map[string]pair{
	"cannot_keep":        {"It ends already, so there is nothing to keep.", "实例已在结束，无需保留。"},
	"keep_link_unknown":  {"This link keeps no instance of this console. Sign in and keep it on its page.", "该链接不对应本控制台的任何实例。请登录后在实例页面保留。"},
	"keep_link_past":     {"This link worked for 24 hours. Sign in and keep the instance on its page.", "该链接仅在 24 小时内有效。请登录后在实例页面保留。"},
	"idle_mail_wrong":    {"The mail goes out after 0.5 to 720 hours of being idle.", "空闲 0.5 到 720 小时后发送邮件。"},
	"idle_stop_wrong":    {"The stop comes at least an hour after the mail, and after 720 hours of being idle at the latest.", "停止须在邮件之后至少 1 小时，且空闲时间最长 720 小时。"},
	"idle_minimum_wrong": {"The least time to run is 0 to 720 hours.", "最短运行时间为 0 到 720 小时。"},
	"idle_spell_is_over": refusedByRule,
}

// idleEvent says what happened to an instance because it is idle; ok is false for other kinds.
func (t T) idleEvent(kind string, args map[string]string) (text string, ok bool) {
	switch kind {
	case "idle_noted":
		return t.pick("idle since "+args["since"], "空闲自 "+args["since"]), true
	case "idle_stops":
		return t.pick("idle since "+args["since"]+": it is stopped at "+args["at"]+" unless it works again or somebody keeps it", "空闲自 "+args["since"]+"：若未恢复工作也无人保留，将于 "+args["at"]+" 停止"), true
	case "idle_over":
		return t.pick("not stopped for being idle: "+t.idleOver(args["why"]), "不再因空闲停止："+t.idleOver(args["why"])), true
	case "kept":
		return t.pick("kept until "+args["until"], "保留至 "+args["until"]), true
	}
	return "", false
}

func (t T) idleOver(why string) string {
	switch why {
	case "active":
		return t.pick("it works again", "已恢复工作")
	case "unknown":
		return t.pick("it could not be told whether it works", "无法确定是否在工作")
	case "late":
		return t.pick("nobody looked at the moment that was told", "到期时控制台未在运行")
	case "off":
		return t.pick("an admin switched that off", "管理员已关闭该功能")
	}
	return t.pick("it is paid for or measures", "已付费或正在测试")
}

func (t T) InstanceIdle(since string) string {
	return t.pick("Idle since "+since+": its GPUs and processors have nothing to do, and it is billed.", "空闲自 "+since+"：GPU 与处理器没有负载，仍在计费。")
}
func (t T) InstanceIdleStops(since string) string {
	return t.pick("Idle since "+since+". For that it is stopped in", "空闲自 "+since+"，因此将被停止，剩余")
}
func (t T) InstanceIdleUnless() string {
	return t.pick("unless it works again or somebody keeps it.", "，除非恢复工作或有人保留。")
}
func (t T) InstanceKept(until, by string) string {
	if by == "" {
		return t.pick("Kept until "+until+", by the link in the mail: it is not stopped for being idle before.", "已通过邮件链接保留至 "+until+"：在此之前不会因空闲停止。")
	}
	return t.pick("Kept until "+until+" by "+by+": it is not stopped for being idle before.", "已由 "+by+" 保留至 "+until+"：在此之前不会因空闲停止。")
}
func (t T) KeepButton(rate string) string {
	return t.pick("Keep it for 24 hours, at "+rate+" an hour", "保留 24 小时（每小时 "+rate+"）")
}
func (t T) Kept(name string) string {
	return t.pick(name+" is kept for 24 hours.", name+" 将保留 24 小时。")
}
func (t T) KeepTitle() string { return t.pick("Keep an instance", "保留实例") }
func (t T) KeepAsk(name, rate string) string {
	return t.pick("Is "+name+" still needed? It is then not stopped for being idle in the next 24 hours, and billed at "+rate+" an hour.", "是否仍需要 "+name+"？确认后 24 小时内不会因空闲停止，按每小时 "+rate+" 计费。")
}
func (t T) KeepDone(name, until string) string {
	return t.pick(name+" is kept until "+until+".", name+" 将保留至 "+until+"。")
}

func (t T) IdleTitle() string { return t.pick("Idle instances", "空闲实例") }
func (t T) IdleLead() string {
	return t.pick("Idle is what for half an hour had its GPUs below 5 %, its processors below a tenth of a core and no growing memory. What is not known is never idle.", "空闲：半小时内 GPU 利用率低于 5%、处理器低于 0.1 核且显存没有增长。未知状态不算空闲。")
}
func (t T) IdleSettings() string {
	return t.pick("What is done with what is idle", "空闲实例的处理")
}
func (t T) IdleHolds(on bool, by, at string) string {
	state := t.pick("Off", "已关闭")
	if on {
		state = t.pick("On", "已开启")
	}
	switch {
	case at == "":
		return t.pick(state+", as it is by default", state+"（默认值）")
	case by == "":
		return t.pick(state+", set on the command line, "+at, state+"，命令行设置于 "+at)
	}
	return t.pick(state+", set by "+by+", "+at, state+"，由 "+by+" 设置于 "+at)
}
func (t T) IdleOn() string { return t.pick("Stop what is idle", "停止空闲实例") }
func (t T) IdleOnHint() string {
	return t.pick("Its page says so after half an hour, then a mail says when it stops. Benchmarks and what runs on a reservation are left alone.", "空闲半小时后在页面提示，之后邮件告知停止时间。基准测试与使用预留的实例不受影响。")
}
func (t T) IdleMailAfter() string {
	return t.pick("Mail after, hours idle", "空闲多久后发邮件（小时）")
}
func (t T) IdleStopAfter() string {
	return t.pick("Stop after, hours idle", "空闲多久后停止（小时）")
}
func (t T) IdleStopHint() string {
	return t.pick("At least an hour after the mail.", "至少在邮件之后 1 小时。")
}
func (t T) IdleMinimum() string {
	return t.pick("Runs at least, hours", "最短运行时间（小时）")
}
func (t T) IdleMinimumHint() string {
	return t.pick("Wins over being idle. What was told already holds as it was told.", "优先于空闲规则。已通知的停止时间保持不变。")
}
func (t T) IdleTry() string   { return t.pick("Try on the last 7 days", "用最近 7 天试算") }
func (t T) IdleSaved() string { return t.pick("Saved.", "已保存。") }
func (t T) IdleDry() string {
	return t.pick("What this would have done in the last 7 days", "最近 7 天的试算结果")
}
func (t T) IdleDryNone() string {
	return t.pick("It would have stopped nothing, as far as is known.", "在已知范围内不会停止任何实例。")
}
func (t T) IdleDryNote(n string) string {
	return t.pick(n+" stops, had nobody kept anything", "共 "+n+" 次停止（假设无人保留）")
}
func (t T) IdleSinceHeading() string { return t.pick("Idle since", "空闲自") }
func (t T) IdleStopHeading() string  { return t.pick("Would have stopped", "本应停止于") }
func (t T) IdleSavedHeading() string { return t.pick("Would have saved", "本可节省") }
func (t T) MailIdleKeep() string     { return t.pick("Keep it for 24 hours", "保留 24 小时") }
func (t T) MailIdlePage() string     { return t.pick("Its page", "实例页面") }
func (t T) MailIdleStops() string    { return t.pick("Stops at", "停止于") }
