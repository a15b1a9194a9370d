package lang

func (t T) NavInbox() string   { return t.pick("Inbox", "收件箱") }
func (t T) InboxTitle() string { return t.pick("Inbox", "收件箱") }
func (t T) InboxLead() string {
	return t.pick("what waits for your decision, and what you should know of", "待你决定与需要知晓的事项")
}
func (t T) InboxDecide() string { return t.pick("To decide", "待决定") }
func (t T) InboxNothingToDecide() string {
	return t.pick("Nothing waits for your decision.", "没有待决定的事项。")
}
func (t T) InboxOwn() string     { return t.pick("What you asked for", "你的申请") }
func (t T) InboxNotices() string { return t.pick("Notices of 30 days", "30 天内的通知") }
func (t T) InboxNoNotices() string {
	return t.pick("Nothing happened that you should know of.", "没有需要知晓的事项。")
}
func (t T) InboxUnread() string   { return t.pick("new", "未读") }
func (t T) InboxMarkRead() string { return t.pick("Mark all as read", "全部标为已读") }
func (t T) InboxRead() string     { return t.pick("Marked as read.", "已标为已读。") }
func (t T) InboxAsks(who, kind, wanted string) string {
	if wanted == "" {
		return t.pick(who+" asks to have it lifted: "+kind, who+" 申请解除："+kind)
	}
	return t.pick(who+" asks for "+wanted+": "+kind, who+" 申请提高到 "+wanted+"："+kind)
}
func (t T) InboxFor(hours string) string { return t.pick("for "+hours, "时长 "+hours) }
func (t T) InboxGrant() string           { return t.pick("Grant", "批准") }
func (t T) InboxGrantTo(name string) string {
	return t.pick("Grant to "+name, "批准 "+name+" 的申请")
}
func (t T) InboxRefuse() string { return t.pick("Refuse", "拒绝") }
func (t T) InboxRefuseTo(name string) string {
	return t.pick("Refuse "+name, "拒绝 "+name+" 的申请")
}
func (t T) InboxReason() string     { return t.pick("Reason", "理由") }
func (t T) InboxReasonHint() string { return t.pick("needed to refuse", "拒绝时必填") }
func (t T) InboxWithdraw() string   { return t.pick("Withdraw", "撤回") }
func (t T) InboxWithdrawOf(name string) string {
	return t.pick("Withdraw: "+name, "撤回："+name)
}
func (t T) InboxState(state, who, until string) string {
	switch state {
	case "open":
		return t.pick("waits for a decision", "等待决定")
	case "granted":
		return t.pick("granted by "+who+" until "+until, "由 "+who+" 批准，至 "+until)
	case "refused":
		return t.pick("refused by "+who, "被 "+who+" 拒绝")
	case "withdrawn":
		return t.pick("withdrawn", "已撤回")
	}
	return state
}

// InboxNotice says what a notice is of: a budget's threshold, what ends or begins, what was stopped, decided or not sent.
func (t T) InboxNotice(kind, name, what, number, spent, limit, moment string) string {
	switch kind {
	case "budget":
		if what == "forecast" {
			return t.pick("The budget "+name+" is expected to reach "+number+": "+spent+" of "+limit+".", "预算 "+name+" 预计将达到 "+number+"："+spent+"，额度 "+limit+"。")
		}
		return t.pick("The budget "+name+" has reached "+number+": "+spent+" of "+limit+".", "预算 "+name+" 已达到 "+number+"："+spent+"，额度 "+limit+"。")
	case "budget_stop":
		return t.pick("What runs on the budget "+name+" is stopped at "+moment+".", "使用预算 "+name+" 的实例将于 "+moment+" 停止。")
	case "instance_ends":
		return t.pick(name+" ends at "+moment+".", name+" 将于 "+moment+" 结束。")
	case "reservation_starts":
		return t.pick("The reservation "+name+" begins at "+moment+".", "预留 "+name+" 将于 "+moment+" 开始。")
	case "reservation_ends":
		return t.pick("The reservation "+name+" ends at "+moment+".", "预留 "+name+" 将于 "+moment+" 结束。")
	case "stopped":
		return t.pick(name+" was stopped. "+what+" It cost "+spent+".", name+" 已停止。"+what+"费用 "+spent+"。")
	case "spot_notice":
		return t.pick(name+" is reclaimed: others need its GPUs.", name+" 被回收：其 GPU 另有所需。")
	case "quota_decided":
		return t.pick("Your request was decided: "+name+", "+what+".", "你的申请已处理："+name+"，"+what+"。")
	case "mail_dead":
		return t.pick("Mail to "+name+" could not be sent: "+what, "发给 "+name+" 的邮件无法发送："+what)
	}
	return name
}
