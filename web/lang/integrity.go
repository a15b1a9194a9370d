package lang

func (t T) IntegrityTitle() string { return t.pick("Integrity of the books", "账目核对") }
func (t T) IntegrityLead() string {
	return t.pick("every bill folded anew from its segments and held against the books",
		"逐一按计费时段重新计算每份费用，并与账目比对")
}
func (t T) IntegrityStart() string { return t.pick("Check now", "立即核对") }
func (t T) IntegrityNever() string {
	return t.pick("Nothing was checked yet. It looks whether each bill is what its segments add up to, whether all postings add up to zero, and whether the totals of each day are what their entries add up to.",
		"尚未核对过。将核对：每份费用是否等于其计费时段之和，所有记账之和是否为零，每日合计是否等于其分录之和。")
}
func (t T) IntegrityProgress(done, total string) string {
	return t.pick(done+" of "+total+" bills", "已核对 "+done+" / "+total+" 份")
}
func (t T) IntegrityResult() string { return t.pick("Result", "结果") }
func (t T) IntegrityOK(ok bool) string {
	if ok {
		return t.pick("all equal", "全部一致")
	}
	return t.pick("a difference", "存在差异")
}
func (t T) IntegrityBills() string { return t.pick("Bills compared", "已比对") }
func (t T) IntegrityOf(instances, reservations string) string {
	return t.pick(instances+" of instances, "+reservations+" of reservations", "实例 "+instances+"，预留 "+reservations)
}
func (t T) IntegrityWhen() string    { return t.pick("Last checked", "上次核对") }
func (t T) IntegrityDiffers() string { return t.pick("The first difference:", "首个差异：") }
func (t T) IntegrityWhatNow() string {
	return t.pick("Nothing was changed. Keep a backup of the data directory, and run “meterhouse doctor ledger” to see the same on the command line.", "未做任何更改。请备份数据目录，并可用“meterhouse doctor ledger”在命令行查看相同结果。")
}
func (t T) IntegrityRuns() string { return t.pick("Checks", "核对记录") }

// JobStatus is where long work stands.
func (t T) JobStatus(status string) string {
	switch status {
	case "queued":
		return t.pick("waits to begin", "等待开始")
	case "running":
		return t.pick("is being checked", "核对中")
	case "done":
		return t.pick("done", "已完成")
	case "failed":
		return t.pick("failed", "失败")
	case "cancelled":
		return t.pick("given up", "已取消")
	}
	return status
}
