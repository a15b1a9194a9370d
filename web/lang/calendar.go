package lang

func (t T) NavCalendar() string  { return t.pick("Calendar", "日历") }
func (t T) CalendarTime() string { return t.pick("Time shown", "显示的时间") }
func (t T) CalendarPrev(view string) string {
	if view == "month" {
		return t.pick("Previous", "上个月")
	}
	return t.pick("Previous", "上一周")
}
func (t T) CalendarNext(view string) string {
	if view == "month" {
		return t.pick("Next", "下个月")
	}
	return t.pick("Next", "下一周")
}
func (t T) CalendarToday() string    { return t.pick("Today", "今天") }
func (t T) CalendarGPUs() string     { return t.pick("GPUs and who has them", "GPU 占用情况") }
func (t T) CalendarShow() string     { return t.pick("Show", "显示") }
func (t T) CalendarNoGPUs() string   { return t.pick("There is no GPU here yet.", "尚无 GPU。") }
func (t T) CalendarPool() string     { return t.pick("Pool", "资源池") }
func (t T) CalendarAllPools() string { return t.pick("All pools", "所有资源池") }
func (t T) CalendarView(view string) string {
	if view == "month" {
		return t.pick("Month", "月")
	}
	return t.pick("Week", "周")
}
func (t T) CalendarNow() string      { return t.pick("now", "现在") }
func (t T) CalendarReserved() string { return t.pick("reserved", "已预留") }
func (t T) CalendarInUse() string    { return t.pick("in use", "使用中") }
func (t T) CalendarKind(kind string) string {
	switch kind {
	case "reserved":
		return t.pick("reserved", "预留")
	case "out":
		return t.pick("out of service", "停用")
	}
	return t.Kind(kind)
}

// CalendarOut says why a GPU is out of service.
func (t T) CalendarOut(state string) string {
	switch state {
	case "watch":
		return t.pick("out of service: under watch", "停用：观察中")
	case "quarantined":
		return t.pick("out of service: quarantined", "停用：已隔离")
	case "fenced":
		return t.pick("out of service: reported a fault", "停用：报告故障")
	case "lost":
		return t.pick("out of service: not found", "停用：未找到")
	case "node_cordoned":
		return t.pick("out of service: its node takes nothing new", "停用：节点不接受新任务")
	case "node_draining":
		return t.pick("out of service: its node is being emptied", "停用：节点正在清空")
	case "node_maintenance":
		return t.pick("out of service: its node is in maintenance", "停用：节点维护中")
	case "node_lost":
		return t.pick("out of service: its node is lost", "停用：节点已丢失")
	}
	return t.pick("out of service", "停用")
}
func (t T) CalendarListed() string { return t.pick("In words", "文字列表") }
func (t T) CalendarEmpty() string {
	return t.pick("Nothing is reserved and nothing runs in this time.", "该时段没有预留，也没有运行中的实例。")
}
func (t T) CalendarFree() string { return t.pick("free", "空闲") }
func (t T) CalendarKeys() string {
	return t.pick("Choose a time: arrow keys move, with Shift by a day; Enter begins and ends, Escape gives up", "选择时间：方向键移动，按住 Shift 每次移动一天；按 Enter 开始和结束，按 Esc 放弃")
}
func (t T) CalendarBegun(at string) string {
	return t.pick("Begins "+at+". Move on and press Enter to end.", "开始于 "+at+"。继续移动，按 Enter 结束。")
}
func (t T) CalendarChosen(times string) string {
	return t.pick("Chosen: "+times+". The form has these times.", "已选择："+times+"。表单已填入该时段。")
}

func (t T) ReserveDots() string  { return t.pick("Reserve…", "预留…") }
func (t T) ReserveTitle() string { return t.pick("Reserve", "预留") }
func (t T) ReserveCountHint() string {
	return t.pick("Any so many of one node.", "同一节点上的任意几块。")
}
func (t T) ReserveByName() string   { return t.pick("These very GPUs instead", "改为指定 GPU") }
func (t T) ReserveStart() string    { return t.pick("Start", "开始") }
func (t T) ReserveEnd() string      { return t.pick("End", "结束") }
func (t T) ReserveNameHint() string { return t.pick("May be left empty.", "可不填。") }
func (t T) ReserveButton() string   { return t.pick("Reserve", "预留") }
func (t T) ReserveNoQuote() string {
	return t.pick("Fill in the times to see what it costs.", "填写时间后显示费用。")
}
func (t T) ReserveWhole(length string) string {
	return t.pick("for all of "+length, "共 "+length)
}
func (t T) LookFirst() string {
	return t.pick("Nothing is booked yet. This is what it costs: look at it, then press Reserve.", "尚未预留。以上为费用，请确认后再点击“预留”。")
}
func (t T) InTheWay() string { return t.pick("In the way", "冲突项") }
func (t T) NearestFree(times string) string {
	return t.pick("The nearest free time: "+times, "最近的空闲时段："+times)
}
func (t T) TakeNearest() string { return t.pick("Fill in this time", "填入该时段") }
func (t T) WhichStart() string  { return t.pick("Which start", "哪一次开始") }
func (t T) WhichEnd() string    { return t.pick("Which end", "哪一次结束") }
func (t T) HourTwice() string {
	return t.pick("The clocks go back on that day and show this time twice.", "当天时钟回拨，该时间会出现两次。")
}
func (t T) FirstOfTwo(zone string) string  { return t.pick("the first, "+zone, "第一次，"+zone) }
func (t T) SecondOfTwo(zone string) string { return t.pick("the second, "+zone, "第二次，"+zone) }
func (t T) ChooseOne() string              { return t.pick("choose", "请选择") }
func (t T) StartMoved() string {
	return t.pick("The clocks jump over this start on that day: it was moved forward by as much as they jump.", "当天时钟跳过该开始时间：已相应顺延。")
}
func (t T) EndMoved() string {
	return t.pick("The clocks jump over this end on that day: it was moved forward by as much as they jump.", "当天时钟跳过该结束时间：已相应顺延。")
}
func (t T) TermDiscount() string { return t.pick("Term discount", "长租折扣") }
func (t T) NoDiscount() string   { return t.pick("none below a day", "不足一天无折扣") }
func (t T) InsteadOf(amount string) string {
	return t.pick("instead of "+amount+" on demand", "按需价为 "+amount)
}
func (t T) CancelHeading() string { return t.pick("Cancelling", "取消") }
func (t T) CancelFreeUntil(at, most string) string {
	return t.pick("free until "+at+", later up to "+most, at+" 前免费，之后最多 "+most)
}
func (t T) CancelCosts(amount string) string {
	return t.pick("costs "+amount, "费用 "+amount)
}
func (t T) BudgetAfter(amount string) string {
	return t.pick(amount+" with this", "扣除后 "+amount)
}
func (t T) BeyondBudget() string {
	return t.pick("This is more than the budget has left.", "超出预算余额。")
}
func (t T) PaidWhole() string {
	return t.pick("Paid for the whole time, whether it is used or not.", "无论是否使用，均按整个时段收费。")
}
func (t T) YourTime(at string) string { return t.pick(at+" for you", "你的时间 "+at) }
func (t T) Reserved(name string) string {
	return t.pick(name+" is reserved.", "已预留 "+name+"。")
}

func (t T) Feeds() string { return t.pick("Subscribe", "订阅") }
func (t T) FeedsNote() string {
	return t.pick("An address for your calendar program, with what you may see here. Who has the address can read it: revoke it when it is no longer needed.", "供日历程序订阅的地址，内容为你可以看到的信息。知道地址的人即可读取，不再需要时请吊销。")
}
func (t T) FeedButton() string { return t.pick("Make an address", "创建地址") }
func (t T) FeedOnce() string {
	return t.pick("This is the address. It is shown this once; add it to your calendar program now.", "这是订阅地址，仅显示一次，请立即添加到日历程序。")
}
func (t T) FeedMade(at string) string { return t.pick("Made "+at, "创建于 "+at) }
func (t T) FeedRevoke(at string) string {
	return t.pick("Revoke the address made "+at, "吊销创建于 "+at+" 的地址")
}
func (t T) FeedRevoked() string { return t.pick("The address is revoked.", "地址已吊销。") }
