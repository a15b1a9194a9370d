package lang

import "fmt"

func (t T) PricesTitle() string { return t.pick("Prices", "价格") }
func (t T) PricesLead() string {
	return t.pick("what is new costs these prices; what runs keeps the one it began with", "新租用按此价格计费；运行中的实例沿用开始时的价格")
}
func (t T) PricesList() string  { return t.pick("On demand, an hour", "按需价格（每小时）") }
func (t T) PricesPlan() string  { return t.pick("Plan", "方案") }
func (t T) PricesNow() string   { return t.pick("Price now", "当前价格") }
func (t T) PricesSince() string { return t.pick("Since", "生效时间") }
func (t T) PricesNew() string   { return t.pick("New price", "新价格") }
func (t T) PricesVersion(version int64, by string) string {
	if by == "" {
		return t.pick(fmt.Sprintf("version %d", version), fmt.Sprintf("第 %d 版", version))
	}
	return t.pick(fmt.Sprintf("version %d, by %s", version, by), fmt.Sprintf("第 %d 版，%s", version, by))
}
func (t T) PricesNext(amount, at string) string {
	return t.pick(amount+" from "+at, at+" 起 "+amount)
}
func (t T) PricesFirst() string  { return t.pick("from the beginning", "自始") }
func (t T) PricesStarts() string { return t.pick("Begins", "生效时间") }
func (t T) PricesStartsHint() string {
	return t.pick("In the site's time zone; empty: at once.", "按站点时区；留空表示立即生效。")
}
func (t T) PricesTry() string     { return t.pick("Try on last month's use", "按上月用量试算") }
func (t T) PricesPublish() string { return t.pick("Publish", "发布") }
func (t T) PricesTrial() string {
	return t.pick("What last month's use would have cost", "上月用量按新价格试算")
}
func (t T) PricesTrialNote(changes int) string {
	if changes == 1 {
		return t.pick("1 price changed; nothing is published yet", "1 项价格有变；尚未发布")
	}
	return t.pick(fmt.Sprintf("%d prices changed; nothing is published yet", changes), fmt.Sprintf("%d 项价格有变；尚未发布", changes))
}
func (t T) PricesTrialNone() string {
	return t.pick("Nothing was used last month that these prices are for.", "上月没有适用这些价格的用量。")
}
func (t T) PricesTrialMeans() string {
	return t.pick("Discounts as they were, spot at its share of the price on demand; reservations keep what was agreed.", "折扣按当时计算，竞价按其与按需价的比例计算；预留沿用已约定的价格。")
}
func (t T) PricesWas() string     { return t.pick("Was", "原费用") }
func (t T) PricesWouldBe() string { return t.pick("Would be", "试算费用") }
func (t T) PricesPublished(n string) string {
	return t.pick("Published: "+n+".", "已发布："+n+"。")
}

func (t T) DiscountsTitle() string { return t.pick("Discounts", "折扣") }
func (t T) DiscountsMeans() string {
	return t.pick("On demand and reserved; of several the most specific one holds, and they are never added. Spot has its own price.", "适用于按需与预留；多条规则并存时取最具体的一条，不叠加。竞价另行定价。")
}
func (t T) DiscountsNone() string {
	return t.pick("Everybody pays the list price.", "所有团队均按价目表付费。")
}
func (t T) EveryTeam() string { return t.pick("every team", "所有团队") }
func (t T) EveryPool() string { return t.pick("every pool", "所有资源池") }
func (t T) Pool() string      { return t.pick("Pool", "资源池") }
func (t T) Discount() string  { return t.pick("Discount", "折扣") }
func (t T) DiscountPercent() string {
	return t.pick("Discount in %", "折扣（%）")
}
func (t T) DiscountHint() string {
	return t.pick("0 to 70; empty ends the rule.", "0 到 70；留空表示终止该规则。")
}

// LessDiscount says what a rate comes from.
func (t T) LessDiscount(list, percent string) string {
	return t.pick("List price "+list+" an hour, less your team's "+percent, "价目 "+list+"/小时，减去团队折扣 "+percent)
}
func (t T) DiscountSet() string           { return t.pick("Set discount", "设置折扣") }
func (t T) DiscountEnds() string          { return t.pick("ends", "终止") }
func (t T) DiscountFrom(at string) string { return t.pick("from "+at, at+" 起") }
func (t T) DiscountSaved() string {
	return t.pick("The discount is set; what runs keeps its price.", "折扣已设置；运行中的实例价格不变。")
}

func (t T) TermsTitle() string {
	return t.pick("Discounts by length of a reservation", "预留期限折扣")
}
func (t T) TermsMeans() string {
	return t.pick("A reservation gets the largest discount whose length it reaches; a team's own is taken off what that leaves, together at most 70 %.", "预留按其达到的最长期限享受折扣；团队折扣在此基础上再折，合计最多 70%。")
}
func (t T) TermLength(days, months int) string {
	switch {
	case days == 1:
		return t.pick("1 day", "1 天")
	case days > 0:
		return t.pick(fmt.Sprintf("%d days", days), fmt.Sprintf("%d 天", days))
	case months == 1:
		return t.pick("1 month", "1 个月")
	}
	return t.pick(fmt.Sprintf("%d months", months), fmt.Sprintf("%d 个月", months))
}
func (t T) TermStep(n int) string {
	return t.pick(fmt.Sprintf("Step %d: length", n), fmt.Sprintf("第 %d 档：期限", n))
}
func (t T) TermUnit(n int) string {
	return t.pick(fmt.Sprintf("Step %d: unit", n), fmt.Sprintf("第 %d 档：单位", n))
}
func (t T) TermPercent(n int) string {
	return t.pick(fmt.Sprintf("Step %d: discount in %%", n), fmt.Sprintf("第 %d 档：折扣（%%）", n))
}
func (t T) TermDays() string            { return t.pick("days", "天") }
func (t T) TermMonths() string          { return t.pick("months", "个月") }
func (t T) TermsLength() string         { return t.pick("Length from", "期限不少于") }
func (t T) TermsSet() string            { return t.pick("Publish these terms", "发布期限折扣") }
func (t T) TermsLater(at string) string { return t.pick("From "+at+" on:", at+" 起：") }
func (t T) TermsSaved() string {
	return t.pick("The terms are published; what is reserved keeps its own.", "期限折扣已发布；已有预留不受影响。")
}

func (t T) SpotMinimumTitle() string { return t.pick("Least price of spot", "竞价最低价") }
func (t T) SpotMinimumMeans() string {
	return t.pick("In per cent of the price on demand, 10 to 100. The price goes there at its own pace, at most 2 % every 5 minutes.", "按需价的百分比，10 到 100。价格将逐步调整，每 5 分钟最多 2%。")
}
func (t T) SpotMinimumPercent() string { return t.pick("At least, in %", "最低比例（%）") }
func (t T) SpotMinimumSaved() string {
	return t.pick("The least price of spot is set.", "竞价最低价已设置。")
}
