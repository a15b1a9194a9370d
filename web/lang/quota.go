package lang

// errorsOfQuotas say which quota is in the way, how much is used of it, and who can raise it.
var errorsOfQuotas = map[string]pair{
	"quota_gpus":              {"The limit of {whose} is {limit} GPUs at once: {used} are in use, and with this it would be {would}. Who can raise it: {raised_by}.", "{whose} 同时最多使用 {limit} 块 GPU：已用 {used} 个，加上本次共 {would} 个。可提高上限者：{raised_by}。"},
	"quota_instances":         {"The limit of {whose} is {limit} instances at once: there are {used}, and with this it would be {would}. Who can raise it: {raised_by}.", "{whose} 同时最多运行 {limit} 个实例：已有 {used} 个，加上本次共 {would} 个。可提高上限者：{raised_by}。"},
	"quota_rate":              {"The limit of {whose} is {limit} an hour for all that runs: it is {used} now, and with this it would be {would}. Who can raise it: {raised_by}.", "{whose} 运行中的总价格上限为每小时 {limit}：目前为 {used}，加上本次为 {would}。可提高上限者：{raised_by}。"},
	"quota_gpus_later":        {"The limit of {whose} is {limit} GPUs at once: from {at} on {used} are reserved or in use without an end, and with this it would be {would}. Give it an end before that. Who can raise it: {raised_by}.", "{whose} 同时最多使用 {limit} 块 GPU：自 {at} 起已有 {used} 个被预留或无结束时间地使用，加上本次共 {would} 个。请设置更早的结束时间。可提高上限者：{raised_by}。"},
	"quota_instances_later":   {"The limit of {whose} is {limit} instances at once: from {at} on there are {used}, and with this it would be {would}. Who can raise it: {raised_by}.", "{whose} 同时最多运行 {limit} 个实例：自 {at} 起已有 {used} 个，加上本次共 {would} 个。可提高上限者：{raised_by}。"},
	"quota_rate_later":        {"The limit of {whose} is {limit} an hour for all that runs: from {at} on it is {used}, and with this it would be {would}. Give it an end before that. Who can raise it: {raised_by}.", "{whose} 运行中的总价格上限为每小时 {limit}：自 {at} 起为 {used}，加上本次为 {would}。请设置更早的结束时间。可提高上限者：{raised_by}。"},
	"quota_term":              {"The limit of {whose} is {limit} hours for one instance; this would be {would}. Who can raise it: {raised_by}.", "{whose} 单个实例最长 {limit} 小时；本次为 {would} 小时。可提高上限者：{raised_by}。"},
	"quota_term_open":         {"The limit of {whose} is {limit} hours for one instance: give the hours after which it ends. Who can raise it: {raised_by}.", "{whose} 单个实例最长 {limit} 小时：请填写结束前的时数。可提高上限者：{raised_by}。"},
	"quota_spot_only":         {"Nothing but spot instances may be rented by {whose}. Who can lift that: {raised_by}.", "{whose} 只能租用竞价实例。可解除此限制者：{raised_by}。"},
	"quota_hours":             {"On demand is not allowed to {whose} at this hour; the next time is {allowed}. Who can lift that: {raised_by}.", "{whose} 在此时段不可按需租用；下次可用时间为 {allowed}。可解除此限制者：{raised_by}。"},
	"quota_hours_never":       {"On demand is allowed to {whose} at no hour of the week. Who can lift that: {raised_by}.", "{whose} 在一周内任何时段都不可按需租用。可解除此限制者：{raised_by}。"},
	"quota_not_found":         {"There is no such limit any more.", "该配额已不存在。"},
	"quota_request_not_found": {"There is no such request.", "没有该申请。"},
	"quota_grant_not_found":   {"There is nothing granted there any more.", "该授权已不存在。"},
	"quota_stays":             {"A limit that was taken away can't be changed.", "已取消的配额不能再修改。"},
	"quota_needs_manager":     {"Limits are set by a manager of the team, those of the team itself by an admin.", "配额由团队管理者设置，团队自身的配额由管理员设置。"},
	"quota_needs_admin":       {"The limits of a team are set and raised by an admin.", "团队配额由管理员设置与提高。"},
	"quota_not_own":           {"Nobody sets or raises their own limit but an admin. Ask another manager.", "除管理员外，任何人都不能设置或提高自己的配额。请联系其他管理者。"},
	"quota_above_team":        {"The team's own limit is {limit}: a member's can't be more.", "团队自身的配额为 {limit}：成员配额不能超过它。"},
	"quota_kind_unknown":      {"There is no such limit.", "没有该类配额。"},
	"quota_not_yours":         {"This limit is not in your way.", "该配额与你无关。"},
	"quota_asked_already":     {"You have asked for this already; it waits for a decision.", "你已提交过该申请，正在等待决定。"},
	"quota_asks_no_more":      {"Ask for more than the limit, which is {limit}.", "申请的数量须高于现有配额 {limit}。"},
	"request_is_decided":      {"This request is decided already.", "该申请已经处理。"},
	"quota_thousandths":       {"A limit of GPUs is in thousandths: 4 GPUs are 4000.", "GPU 限额以千分之一为单位：4 块 GPU 写作 4000。"},
	"quota_limit_wrong":       {"This must be a number, 0 or more, as fine as its unit goes.", "必须是不小于 0 的数字，精度不超过其单位。"},
	"member_not_found":        {"There is no such member of the team.", "团队中没有该成员。"},
}

func (t T) NavQuotas() string   { return t.pick("Quotas", "配额") }
func (t T) QuotasTitle() string { return t.pick("Quotas", "配额") }
func (t T) QuotasLead() string {
	return t.pick("what may be used at once, for how long and when", "同时可用的数量、时长与时段")
}
func (t T) QuotasNow() string { return t.pick("Limits and what is used now", "上限与当前用量") }
func (t T) QuotasNone() string {
	return t.pick("There is no limit: what is free can be rented.", "没有设置上限：空闲资源均可租用。")
}
func (t T) QuotaWhole() string { return t.pick("whole team", "整个团队") }
func (t T) QuotaYou() string   { return t.pick("you", "你") }
func (t T) QuotaKind(kind string) string {
	switch kind {
	case "gpus":
		return t.pick("GPUs at once", "同时使用的 GPU")
	case "instances":
		return t.pick("instances at once", "同时运行的实例")
	case "rate":
		return t.pick("running rate an hour", "运行中的每小时价格")
	case "term":
		return t.pick("longest term", "最长时间")
	case "spot_only":
		return t.pick("spot only", "仅限竞价实例")
	case "hours":
		return t.pick("hours of on demand", "按需租用时段")
	}
	return kind
}
func (t T) QuotaUsed(percent string) string { return t.pick(percent+" is used", "已用 "+percent) }
func (t T) QuotaAtMost(limit string) string { return t.pick("at most "+limit, "最多 "+limit) }
func (t T) QuotaNever() string              { return t.pick("at no hour", "任何时段都不可") }
func (t T) QuotaRaised(limit, until, who string) string {
	return t.pick("raised to "+limit+" until "+until+", for "+who, "已提高到 "+limit+"，至 "+until+"，申请人 "+who)
}
func (t T) QuotaLifted(until, who string) string {
	return t.pick("lifted until "+until+", for "+who, "已解除，至 "+until+"，申请人 "+who)
}
func (t T) QuotaTakeBack() string { return t.pick("Take back", "收回") }
func (t T) QuotaTakeBackOf(name string) string {
	return t.pick("Take back what "+name+" was granted", "收回给 "+name+" 的授权")
}
func (t T) QuotaAskMore() string { return t.pick("Ask for more", "申请提高") }
func (t T) QuotaAskMoreOf(name string) string {
	return t.pick("Ask for more: "+name, "申请提高："+name)
}
func (t T) QuotaDeleteAsk(name string) string {
	return t.pick("Take away the limit "+name+"?", "取消配额“"+name+"”？")
}
func (t T) QuotaDeleteMeans() string {
	return t.pick("Nothing holds it back then. What was asked about it needs no decision any more.", "此后不再限制，相关申请也无须处理。")
}
func (t T) QuotaFormTitle() string { return t.pick("Set a limit", "设置配额") }
func (t T) QuotaFormNote() string {
	return t.pick("There is one limit of a kind for a team, a member, or either in one pool: setting it again changes it. 0 allows nothing.", "每个团队、成员或其在单个资源池中，同类配额只有一个；再次设置即为修改。0 表示完全不允许。")
}
func (t T) QuotaFor() string      { return t.pick("For", "对象") }
func (t T) QuotaPool() string     { return t.pick("Pool", "资源池") }
func (t T) QuotaAllPools() string { return t.pick("all pools", "全部资源池") }
func (t T) QuotaWhat() string     { return t.pick("What is limited", "限制内容") }
func (t T) QuotaLimit() string    { return t.pick("Limit", "上限") }
func (t T) QuotaLimitHint(currency string) string {
	return t.pick("A number of GPUs or instances, "+currency+" an hour, or hours of the longest term. Spot only has none.", "GPU 或实例数量、每小时金额（"+currency+"）或最长小时数。仅限竞价实例时不填。")
}
func (t T) QuotaDays() string { return t.pick("On demand is allowed on", "可按需租用的日期") }
func (t T) QuotaFrom() string { return t.pick("From hour", "开始（时）") }
func (t T) QuotaTo() string   { return t.pick("To hour", "结束（时）") }
func (t T) QuotaHoursNote() string {
	return t.pick("Only for hours of on demand. An end that is not after the begin is on the next day.", "仅用于按需租用时段。结束不晚于开始时，表示次日。")
}
func (t T) QuotaWeekday(day int) string {
	return t.pick([...]string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}[day%7], zhWeekdays[day%7])
}
func (t T) QuotaAskTitle() string { return t.pick("Ask for more", "申请提高配额") }
func (t T) QuotaAskNote(who string) string {
	return t.pick("It goes to "+who+", who can grant it with a click, for a time.", "申请将发送给 "+who+"，对方可一键在限定时间内批准。")
}
func (t T) QuotaWanted(unit string) string {
	return t.pick("Limit that you need ("+unit+")", "需要的上限（"+unit+"）")
}
func (t T) QuotaUnit(kind, currency string) string {
	switch kind {
	case "gpus":
		return t.pick("GPUs", "GPU 数")
	case "instances":
		return t.pick("instances", "实例数")
	case "rate":
		return t.pick(currency+" an hour", "每小时 "+currency)
	case "term":
		return t.pick("hours", "小时")
	}
	return ""
}
func (t T) QuotaForHours() string { return t.pick("For how many hours", "时长（小时）") }
func (t T) QuotaWhy() string      { return t.pick("Why", "理由") }
func (t T) QuotaSend() string     { return t.pick("Send the request", "提交申请") }
func (t T) QuotaSaved() string    { return t.pick("The limit is set.", "配额已设置。") }
func (t T) QuotaEnded() string    { return t.pick("The limit is taken away.", "配额已取消。") }
func (t T) QuotaAsked() string {
	return t.pick("The request is sent. Its answer comes to your inbox.", "申请已提交，答复将出现在收件箱。")
}
func (t T) QuotaTakenBack() string { return t.pick("The grant is taken back.", "授权已收回。") }
func (t T) QuotaGranted(name string) string {
	return t.pick("Granted to "+name+".", "已批准 "+name+" 的申请。")
}
func (t T) QuotaRefused(name string) string {
	return t.pick("Refused; "+name+" is told why.", "已拒绝，并告知 "+name+" 原因。")
}
func (t T) QuotaState(state string) string {
	switch state {
	case "granted":
		return t.pick("granted", "已批准")
	case "refused":
		return t.pick("refused", "已拒绝")
	case "withdrawn":
		return t.pick("the limit was taken away", "配额已取消")
	}
	return state
}
func (t T) QuotaWithdrawn() string { return t.pick("The request is withdrawn.", "申请已撤回。") }
