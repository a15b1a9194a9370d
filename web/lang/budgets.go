package lang

// errorsOfBudgets say what a budget that is used up refuses: which it is, what is spent, until when, and who can raise it.
var errorsOfBudgets = map[string]pair{
	"budget_blocks": {"The budget {budget} is used up: {spent} of {limit}. Nothing new can be rented on it until {until}, unless it is raised, by: {raised_by}.",
		"预算 {budget} 已用完：已用 {spent}，额度 {limit}。{until} 之前不能新租实例，除非由 {raised_by} 提高额度。"},
	"budget_spot_only": {"The budget {budget} is used up: {spent} of {limit}. Only spot instances can be rented on it until {until}, unless it is raised, by: {raised_by}.",
		"预算 {budget} 已用完：已用 {spent}，额度 {limit}。{until} 之前仅可租用竞价实例，除非由 {raised_by} 提高额度。"},
	"budget_blocks_rolling": {"The budget {budget} is used up: {spent} of {limit} in {days} days. Nothing new can be rented on it until the last {days} days cost less, or it is raised, by: {raised_by}.",
		"预算 {budget} 已用完：{days} 天内已用 {spent}，额度 {limit}。在最近 {days} 天的花费低于额度之前不能新租实例，或由 {raised_by} 提高额度。"},
	"budget_spot_only_rolling": {"The budget {budget} is used up: {spent} of {limit} in {days} days. Only spot instances can be rented on it until the last {days} days cost less, or it is raised, by: {raised_by}.",
		"预算 {budget} 已用完：{days} 天内已用 {spent}，额度 {limit}。在最近 {days} 天的花费低于额度之前仅可租用竞价实例，或由 {raised_by} 提高额度。"},
}

func (t T) BudgetsTitle() string { return t.pick("Budgets", "预算") }
func (t T) BudgetsLead() string {
	return t.pick("mail comes before a budget is gone", "预算用完之前会发送邮件")
}
func (t T) BudgetsNow() string { return t.pick("In this period", "本周期") }
func (t T) BudgetsNone() string {
	return t.pick("There is no budget, so nothing warns and nothing is blocked.", "尚未设置预算，因此不会有提醒或限制。")
}
func (t T) BudgetsFired() string { return t.pick("What fired", "已触发") }
func (t T) BudgetsNotFired() string {
	return t.pick("No threshold was crossed yet.", "尚未越过任何阈值。")
}
func (t T) BudgetFired(name, percent, spent, limit string) string {
	return t.pick(name+" crossed "+percent+": "+spent+" of "+limit+".", name+" 已越过 "+percent+"："+spent+"，预算 "+limit+"。")
}
func (t T) BudgetFiredShort() string { return t.pick("crossed", "已越过") }
func (t T) BudgetMailState(state string) string {
	switch state {
	case "waiting":
		return t.pick("The mail waits to be sent.", "邮件等待发送。")
	case "sent":
		return t.pick("Mail was sent.", "邮件已发送。")
	case "dead":
		return t.pick("The mail could not be sent.", "邮件发送失败。")
	}
	return ""
}
func (t T) BudgetScope(scope string) string {
	switch scope {
	case "team":
		return t.pick("team", "团队")
	case "member":
		return t.pick("member", "成员")
	case "label":
		return t.pick("label", "标签")
	}
	return scope
}
func (t T) Period(period string) string {
	switch period {
	case "day":
		return t.pick("a day", "每日")
	case "week":
		return t.pick("a week", "每周")
	case "month":
		return t.pick("a month", "每月")
	case "quarter":
		return t.pick("a quarter", "每季度")
	case "rolling":
		return t.pick("rolling", "滚动周期")
	}
	return period
}
func (t T) PeriodHeading() string    { return t.pick("Period", "周期") }
func (t T) BudgetThresholds() string { return t.pick("Thresholds", "阈值") }
func (t T) BudgetAction(action string) string {
	switch action {
	case "notify":
		return t.pick("mail only", "仅邮件通知")
	case "block":
		return t.pick("at the limit, no new instance", "到限后禁止新建实例")
	case "spot_only":
		return t.pick("at the limit, spot only", "到限后仅允许竞价")
	case "stop":
		return t.pick("at the limit, stop what runs", "到限后停止运行中的实例")
	}
	return action
}
func (t T) BudgetForecast(amount string) string {
	return t.pick(amount+" expected at the end", "预计期末 "+amount)
}
func (t T) EditName(name string) string   { return t.pick("Edit "+name, "修改 "+name) }
func (t T) DeleteName(name string) string { return t.pick("Delete "+name, "删除 "+name) }
func (t T) BudgetDeleteAsk(name string) string {
	return t.pick("Delete the budget "+name+"?", "删除预算 "+name+"？")
}
func (t T) BudgetDeleteMeans() string {
	return t.pick("It warns and blocks no more. What was spent and what fired stays in the books.", "删除后不再提醒或限制；已有的花费与触发记录仍保留。")
}
func (t T) BudgetFormTitle(edit bool) string {
	if edit {
		return t.pick("Change the budget", "修改预算")
	}
	return t.pick("New budget", "新建预算")
}
func (t T) BudgetFor() string { return t.pick("For", "对象") }
func (t T) BudgetLimit(currency string) string {
	return t.pick("Limit in "+currency, "额度（"+currency+"）")
}
func (t T) BudgetThresholdsField() string { return t.pick("Thresholds in %", "阈值（%）") }
func (t T) BudgetThresholdsHint() string {
	return t.pick("Under 80 they show on the page, from 80 on they come by mail. Each fires once a period.", "低于 80 的仅在页面显示，80 及以上发送邮件；每个周期各触发一次。")
}
func (t T) BudgetActionField() string { return t.pick("At the limit", "到限时") }
func (t T) BudgetSaved(name string) string {
	return t.pick("The budget "+name+" is saved.", "预算 "+name+" 已保存。")
}
func (t T) BudgetDeleted(name string) string {
	return t.pick("The budget "+name+" is deleted.", "预算 "+name+" 已删除。")
}
