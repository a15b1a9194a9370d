package lang

import "fmt"

func (t T) RentTitle() string { return t.pick("Rent", "租用") }
func (t T) AllOffers() string { return t.pick("all offers", "全部可租项") }
func (t T) RentLead() string {
	return t.pick("prices an hour and GPU", "价格按每块 GPU 每小时计")
}
func (t T) RentGPU() string              { return t.pick("GPU", "GPU") }
func (t T) RentNow() string              { return t.pick("Now", "当前") }
func (t T) OnDemand() string             { return t.pick("On demand", "按需价") }
func (t T) Spot() string                 { return t.pick("Spot", "竞价") }
func (t T) FP32() string                 { return t.pick("FP32 measured", "实测 FP32") }
func (t T) Stream() string               { return t.pick("Memory measured", "实测显存带宽") }
func (t T) RentButton() string           { return t.pick("Rent", "租用") }
func (t T) QueueButton() string          { return t.pick("Queue", "排队") }
func (t T) RentOf(model string) string   { return t.pick("Rent "+model, "租用 "+model) }
func (t T) QueueFor(model string) string { return t.pick("Queue for "+model, "排队等待 "+model) }
func (t T) NoOffers() string {
	return t.pick("No plan is on offer here. An admin sets plans and prices.", "本站暂无可租用的方案，请联系管理员设置方案与价格。")
}
func (t T) MeasuredNote() string {
	return t.pick("Measured on this site's own hardware, the median of stable runs. “–” means there is no figure; the reason shows on hover.",
		"数据来自本站硬件的实测，取稳定结果的中位数。“–”表示没有数据，悬停可查看原因。")
}

// FreeOf says how many of all are free.
func (t T) FreeOf(free, total int) string {
	return t.pick(fmt.Sprintf("%d of %d free", free, total), fmt.Sprintf("%d / %d 空闲", free, total))
}

// FreeAbout says when one is free again.
func (t T) FreeAbout(at string) string { return t.pick("free about "+at, "预计 "+at+" 空闲") }
func (t T) UntilTime(at string) string { return t.pick("until "+at, "可用至 "+at) }
func (t T) NoEndAhead() string         { return t.pick("no end ahead", "无截止时间") }
func (t T) AllRented() string {
	return t.pick("all are rented, with no hard end", "均已租出，无强制结束时间")
}

// Blocked says why so many GPUs can't be rented.
func (t T) Blocked(reason string, n int) string {
	text := t.BlockedWhy(reason)
	return t.pick(fmt.Sprintf("%d: %s", n, text), fmt.Sprintf("%d 块：%s", n, text))
}

// BlockedWhy says why a GPU can't be rented.
func (t T) BlockedWhy(reason string) string {
	switch reason {
	case "in_use":
		return t.pick("is rented", "已租出")
	case "quarantined":
		return t.pick("waits until nothing of the last instance is left on it", "等待清除上一个实例的残留")
	case "reserved":
		return t.pick("is reserved now, or within 15 minutes", "已被预留，或 15 分钟内开始预留")
	case "promised":
		return t.pick("is kept for an instance that waits for it", "已为等待中的实例保留")
	case "waiting":
		return t.pick("is free, but for those who wait in the queue", "空闲，但留给排队中的实例")
	case "watch":
		return t.pick("something is odd: what runs may finish, nothing new starts", "状态异常：可完成当前任务，不再启动新任务")
	case "fenced":
		return t.pick("fenced because of a fault", "因故障被隔离")
	case "lost":
		return t.pick("does not answer", "无响应")
	case "node_lost":
		return t.pick("its node does not answer", "所在节点无响应")
	case "node_cordoned":
		return t.pick("its node takes no new instance", "所在节点不接受新实例")
	case "node_draining":
		return t.pick("its node is being emptied", "所在节点正在清空")
	case "node_maintenance":
		return t.pick("its node is in maintenance", "所在节点维护中")
	case "no_price":
		return t.pick("has no price", "未设价格")
	}
	return reason
}

func (t T) RentNewTitle() string { return t.pick("Rent a GPU", "租用 GPU") }
func (t T) Plan() string         { return t.pick("Plan", "方案") }
func (t T) PlanFree(free int) string {
	return t.pick(fmt.Sprintf("%d free", free), fmt.Sprintf("%d 空闲", free))
}
func (t T) GPUCount() string { return t.pick("GPUs", "GPU 数量") }
func (t T) GPUCountHint() string {
	return t.pick("How many it gets, all to itself.", "独占使用的 GPU 数量。")
}
func (t T) InstanceNameHint() string {
	return t.pick("Lower-case letters, digits and hyphens. Left empty, one is made up.", "小写字母、数字与连字符；留空则自动生成。")
}
func (t T) Image() string            { return t.pick("Image", "镜像") }
func (t T) ImageThisMachine() string { return t.pick("this machine's files", "本机文件") }
func (t T) Command() string          { return t.pick("Command", "命令") }
func (t T) CommandHint() string {
	return t.pick("What it runs; it ends when the command ends. Left empty, it is a shell that waits for you.", "实例要运行的命令，命令结束则实例结束；留空则启动一个等待你的 shell。")
}
func (t T) Hours() string { return t.pick("Hours at the most", "最长时数") }
func (t T) HoursHint() string {
	return t.pick("It is stopped then. Left empty, it runs until it is stopped.", "到时将自动停止；留空则一直运行，直到手动停止。")
}
func (t T) Labels() string { return t.pick("Labels", "标签") }
func (t T) LabelsHint() string {
	return t.pick("Costs can be grouped by them, e.g. project=bert, run=7.", "费用可按标签汇总，例如 project=bert, run=7。")
}
func (t T) QueueTick() string {
	return t.pick("Wait in the queue if none is free", "没有空闲时进入排队")
}
func (t T) QueueTickHint() string {
	return t.pick("Nothing is billed while it waits. Its price is locked when it starts.", "排队期间不计费，启动时锁定价格。")
}
func (t T) QuoteTitle() string  { return t.pick("Before you rent", "租用前确认") }
func (t T) QuoteUpdate() string { return t.pick("Update the price", "更新报价") }
func (t T) QuoteNone() string {
	return t.pick("The price shows here once the form can be read.", "表单填写正确后将在此显示报价。")
}
func (t T) PriceAnHour() string { return t.pick("Price an hour", "每小时价格") }
func (t T) HardEnd() string     { return t.pick("Hard end", "强制结束") }
func (t T) NoHardEnd() string {
	return t.pick("none yet: it runs until it is stopped; a later reservation can end it, an hour ahead at the least", "暂无：运行到手动停止；之后的预留可能提前至少一小时结束它")
}
func (t T) CostToEnd() string     { return t.pick("Cost up to then", "到时费用") }
func (t T) BudgetRunsOut() string { return t.pick("At this rate it is gone", "按此费率用完") }
func (t T) NotInPeriod() string   { return t.pick("not in this period", "本周期内不会用完") }
func (t T) Starts() string        { return t.pick("Starts", "启动时间") }
func (t T) StartsNow() string     { return t.pick("at once", "立即") }
func (t T) StartsQueued(place int, about string) string {
	if about == "" {
		return t.pick(fmt.Sprintf("place %d in the queue, time unknown", place), fmt.Sprintf("排队第 %d 位，时间未知", place))
	}
	return t.pick(fmt.Sprintf("place %d in the queue, about %s", place, about), fmt.Sprintf("排队第 %d 位，约 %s", place, about))
}
func (t T) StartsRefused() string { return t.pick("can't be rented now", "目前无法租用") }
func (t T) EndsWhy(why string) string {
	switch why {
	case "hours":
		return t.pick("as asked for", "按你的设定")
	case "reservation":
		return t.pick("reserved after that", "之后已被预留")
	case "reservation_ends":
		return t.pick("its reservation is over then", "届时其预留结束")
	case "maintenance":
		return t.pick("its node is in maintenance after that", "之后所在节点进行维护")
	case "drain":
		return t.pick("its node is emptied by then", "所在节点届时清空")
	case "budget":
		return t.pick("the budget ends it", "因预算限制")
	}
	return ""
}
func (t T) MinimumNote() string {
	return t.pick("At least 60 s are billed once it is healthy; nothing if it never gets that far.", "就绪后最少按 60 秒计费；未能就绪则不计费。")
}
func (t T) Rented(name string) string { return t.pick(name+" was rented.", "已租用 "+name+"。") }
func (t T) Queued(name string) string {
	return t.pick(name+" waits in the queue.", name+" 已进入排队。")
}
func (t T) NoCapacity(model string) string {
	return t.pick("No "+model+" is free. Tick “wait in the queue”, or choose another plan.", "没有空闲的 "+model+"。可勾选“进入排队”，或选择其他方案。")
}
