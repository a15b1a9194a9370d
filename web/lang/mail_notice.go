package lang

func (t T) MailNoticeSubject(kind, name, at string) string {
	if kind == "reservation_starts" {
		return t.pick("Reservation "+name+" begins at "+at, "预留 "+name+" 将于 "+at+" 开始")
	}
	if kind == "reservation_ends" {
		return t.pick("Reservation "+name+" ends at "+at, "预留 "+name+" 将于 "+at+" 结束")
	}
	return t.pick(name+" stops at "+at, name+" 将于 "+at+" 停止")
}
func (t T) MailNoticeLead(kind, name, minutes string) string {
	switch kind {
	case "reservation_starts":
		return t.pick("The reservation "+name+" begins in "+minutes+" minutes.", "预留 "+name+" 将在 "+minutes+" 分钟后开始。")
	case "reservation_ends":
		return t.pick("The reservation "+name+" ends in "+minutes+" minutes.", "预留 "+name+" 将在 "+minutes+" 分钟后结束。")
	}
	return t.pick("The instance "+name+" is stopped in "+minutes+" minutes.", "实例 "+name+" 将在 "+minutes+" 分钟后停止。")
}

// MailNoticeMeans says why it ends then, and what can be done.
func (t T) MailNoticeMeans(kind, because string) string {
	switch kind {
	case "reservation_starts":
		return t.pick("Its GPUs are yours from then on, and paid for whether they are used or not. Start an instance on them at no further cost.", "届时其 GPU 归你使用，无论是否使用均会计费。可在其上启动实例，不另收费。")
	case "reservation_ends":
		return t.pick("What uses it is stopped then, as its GPUs are no longer yours. Where they are free after that it can be extended.", "届时使用该预留的实例将停止，其 GPU 不再归你使用。若之后空闲，可延长预留。")
	}
	return t.StopsThenBecause(because)
}

// StopsThenBecause says what sets an instance's one stop time, and what can be done about it.
func (t T) StopsThenBecause(because string) string {
	switch because {
	case "reservation":
		return t.pick("Its GPUs are reserved from then on, so that this can't be moved. Save what you need.", "其 GPU 自该时间起已被预留，因此无法推迟。请保存所需内容。")
	case "reservation_ends":
		return t.pick("The reservation that it uses is over then. Extend the reservation, and it goes on.", "届时其所用的预留结束。延长预留即可继续运行。")
	case "maintenance":
		return t.pick("Its node is in maintenance from then on, so that this can't be moved. Save what you need, or go on elsewhere.", "其所在节点自该时间起进行维护，因此无法推迟。请保存所需内容，或在其他节点继续。")
	case "drain":
		return t.pick("Its node is emptied by then. Save what you need, or go on elsewhere.", "其所在节点届时清空。请保存所需内容，或在其他节点继续。")
	case "budget":
		return t.pick("The budget that it counts into is used up.", "其所属预算已用完。")
	}
	return t.pick("This is the end that was asked for. It can be extended on its page, at its price an hour.", "这是租用时设定的结束时间。可在实例页面延长，按小时价格计费。")
}
func (t T) MailNoticeButton(kind string) string {
	switch kind {
	case "reservation_starts":
		return t.pick("Look at the reservation", "查看预留")
	case "reservation_ends":
		return t.pick("Extend the reservation", "延长预留")
	}
	return t.pick("Look at the instance", "查看实例")
}
func (t T) BeginsHeading() string { return t.pick("Begins", "开始") }
