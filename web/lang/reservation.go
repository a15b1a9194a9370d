package lang

func (t T) ReservationState(state string) string {
	switch state {
	case "booked":
		return t.pick("booked", "已预留")
	case "running":
		return t.pick("on now", "进行中")
	case "cancelled":
		return t.pick("cancelled", "已取消")
	case "released":
		return t.pick("given back early", "已提前释放")
	case "ended":
		return t.pick("over", "已结束")
	}
	return state
}
func (t T) UseItNow() string { return t.pick("Use it now", "立即使用") }
func (t T) GiveUpDots(state string) string {
	if state == "running" {
		return t.pick("Release…", "提前释放…")
	}
	return t.pick("Cancel it…", "取消预留…")
}
func (t T) GiveUpAsk(state, name string) string {
	if state == "running" {
		return t.pick("Release "+name+" early?", "提前释放 "+name+"？")
	}
	return t.pick("Cancel "+name+"?", "取消 "+name+"？")
}
func (t T) GiveUpName(state, name string) string {
	if state == "running" {
		return t.pick("Release "+name, "释放 "+name)
	}
	return t.pick("Cancel "+name, "取消 "+name)
}
func (t T) KeepIt() string { return t.pick("Keep it", "保留") }
func (t T) CancelFree() string {
	return t.pick("It costs nothing now: it begins in more than 24 hours. Its GPUs are free for others at once.", "距开始超过 24 小时，现在取消不收费。其 GPU 立即可供他人使用。")
}
func (t T) CancelFee(amount string) string {
	return t.pick("It begins within 24 hours: cancelling costs "+amount+", half of what remains up to 24 hours of it.", "距开始不足 24 小时：取消费用为 "+amount+"，即剩余时段（最多 24 小时）费用的一半。")
}
func (t T) ReleaseMeans(most string) string {
	return t.pick("Its GPUs are offered to others at once. What is rented again of its time is refunded when the time is over: "+most+" at most, nothing if nobody comes.", "其 GPU 立即提供给他人。时段结束时退还被再次租用部分的费用：最多 "+most+"，无人租用则不退。")
}
func (t T) ReservationGivenUp(name string) string {
	return t.pick(name+" was given up.", "已放弃 "+name+"。")
}
func (t T) ReservationExtended(name, end string) string {
	return t.pick(name+" goes on until "+end+".", name+" 已延长至 "+end+"。")
}

func (t T) UsedOf(used, reserved string) string {
	return t.pick("used "+used+" of "+reserved, "已用 "+used+"，共 "+reserved)
}
func (t T) CostByNow() string       { return t.pick("Cost so far", "至今费用") }
func (t T) CoverageHeading() string { return t.pick("Coverage", "覆盖率") }
func (t T) CoverageNote() string {
	return t.pick("of the team's GPU time in it was reserved", "此期间团队 GPU 用时中预留所占比例")
}
func (t T) ReservationFacts() string { return t.pick("What is reserved", "预留内容") }
func (t T) GPUsGivenBack() string    { return t.pick("given back", "已归还") }
func (t T) GPUsMayChange(named bool) string {
	if named {
		return t.pick("these very ones", "指定的 GPU")
	}
	return t.pick("any of the pool: others may take their place until it begins", "资源池内任意 GPU：开始前可能更换")
}
func (t T) GivenUpAt() string      { return t.pick("Given up", "放弃时间") }
func (t T) ClaimedHeading() string { return t.pick("First used", "首次使用") }
func (t T) NotClaimed(state string) string {
	if state == "running" {
		return t.pick("not yet: until then its GPUs are offered as spot", "尚未使用：在此之前其 GPU 以竞价方式提供")
	}
	return t.pick("not used", "未使用")
}
func (t T) BreakEvenHeading() string { return t.pick("Break-even", "盈亏平衡") }
func (t T) BreakEvenAfter(use, rate string) string {
	return t.pick("no dearer than on demand at "+rate+" an hour from "+use+" of use on", "使用 "+use+" 后不高于按需价（每小时 "+rate+"）")
}
func (t T) NoBreakEven() string {
	return t.pick("never cheaper than on demand", "不会低于按需价")
}
func (t T) ReservationBill() string { return t.pick("What it costs, explained", "费用明细") }
func (t T) PartOf(list, discount string) string {
	return t.pick(list+" an hour less "+discount, "每小时 "+list+"，折扣 "+discount)
}
func (t T) FeeRow() string { return t.pick("Fee for cancelling late", "延迟取消费") }
func (t T) RefundRow() string {
	return t.pick("Rented again after it was released", "释放后再次租出的退款")
}
func (t T) BillTotalRow() string   { return t.pick("Total", "合计") }
func (t T) ReservationUse() string { return t.pick("Instances on it", "使用它的实例") }
func (t T) ReservationUnused() string {
	return t.pick("No instance has used it.", "还没有实例使用过。")
}
func (t T) ExtendReservation() string { return t.pick("Extend it", "延长预留") }
func (t T) NewEnd() string            { return t.pick("New end", "新的结束时间") }
func (t T) ExtendNoQuote() string {
	return t.pick("Fill in a later end to see what it adds.", "填写更晚的结束时间以查看增加的费用。")
}
func (t T) ExtendUntil(at string) string {
	return t.pick("Extend until "+at+" instead", "改为延长至 "+at)
}
func (t T) ReserveThat() string { return t.pick("Reserve that", "预留该时段") }
func (t T) MoreFor(length string) string {
	return t.pick("more for "+length, "增加，时长 "+length)
}

// RentReserved says that the form to rent uses a reservation.
func (t T) RentReserved(name string) string {
	return t.pick("On the reservation "+name+": paid for already, at no further cost.", "使用预留 "+name+"：已付费，不再另收费。")
}
