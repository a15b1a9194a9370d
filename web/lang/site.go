package lang

import "fmt"

// Name of the product, in both languages.
const product = "Meterhouse"

func (t T) Product() string          { return product }
func (t T) Title(page string) string { return page + " · " + product }
func (t T) SkipToContent() string    { return t.pick("Skip to content", "跳到正文") }
func (t T) MainMenu() string         { return t.pick("Main menu", "主菜单") }
func (t T) Menu() string             { return t.pick("Menu", "菜单") }
func (t T) NavHome() string          { return t.pick("Home", "首页") }
func (t T) NavUse() string           { return t.pick("Use", "使用") }
func (t T) NavRent() string          { return t.pick("Rent", "租用") }
func (t T) NavInstances() string     { return t.pick("Instances", "实例") }
func (t T) NavWatch() string         { return t.pick("Watch", "监控") }
func (t T) NavFleet() string         { return t.pick("Fleet", "GPU 总览") }
func (t T) NavBench() string         { return t.pick("Benchmarks", "基准测试") }
func (t T) NavMoney() string         { return t.pick("Money", "费用") }
func (t T) NavCosts() string         { return t.pick("Costs", "费用明细") }
func (t T) NavBudgets() string       { return t.pick("Budgets", "预算") }
func (t T) NavSite() string          { return t.pick("Site", "站点") }
func (t T) NavSettings() string      { return t.pick("Settings", "设置") }
func (t T) SignOut() string          { return t.pick("Sign out", "退出登录") }
func (t T) Team() string             { return t.pick("Team", "团队") }
func (t T) Cancel() string           { return t.pick("Cancel", "取消") }
func (t T) Save() string             { return t.pick("Save", "保存") }
func (t T) Delete() string           { return t.pick("Delete", "删除") }
func (t T) Edit() string             { return t.pick("Edit", "修改") }
func (t T) Undo() string             { return t.pick("Undo", "撤销") }
func (t T) Copy() string             { return t.pick("Copy", "复制") }
func (t T) Copied() string           { return t.pick("Copied", "已复制") }
func (t T) Refresh() string          { return t.pick("Refresh", "刷新") }
func (t T) Name() string             { return t.pick("Name", "名称") }
func (t T) Status() string           { return t.pick("Status", "状态") }
func (t T) Action() string           { return t.pick("Action", "操作") }
func (t T) NextPage() string         { return t.pick("Next page", "下一页") }
func (t T) FirstPage() string        { return t.pick("First page", "回到第一页") }
func (t T) All() string              { return t.pick("All", "全部") }
func (t T) Simulated() string        { return t.pick("simulated", "模拟") }

// InBrackets is what is added to a word, with the space that the language has before it.
func (t T) InBrackets(text string) string { return t.pick(" ("+text+")", "（"+text+"）") }

// Named is the name of a model or a node, which says of what is simulated that it is.
func (t T) Named(name string, simulated bool) string {
	if simulated {
		return name + t.InBrackets(t.Simulated())
	}
	return name
}

func (t T) Done() string    { return t.pick("done", "已完成") }
func (t T) ToDo() string    { return t.pick("to do", "待完成") }
func (t T) Now() string     { return t.pick("now", "现在") }
func (t T) You() string     { return t.pick("you", "你") }
func (t T) Since() string   { return t.pick("since", "始于") }
func (t T) Total() string   { return t.pick("Total", "合计") }
func (t T) CPUOnly() string { return t.pick("CPU only", "仅 CPU") }
func (t T) Node() string    { return t.pick("node", "节点") }

// SimulatedNote says once on a page that nothing here is real hardware.
func (t T) SimulatedNote() string {
	return t.pick("This machine has no GPU that Meterhouse can read, so its GPUs are simulated: their load follows what your own processes do here. Nothing measured on them counts as a score.",
		"这台机器上没有 Meterhouse 能读取的 GPU，因此这里的 GPU 是模拟的：负载跟随你自己的进程在本机上的实际活动。在模拟 GPU 上测得的数据不作为成绩。")
}

// TimesIn names the zone of all times on a page.
func (t T) TimesIn(zone string) string {
	return t.pick("Times in "+zone, "时间均为 "+zone)
}

// Ago says how long something lies back.
func (t T) Ago(duration string) string { return t.pick(duration+" ago", duration+"前") }

// TeamBudget is the line at the foot of the navigation.
func (t T) TeamBudget(spent, limit, period string) string {
	switch period {
	case "day":
		return t.pick(spent+" of "+limit+" today", "今日已用 "+spent+"，预算 "+limit)
	case "week":
		return t.pick(spent+" of "+limit+" this week", "本周已用 "+spent+"，预算 "+limit)
	case "month":
		return t.pick(spent+" of "+limit+" this month", "本月已用 "+spent+"，预算 "+limit)
	case "quarter":
		return t.pick(spent+" of "+limit+" this quarter", "本季度已用 "+spent+"，预算 "+limit)
	}
	return t.pick(spent+" of "+limit, "已用 "+spent+"，预算 "+limit)
}

// NoBudget is shown where a team has none.
func (t T) NoBudget() string { return t.pick("no budget set", "未设预算") }

// BudgetUsed is what a bar says to those who don't see it.
func (t T) BudgetUsed(percent string) string {
	return t.pick(percent+" of the budget is spent", "预算已用 "+percent)
}

// GPUs counts GPUs.
func (t T) GPUs(n int) string {
	if n == 1 {
		return t.pick("1 GPU", "1 块 GPU")
	}
	return t.pick(fmt.Sprintf("%d GPUs", n), fmt.Sprintf("%d 块 GPU", n))
}

// CPUs counts processor cores.
func (t T) CPUs(n int) string {
	if n == 1 {
		return t.pick("1 CPU core", "1 个 CPU 核")
	}
	return t.pick(fmt.Sprintf("%d CPU cores", n), fmt.Sprintf("%d 个 CPU 核", n))
}

// Instances counts instances.
func (t T) Instances(n int) string {
	if n == 1 {
		return t.pick("1 instance", "1 个实例")
	}
	return t.pick(fmt.Sprintf("%d instances", n), fmt.Sprintf("%d 个实例", n))
}

// Role is what a person may do.
func (t T) Role(role string) string {
	switch role {
	case "viewer":
		return t.pick("viewer", "只读成员")
	case "member":
		return t.pick("member", "成员")
	case "manager":
		return t.pick("manager", "团队管理者")
	case "admin":
		return t.pick("admin", "站点管理员")
	}
	return role
}
