package lang

func (t T) WasteTitle() string { return t.pick("Waste", "浪费") }
func (t T) WasteLead() string {
	return t.pick("What was paid for and not used: cost × (1 − used), by how active the GPUs were. What nobody measured is unknown, and no waste.", "已付费但未使用的部分：费用 ×（1 − 利用率）。没有测量到的时间计为未知，不算浪费。")
}
func (t T) WasteDays(n string) string { return t.pick("Last "+n+" days", "最近 "+n+" 天") }
func (t T) WasteTime() string         { return t.pick("Time", "时间范围") }
func (t T) WasteOwn() string          { return t.pick("your own", "你本人") }
func (t T) WasteBy(group string) string {
	switch group {
	case "member":
		return t.pick("By member", "按成员")
	case "workload":
		return t.pick("By workload", "按负载类型")
	}
	return t.pick("By instance", "按实例")
}
func (t T) WasteCost() string     { return t.pick("Cost", "费用") }
func (t T) WasteUsed() string     { return t.pick("Used", "已使用") }
func (t T) WasteIdle() string     { return t.pick("Not used", "未使用") }
func (t T) WasteUnknown() string  { return t.pick("Unknown", "未知") }
func (t T) WasteActivity() string { return t.pick("GPUs active", "GPU 利用率") }
func (t T) WasteBand(low, high string) string {
	return t.pick("expected "+low+"–"+high, "预期 "+low+"–"+high)
}
func (t T) WasteBelow() string { return t.pick("below what is expected", "低于预期") }
func (t T) WasteNone() string {
	return t.pick("Nothing was paid for in this time.", "该时间段内没有费用。")
}
func (t T) WasteLabel() string {
	return t.pick("An instance says by its label workload=… which it is: training, scientific, video, rendering or inference.", "实例通过标签 workload=… 说明负载类型：training、scientific、video、rendering 或 inference。")
}

// WasteName names a row that has no name of its own.
func (t T) WasteName(group, name string) string {
	switch {
	case group == "member":
		return t.pick("reservations, fees and credits", "预留、费用与抵扣")
	case group != "workload":
		return t.pick("fees and credits", "费用与抵扣")
	}
	switch name {
	case "training":
		return t.pick("training", "训练")
	case "scientific":
		return t.pick("scientific computing", "科学计算")
	case "video":
		return t.pick("video", "视频处理")
	case "rendering":
		return t.pick("rendering", "渲染")
	case "inference":
		return t.pick("inference", "推理")
	}
	return t.pick("no workload named", "未注明负载类型")
}
