package lang

// errorsOfCalendar are about reservations that are made or changed on the calendar, and the feeds of it.
var errorsOfCalendar = map[string]pair{
	"notice_stays":        refusedByRule,
	"reservation_over":    {"The reservation {name} is over or was given up.", "预留 {name} 已结束或已放弃。"},
	"extension_not_later": {"The new end must be later than the end that it has.", "新的结束时间必须晚于当前的结束时间。"},
	"extension_no_room":   {"Its GPUs are not free after its end, and no other time is known to be.", "结束后其 GPU 不空闲，也没有已知的其他空闲时段。"},
	"extension_overlaps":  {"Its GPUs are not free after its end. GPUs like them are free from {nearest_start} to {nearest_end}.", "结束后其 GPU 不空闲。同类 GPU 在 {nearest_start} 至 {nearest_end} 空闲。"},
	"extension_partly":    {"Its GPUs are free only until {until}.", "其 GPU 仅空闲至 {until}。"},
	"price_changed_since": {"This price was changed since you opened the form. Look at what it is now and publish again.", "您打开表单后，该价格已被更改。请查看现在的价格后再次发布。"},
	"terms_changed":       {"The terms were changed since you opened the form. Look at what they are now and save again.", "您打开表单后，期限折扣已被更改。请查看现在的内容后再次保存。"},
	"discount_changed":    {"This discount was changed since you opened the form. Look at what it is now and save again.", "您打开表单后，该折扣已被更改。请查看现在的内容后再次保存。"},
	"price_changed":       {"The price is another one now. Look at it and click again.", "价格已变动。请查看后再次点击。"},
	"beyond_reservation":  {"It uses the reservation {name}, which ends at {until}. Extend the reservation first.", "该实例使用预留 {name}，其于 {until} 结束。请先延长预留。"},
	"hour_twice":          {"The clocks show this hour twice on that day. Say which one is meant.", "当天该小时会出现两次，请选择其中一次。"},
	"wall_wrong":          {"A date and a time are needed, for example 2026-12-02T09:00.", "请填写日期与时间，例如 2026-12-02T09:00。"},
	"feed_unknown":        {"This calendar address is not known, or was revoked.", "该日历地址无效或已撤销。"},
	"feed_shown_before":   {"This calendar address was shown before and can't be shown again. Make another.", "该日历地址已显示过，无法再次显示。请重新创建。"},
	"feed_not_found":      {"There is no such calendar address.", "没有该日历地址。"},
	"too_many_feeds":      {"There are many calendar addresses already. Revoke some first.", "日历地址过多，请先撤销一些。"},
}
