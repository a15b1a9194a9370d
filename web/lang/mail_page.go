package lang

// errorsOfMail are about the outbox and what people want of it.
var errorsOfMail = map[string]pair{
	"mail_not_found":    {"There is no such mail, or it was sent or dropped already.", "没有该邮件，或已发送、已丢弃。"},
	"mail_stop_unknown": {"This link belongs to no mail of this console.", "该链接不属于本控制台的任何邮件。"},
	"mail_kind_needed":  {"This kind of mail can't be switched off.", "此类邮件无法关闭。"},
}

// MailTemplate names a kind of mail.
func (t T) MailTemplate(name string) string {
	switch name {
	case "budget_threshold":
		return t.pick("Budget threshold", "预算阈值")
	case "budget_forecast":
		return t.pick("Budget forecast", "预算预测")
	case "budget_reached":
		return t.pick("Budget reached", "预算用完")
	case "budget_stop_notice":
		return t.pick("Budget stops instances", "预算停止实例")
	case "spot_notice":
		return t.pick("Spot notice", "竞价回收通知")
	case "reservation_starts_soon":
		return t.pick("Reservation starts", "预留开始")
	case "reservation_ends_soon":
		return t.pick("Reservation ends", "预留结束")
	case "instance_ends_soon":
		return t.pick("Instance ends soon", "实例即将结束")
	case "instance_stopped":
		return t.pick("Instance stopped", "实例已停止")
	case "idle_warning":
		return t.pick("Idle warning", "空闲提醒")
	case "gpu_fault":
		return t.pick("GPU fault", "GPU 故障")
	case "gpu_quarantined":
		return t.pick("GPU quarantined", "GPU 待清理")
	case "invitation":
		return t.pick("Invitation", "邀请")
	case "new_device":
		return t.pick("New browser", "新浏览器登录")
	case "quota_requested":
		return t.pick("Quota asked for", "配额申请")
	case "quota_decided":
		return t.pick("Quota decided", "配额处理结果")
	case "digest":
		return t.pick("Digest", "摘要")
	case "test":
		return t.pick("Test mail", "测试邮件")
	}
	return name
}

// MailKind names what can be switched off together.
func (t T) MailKind(kind string) string {
	switch kind {
	case "budgets":
		return t.pick("Budgets: thresholds and forecasts", "预算：阈值与预测")
	case "instances":
		return t.pick("Instances: end soon, stopped", "实例：即将结束、已停止")
	case "reservations":
		return t.pick("Reservations: start and end soon", "预留：即将开始与结束")
	case "faults":
		return t.pick("Faults of GPUs", "GPU 故障")
	case "quotas":
		return t.pick("Quotas: asked for and decided", "配额：申请与处理结果")
	}
	return kind
}

func (t T) MailState(state string) string {
	switch state {
	case "waiting":
		return t.pick("waiting", "等待中")
	case "gathered":
		return t.pick("in a digest", "已并入摘要")
	case "sent":
		return t.pick("sent", "已发送")
	case "dead":
		return t.pick("given up", "已放弃")
	case "dropped":
		return t.pick("dropped", "已丢弃")
	}
	return state
}

// MailDropped says why a mail was not sent.
func (t T) MailDropped(why string) string {
	switch why {
	case "budget_deleted":
		return t.pick("the budget was deleted before it was sent", "发送前预算已删除")
	case "budget_changed":
		return t.pick("the budget was changed before it was sent", "发送前预算已修改")
	case "stop_over":
		return t.pick("nothing is stopped any more", "已不再停止实例")
	case "instance_over":
		return t.pick("the instance had ended before it was sent", "发送前实例已结束")
	case "end_moved":
		return t.pick("the end was moved before it was sent", "发送前结束时间已更改")
	case "reservation_over":
		return t.pick("the reservation was given up before it was sent", "发送前预留已放弃")
	case "link_expired":
		return t.pick("its link works no more", "链接已失效")
	case "not_wanted":
		return t.pick("its reader wants none of this kind", "收件人不接收此类邮件")
	case "person_disabled":
		return t.pick("its reader can't sign in any more", "收件人已被停用")
	case "nothing_left":
		return t.pick("nothing in it was true any more", "其中内容均已失效")
	case "by_admin":
		return t.pick("dropped by an admin", "由管理员丢弃")
	}
	return why
}

func (t T) NavMail() string   { return t.pick("Mail", "邮件") }
func (t T) MailTitle() string { return t.pick("Mail", "邮件") }
func (t T) MailPageLead() string {
	return t.pick("what waits, what was given up and why, and how each mail looks", "等待发送、已放弃及原因，以及各邮件的样式")
}
func (t T) MailDeadTitle() string { return t.pick("Given up", "已放弃") }
func (t T) MailDeadNone() string {
	return t.pick("No mail was given up.", "没有被放弃的邮件。")
}
func (t T) MailOpenTitle() string { return t.pick("To be sent", "待发送") }
func (t T) MailOpenNone() string {
	return t.pick("Nothing waits to be sent.", "没有待发送的邮件。")
}
func (t T) MailOverTitle() string { return t.pick("Lately", "最近") }
func (t T) MailOverNone() string {
	return t.pick("Nothing was sent yet.", "尚未发送邮件。")
}
func (t T) MailNextTry(at string) string {
	return t.pick("next try at "+at, "下次尝试 "+at)
}
func (t T) MailTries(n string) string { return t.pick(n+" tries", n+" 次尝试") }
func (t T) MailRetry() string         { return t.pick("Try again", "重试") }
func (t T) MailDrop() string          { return t.pick("Drop", "丢弃") }
func (t T) MailRetryOf(to string) string {
	return t.pick("Try the mail to "+to+" again", "重新发送给 "+to)
}
func (t T) MailDropOf(to string) string {
	return t.pick("Drop the mail to "+to, "丢弃发送给 "+to+" 的邮件")
}
func (t T) MailLastDay() string { return t.pick("in the last day", "最近一天") }

// MailOff says that mail is not sent, and to who can do something about it, what that is.
func (t T) MailOff(admin bool) string {
	if !admin {
		return t.pick("No mail server is set, so mail waits until an admin of the site sets one.", "未设置邮件服务器，邮件将等待站点管理员设置后发送。")
	}
	return t.pick("No mail server is set, so mail waits. Start the console with --smtp.", "未设置邮件服务器，邮件将一直等待。请以 --smtp 启动控制台。")
}
func (t T) MailSendTest(address string) string {
	return t.pick("Send a test mail to "+address, "发送测试邮件到 "+address)
}
func (t T) MailTestQueued(address string) string {
	return t.pick("A test mail to "+address+" is on its way.", "测试邮件正在发送到 "+address+"。")
}
func (t T) MailRetried() string {
	return t.pick("The mail is tried again.", "正在重新发送该邮件。")
}
func (t T) MailIsDropped() string { return t.pick("The mail is dropped.", "该邮件已丢弃。") }
func (t T) MailTemplates() string { return t.pick("How they look", "样式预览") }
func (t T) MailTemplatesNote() string {
	return t.pick("with sample data", "使用示例数据")
}
func (t T) MailPreviewTitle(name string) string {
	return t.pick("Mail: "+name, "邮件："+name)
}
func (t T) MailSubject() string  { return t.pick("Subject", "主题") }
func (t T) MailTextPart() string { return t.pick("Text", "纯文本") }
func (t T) MailHTMLPart() string {
	return t.pick("HTML, as mail programs show it", "HTML（邮件程序中的样式）")
}
func (t T) MailBack() string { return t.pick("All mail", "全部邮件") }

func (t T) MailWishTitle() string { return t.pick("Mail", "邮件") }
func (t T) MailWishLead() string {
	return t.pick("Which mail comes to you.", "选择接收哪些邮件。")
}
func (t T) MailWishDigest() string {
	return t.pick("Quiet: what is not urgent once an hour, in one mail", "安静模式：非紧急通知每小时合并为一封")
}
func (t T) MailWishDigestHint() string {
	return t.pick("Without it, only what would be more than five mails an hour is put together.", "未开启时，仅将每小时超过五封的部分合并。")
}
func (t T) MailWishAlways() string {
	return t.pick("Always sent: reclaim of your own spot instances, budgets that stop what runs, sign-ins with a new browser, invitations.", "始终发送：你的竞价实例被回收、预算停止实例、新浏览器登录、邀请。")
}

func (t T) MailStopTitle() string { return t.pick("No more of this mail", "停止接收此类邮件") }
func (t T) MailStopAsk(kinds, address string) string {
	return t.pick("Mail of this kind to "+address+" is switched off: "+kinds+".", "将停止向 "+address+" 发送此类邮件："+kinds+"。")
}
func (t T) MailStopButton() string { return t.pick("Switch it off", "关闭") }
func (t T) MailStopDone() string {
	return t.pick("Done. It can be switched on again in the settings.", "已关闭。可在设置中重新开启。")
}
