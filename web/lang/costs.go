package lang

import (
	"fmt"
	"time"
)

func (t T) CostsTitle() string      { return t.pick("Costs", "费用明细") }
func (t T) CostsMonth() string      { return t.pick("Month", "月份") }
func (t T) CostsBefore() string     { return t.pick("Month before", "上个月") }
func (t T) CostsAfter() string      { return t.pick("Month after", "下个月") }
func (t T) CostsSum() string        { return t.pick("Sum of all bills", "账单合计") }
func (t T) CostsLedger() string     { return t.pick("Ledger total", "总账合计") }
func (t T) CostsDayAverage() string { return t.pick("A day, on average", "日均") }
func (t T) CostsLast() string       { return t.pick("Month before", "上月") }
func (t T) CostsChange() string     { return t.pick("Change", "变化") }
func (t T) CostsMonths() string     { return t.pick("Month by month", "各月费用") }
func (t T) CostsMonthsPlot(months int, most string) string {
	return t.pick(fmt.Sprintf("Costs of the last %d months, at most %s", months, most), fmt.Sprintf("最近 %d 个月的费用，最高 %s", months, most))
}

// ShortMonth is a month without its year.
func (t T) ShortMonth(m time.Month) string {
	return t.pick(m.String()[:3], fmt.Sprintf("%d月", m))
}
func (t T) CostsDays() string  { return t.pick("Day by day", "每日费用") }
func (t T) CostsGroup() string { return t.pick("Group by", "汇总方式") }
func (t T) CostsNone() string {
	return t.pick("Nothing was spent in this month.", "本月没有费用。")
}
func (t T) CostsFOCUS() string   { return t.pick("FOCUS 1.2 (CSV)", "FOCUS 1.2（CSV）") }
func (t T) CostsGPUTime() string { return t.pick("GPU time", "GPU 时长") }
func (t T) CostsShare() string   { return t.pick("Share", "占比") }

// CostsAgree says whether bills and ledger are equal to the last digit.
func (t T) CostsAgree(equal bool) string {
	if equal {
		return t.pick("equal", "一致")
	}
	return t.pick("not equal", "不一致")
}

// CostsBy names a grouping.
func (t T) CostsBy(group string) string {
	switch group {
	case "team":
		return t.pick("Team", "团队")
	case "member":
		return t.pick("Member", "成员")
	case "label":
		return t.pick("Label", "标签")
	case "gpu_model":
		return t.pick("GPU model", "GPU 型号")
	case "instance":
		return t.pick("Instance", "实例")
	}
	return group
}

// CostsNoName names the group of what has no name.
func (t T) CostsNoName(group string) string {
	switch group {
	case "label":
		return t.pick("without a label", "无标签")
	case "gpu_model":
		return t.CPUOnly()
	}
	return t.pick("without a name", "未命名")
}

// CostsPlot says the plot of days to those who don't see it.
func (t T) CostsPlot(month, total string) string {
	return t.pick("Costs a day in "+month+", "+total+" in all", month+"每日费用，共 "+total)
}
