package lang

func (t T) Utilization() string { return t.pick("Utilization", "利用率") }
func (t T) UtilizationNote(simulated bool) string {
	if simulated {
		return t.pick("% of your CPU time", "占你的 CPU 时间 %")
	}
	return t.pick("% of time in which a kernel ran", "有内核运行的时间占比 %")
}
func (t T) Memory() string { return t.pick("Memory", "显存") }
func (t T) MemoryNote(total string) string {
	if total == "" {
		return "GiB"
	}
	return t.pick("GiB of "+total, "GiB，共 "+total)
}
func (t T) Power() string       { return t.pick("Power", "功耗") }
func (t T) PowerNote() string   { return t.pick("watts", "瓦") }
func (t T) Temperature() string { return t.pick("Temperature", "温度") }
func (t T) CostASecond() string { return t.pick("Cost a second", "每秒费用") }
func (t T) CostASecondNote(currency string) string {
	return t.pick("millionths of "+currency, "百万分之一 "+currency)
}
func (t T) ChartNoScript() string {
	return t.pick("The chart needs JavaScript; the last values stand above.", "图表需要 JavaScript；上方为最近的数值。")
}
func (t T) Live() string              { return t.pick("live", "实时") }
func (t T) LiveOld(age string) string { return t.pick(age+" s old", age+" 秒前的数据") }
func (t T) LiveLost(since string) string {
	return t.pick("not read since "+since, "自 "+since+" 起未读取")
}
func (t T) LiveAgain() string { return t.pick("reconnecting", "重新连接中") }
func (t T) LiveEnded() string { return t.pick("ended", "已结束") }

func (t T) Terminal() string              { return t.pick("Terminal", "终端") }
func (t T) TerminalOf(name string) string { return t.pick("Terminal of "+name, name+" 的终端") }
func (t T) TerminalNote() string {
	return t.pick("reconnects to the same shell", "断线后重连到同一个 shell")
}
func (t T) TerminalConnecting() string { return t.pick("connecting…", "连接中…") }
func (t T) TerminalAgain(wait string) string {
	return t.pick("cut off, next try in "+wait+" s", "连接已断开，"+wait+" 秒后重试")
}
func (t T) TerminalExit() string { return t.pick("the shell has ended", "shell 已结束") }
func (t T) TerminalRefused() string {
	return t.pick("the console refused; reload the page", "控制台拒绝连接，请刷新页面")
}
func (t T) TerminalLeave() string {
	return t.pick("Keyboard: Tab goes to the shell; Ctrl+Alt+↑ leaves the terminal.", "键盘：Tab 键会发送给 shell；按 Ctrl+Alt+↑ 离开终端。")
}
func (t T) TerminalNoScript() string {
	return t.pick("The terminal needs JavaScript. From your own machine: meterhouse exec.", "终端需要 JavaScript；也可在自己的机器上使用 meterhouse exec。")
}
func (t T) TerminalLater() string {
	return t.pick("The terminal opens here once the instance runs.", "实例运行后将在此打开终端。")
}
