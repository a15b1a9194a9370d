package lang

func (t T) HomeTitle() string          { return t.pick("Home", "首页") }
func (t T) RunningNow() string         { return t.pick("Running now", "当前运行") }
func (t T) CostsNow() string           { return t.pick("Costs now", "当前费率") }
func (t T) AnHour() string             { return t.pick("an hour", "每小时") }
func (t T) AnHourLocked() string       { return t.pick("an hour, locked", "每小时，已锁定") }
func (t T) SpentToday() string         { return t.pick("Spent today", "今日花费") }
func (t T) SpentMonth() string         { return t.pick("This month", "本月花费") }
func (t T) BudgetLeft() string         { return t.pick("Budget left", "预算剩余") }
func (t T) UntilDay(day string) string { return t.pick("to "+day, "截至 "+day) }
func (t T) FreeNow() string            { return t.pick("Free GPUs", "空闲 GPU") }
func (t T) OfN(n string) string        { return t.pick("of "+n, "共 "+n) }
func (t T) NothingRuns() string {
	return t.pick("Nothing runs, so nothing costs.", "没有实例在运行，也就没有费用。")
}
func (t T) RentAGPU() string { return t.pick("Rent a GPU", "租用 GPU") }
func (t T) NeedsYou() string { return t.pick("Needs you", "需要你处理") }
func (t T) NothingNeeds() string {
	return t.pick("Nothing waits for you.", "没有需要处理的事项。")
}
func (t T) Lately() string     { return t.pick("Ended lately", "最近结束") }
func (t T) FirstSteps() string { return t.pick("First steps", "入门步骤") }
func (t T) StepRent() string {
	return t.pick("Rent a GPU: one minute is enough to see how it works", "租用一块 GPU：一分钟就能了解流程")
}
func (t T) StepTerminal() string {
	return t.pick("Work in its terminal and watch the charts move", "在终端里工作，观察图表变化")
}
func (t T) StepBench() string {
	return t.pick("Measure this machine with a benchmark", "用基准测试测量这台机器")
}
func (t T) StepBudget() string {
	return t.pick("Set a budget, so that mail comes before it is gone", "设置预算，在用完之前收到邮件提醒")
}
func (t T) StepToken() string {
	return t.pick("Make an API token for the command line", "为命令行创建 API 令牌")
}

// NeedText says what waits for a person; name is what it concerns, share and at are written already.
func (t T) NeedText(kind, name, share, at string) string {
	switch kind {
	case "budget":
		return t.pick("Budget “"+name+"”: "+share+" spent", "预算“"+name+"”已用 "+share)
	case "budget_stop":
		return t.pick("Budget “"+name+"” is used up: what runs on it is stopped at "+at, "预算“"+name+"”已用完：相关实例将于 "+at+" 停止")
	case "ends":
		return t.pick(name+" ends at "+at, name+" 将于 "+at+" 结束")
	case "failed":
		return t.pick(name+" failed", name+" 失败")
	case "unreachable":
		return t.pick(name+" can't be reached; nothing is billed after its last sign of life", name+" 失联；最后一次存活证明之后不计费")
	case "queued":
		return t.pick(name+" waits for a free GPU", name+" 正在等待空闲 GPU")
	case "gpu":
		return t.pick("GPU "+name+" needs a look", "GPU "+name+" 需要检查")
	case "bench":
		return t.pick("Benchmark "+name+" gave no usable result", "基准测试 "+name+" 未得到可用结果")
	}
	return name
}
