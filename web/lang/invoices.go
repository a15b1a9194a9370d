package lang

func (t T) InvoicesTitle() string { return t.pick("Invoices", "账单") }
func (t T) InvoicesLead() string {
	return t.pick("a month each, issued six hours after its end and never changed", "按月出具，月末六小时后生成，之后不再更改")
}
func (t T) InvoicesNone() string {
	return t.pick("No invoice yet: the first one comes after the end of the first month in which something was used.", "暂无账单：产生费用的首个月份结束后会生成第一份。")
}
func (t T) InvoiceTitle(number string) string { return t.pick("Invoice "+number, "账单 "+number) }
func (t T) InvoiceNumber() string             { return t.pick("Number", "编号") }
func (t T) InvoiceIssued() string             { return t.pick("Issued", "出具时间") }
func (t T) InvoiceTo() string                 { return t.pick("To", "收件团队") }
func (t T) InvoicePeriod() string             { return t.pick("Period", "账期") }
func (t T) InvoiceZone(zone string) string {
	return t.pick("from midnight to midnight in "+zone, "按 "+zone+" 的零点起止")
}
func (t T) InvoiceWhat() string  { return t.pick("What", "项目") }
func (t T) InvoiceExact() string { return t.pick("Exact", "精确金额") }
func (t T) InvoiceRounding(exact string) string {
	return t.pick("The bills add up to "+exact+". Each line is rounded so that the lines add up to the total.", "各实例费用合计 "+exact+"。各行金额取整后之和等于合计。")
}

// InvoiceCorrects says that a line is for an earlier month.
func (t T) InvoiceCorrects(month string) string {
	return t.pick("for "+month+", booked after its invoice", "属于"+month+"，在其账单出具后入账")
}

// InvoiceLineKind says what a line is other than use; corrects is the entry that is put right by hand, "" for none.
func (t T) InvoiceLineKind(kind, corrects string) string {
	if corrects != "" {
		return t.EntryKind(kind) + t.pick(" of entry "+corrects, "，对应分录 "+corrects)
	}
	return t.EntryKind(kind)
}

// EntryKind names a kind of entry of the ledger, or of a line that comes of it.
func (t T) EntryKind(kind string) string {
	switch kind {
	case "use", "usage":
		return t.pick("use", "使用")
	case "minimum":
		return t.pick("minimum", "最低计费")
	case "waiver":
		return t.pick("not charged", "免收")
	case "correction":
		return t.pick("correction", "更正")
	case "fee":
		return t.pick("fee for cancelling late", "逾期取消费")
	case "refund":
		return t.pick("refund", "退款")
	case "credit":
		return t.pick("credit", "抵扣")
	}
	return kind
}

func (t T) DownloadCSV() string { return t.pick("Download CSV", "下载 CSV") }

// CostsPages is the name of the links between the pages about costs.
func (t T) CostsPages() string { return t.pick("About costs", "费用相关") }

// PricesPages is the name of the links between the pages about prices.
func (t T) PricesPages() string { return t.pick("About prices", "价格相关") }

// CostsPage names one of them by its address.
func (t T) CostsPage(path string) string {
	switch path {
	case "/costs":
		return t.pick("Overview", "概览")
	case "/costs/invoices":
		return t.InvoicesTitle()
	case "/costs/waste":
		return t.WasteTitle()
	case "/costs/ledger":
		return t.pick("Ledger", "总账")
	case "/costs/integrity":
		return t.pick("Integrity", "核对")
	case "/admin/prices/replay":
		return t.pick("Replay", "回放")
	case "/admin/prices":
		return t.pick("Prices", "价格")
	}
	return path
}

// errorsOfBooks are about invoices, the ledger and prices.
var errorsOfBooks = map[string]pair{
	"entry_not_found":         {"There is no such entry in the ledger.", "总账中没有该分录。"},
	"correction_kind_unknown": {"It is a correction or a credit.", "只能是更正或抵扣。"},
	"correction_beyond_entry": {"This is more than the entry itself, {amount}. Send it once more if it is meant.", "该金额超过此账目本身（{amount}）。如确需如此，请再提交一次。"},
	"credit_not_negative":     {"A credit lets the team off an amount: it is below zero.", "抵扣会减少团队费用，金额应为负数。"},
	"wrong_signed_amount":     {"This must be an amount with at most six decimals, for example -1.50.", "必须是最多六位小数的金额，例如 -1.50。"},
	"discount_out_of_range":   {"A discount is from 0 to 70 %.", "折扣须在 0 到 70% 之间。"},
	"discount_of_nothing":     {"Choose a team, a pool, or both.", "请选择团队、资源池或两者。"},
	"pool_not_found":          {"There is no such pool.", "没有该资源池。"},
	"terms_wrong":             {"These terms can't be taken.", "无法采用这些期限。"},
	"terms_too_many":          {"There are 20 terms at most.", "最多 20 档期限。"},
	"term_length_wrong":       {"A term is a number of days or of months, at most ten years.", "期限为若干天或若干个月，最长十年。"},
	"terms_none":              {"There is no step. A list without discounts has one step of 0 %.", "没有任何档位。若不打折，请填写一档 0%。"},
	"terms_not_ascending":     {"Each term must be longer than the one before it.", "每档期限须比前一档更长。"},
	"terms_descending":        {"A longer term must not have a smaller discount.", "更长的期限折扣不能更小。"},
	"percent_wrong":           {"This must be per cent with at most four decimals, for example 12.5.", "必须是最多四位小数的百分数，例如 12.5。"},
	"prices_unchanged":        {"No price is other than it is now.", "没有价格发生变化。"},
	"job_running":             {"One runs already; wait for it or cancel it.", "已有一项在进行；请等待完成或取消。"},
	"replay_gpus_wrong":       {"The number of GPUs is from 1 to 100,000.", "GPU 数量须在 1 到 100,000 之间。"},
	"replay_per_node_wrong":   {"GPUs of one node are from 1 to 64.", "每节点 GPU 数须在 1 到 64 之间。"},
	"workload_wrong":          {"This file can't be read as a workload: {why}", "无法将该文件识别为工作负载：{why}"},
	"workload_missing":        {"Choose a CSV file of at most 1 MB.", "请选择不超过 1 MB 的 CSV 文件。"},
	"correction_wrong":        refusedByRule,
}
