package lang

func (t T) LedgerTitle() string { return t.pick("Ledger", "总账") }
func (t T) LedgerLead() string {
	return t.pick("every entry has two sides that add up to zero, and none is ever changed", "每笔分录借贷相抵，且永不更改")
}
func (t T) LedgerNone() string     { return t.pick("No entry matches.", "没有符合条件的分录。") }
func (t T) LedgerByHand() string   { return t.pick("put right by hand", "仅人工更正") }
func (t T) LedgerEntry() string    { return t.pick("Entry", "分录") }
func (t T) LedgerUse() string      { return t.pick("For the use in", "对应使用时段") }
func (t T) LedgerPostings() string { return t.pick("Postings", "记账") }
func (t T) LedgerCorrects(id string) string {
	return t.pick("puts entry "+id+" right", "更正分录 "+id)
}
func (t T) LedgerCorrectedBy(id string) string {
	return t.pick("put right by entry "+id, "已由分录 "+id+" 更正")
}
func (t T) LedgerCorrect() string { return t.pick("Put right…", "更正…") }
func (t T) LedgerCorrectEntry(id string) string {
	return t.pick("Put entry "+id+" right", "更正分录 "+id)
}
func (t T) LedgerCorrectMeans() string {
	return t.pick("The entry stays as it is. Another one is booked for the same day, team and person; it stands with its reason on the team's next invoice. Budgets that fired stay fired.",
		"原分录保持不变。系统会为同一天、同一团队与成员另记一笔，并连同原因列入该团队的下一份账单。已触发的预算提醒不会撤销。")
}
func (t T) LedgerKind() string { return t.pick("Kind", "类型") }
func (t T) LedgerAmount(currency string) string {
	return t.pick("Amount in "+currency, "金额（"+currency+"）")
}
func (t T) LedgerAmountHint() string {
	return t.pick("Below zero the team pays less. Up to six decimals.", "负数表示团队少付。最多六位小数。")
}
func (t T) LedgerNote() string { return t.pick("Reason", "原因") }
func (t T) LedgerBook() string { return t.pick("Book it", "入账") }
func (t T) LedgerBooked(id string) string {
	return t.pick("Booked as entry "+id+".", "已入账，分录 "+id+"。")
}
func (t T) Show() string { return t.pick("Show", "显示") }
