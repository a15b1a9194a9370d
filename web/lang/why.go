package lang

// Why says why a value is absent; reasons are the names that views.Value and gpu.Why use.
func (t T) Why(reason string) string {
	switch reason {
	case "not_supported":
		return t.pick("this device has no such sensor, or not in this mode", "该设备没有这个传感器，或当前模式下不支持")
	case "no_permission":
		return t.pick("the driver does not allow reading it", "驱动不允许读取")
	case "lost":
		return t.pick("the device does not answer any more", "设备已无响应")
	case "driver_mismatch":
		return t.pick("driver and library versions differ", "驱动与库的版本不一致")
	case "invalid":
		return t.pick("the driver answered with an impossible value", "驱动返回了不可能的数值")
	case "not_inspected":
		return t.pick("nobody has looked into the image yet", "尚未检查该镜像")
	case "inspect_failed":
		return t.pick("looking into the image failed", "检查该镜像失败")
	case "not_begun":
		return t.pick("it has not begun", "尚未开始")
	case "nothing_used":
		return t.pick("nothing was used in its time yet", "该时段尚无使用")
	case "no_end_ahead":
		return t.pick("it depends on something that has no hard end", "取决于没有强制结束时间的实例")
	case "kept":
		return t.pick("it depends on a budget or a quota", "取决于预算或配额")
	case "not_measured":
		return t.pick("not measured on this site yet", "本站尚未测量")
	case "simulated":
		return t.pick("simulated hardware makes no score", "模拟硬件不产生成绩")
	case "not_offered":
		return t.pick("not offered here", "此处不提供")
	case "no_budget":
		return t.pick("no budget is set", "未设预算")
	case "no_history":
		return t.pick("too little history to say", "历史数据不足，无法判断")
	case "nothing_before":
		return t.pick("nothing in the month before", "上月没有费用")
	case "no_end":
		return t.pick("no hard end is set", "未设强制结束时间")
	case "not_started":
		return t.pick("has not started yet", "尚未启动")
	case "no_sample":
		return t.pick("no run was timed", "没有完成计时的样本")
	case "no_peak":
		return t.pick("no datasheet figure to compare with", "没有可比较的官方参数")
	}
	return t.pick("not read yet", "尚未读取")
}

// Unknown introduces a reason for those who hear the page.
func (t T) Unknown(reason string) string { return t.UnknownBecause() + t.Why(reason) }

// UnknownBecause is what stands before a reason.
func (t T) UnknownBecause() string { return t.pick("unknown: ", "未知：") }
