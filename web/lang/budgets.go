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
func (t T) BudgetFired(name, percent, spent, limit string, forecast bool) string {
	if forecast {
		return t.pick(name+" is expected to cross "+percent+": "+spent+" of "+limit+".", name+" 预计将越过 "+percent+"："+spent+"，预算 "+limit+"。")
	}
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
		return t.pick("rolling days", "滚动天数")
	}
	return period
}
func (t T) PeriodDays(days string) string {
	return t.pick("the last "+days+" days", "最近 "+days+" 天")
}
func (t T) BudgetForecasts() string { return t.pick("Expected", "预计") }
func (t T) BudgetExpected() string  { return t.pick("expected at the end", "预计期末") }
func (t T) BudgetStops() string {
	return t.pick("The limit is reached: what runs on it is stopped in", "已到限额：相关实例将于以下时间后停止：")
}
func (t T) InstanceBudgetStops(budget string) string {
	return t.pick("The budget "+budget+" is used up. This instance is stopped in", "预算 "+budget+" 已用完。此实例将于以下时间后停止：")
}
func (t T) BudgetStopsUnless() string {
	return t.pick("unless the limit is raised or the budget is deleted before.", "在此之前提高额度或删除预算即可取消。")
}

// BudgetInForce says what holds now that the limit is reached.
func (t T) BudgetInForce(action string) string {
	switch action {
	case "block":
		return t.pick("The limit is reached: nothing new can be rented on it.", "已到限额：不能新租实例。")
	case "spot_only":
		return t.pick("The limit is reached: only spot instances can be rented on it.", "已到限额：仅可租用竞价实例。")
	case "stop":
		return t.pick("The limit is reached: nothing runs on it, and nothing new can be rented.", "已到限额：相关实例已停止，不能新租实例。")
	}
	return t.pick("The limit is reached.", "已到限额。")
}
func (t T) BudgetLabelField() string {
	return t.pick("Only with the label", "仅限带有标签")
}
func (t T) BudgetDaysField() string {
	return t.pick("Days, if it rolls", "滚动天数")
}
func (t T) BudgetForecastsField() string {
	return t.pick("Thresholds of the forecast in %", "预测阈值（%）")
}
func (t T) BudgetForecastsHint() string {
	return t.pick("Mail comes when the end of the period is expected to cross them, as the last 7 days went. Empty: none.", "按最近 7 天的花费预计期末将越过时发送邮件。留空则不预测。")
}
func (t T) BudgetEmailsField() string { return t.pick("Mail to", "收件人") }
func (t T) BudgetEmailsHint() string {
	return t.pick("Addresses with commas between. Empty: the member, or the team's managers.", "多个地址以逗号分隔。留空则发送给该成员或团队管理者。")
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
	return t.pick("Up to 50 they show on the page, above they come by mail. Each fires once a period.", "50 及以下仅在页面显示，以上发送邮件；每个周期各触发一次。")
}
func (t T) BudgetActionField() string { return t.pick("At the limit", "到限时") }
func (t T) BudgetSaved(name string) string {
	return t.pick("The budget "+name+" is saved.", "预算 "+name+" 已保存。")
}
func (t T) BudgetDeleted(name string) string {
	return t.pick("The budget "+name+" is deleted.", "预算 "+name+" 已删除。")
}
