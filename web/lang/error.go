package lang

import (
	"maps"
	"strings"
)

// Error says what went wrong, by the stable key that the store and the web give it. {name} in a text is filled from args.
// An unknown key is shown as it is, with spaces for its underscores.
func (t T) Error(key string, args map[string]string) string {
	pair, ok := errorTexts[key]
	if !ok {
		return strings.ReplaceAll(key, "_", " ")
	}
	return fill(t.pick(pair.en, pair.zh), t.listed(args))
}

// listed gives the args that name several things as the language lists them; the store sets ", " between.
func (t T) listed(args map[string]string) map[string]string {
	args = maps.Clone(args)
	for _, name := range []string{"counts", "models", "overlaps", "plans", "raised_by", "registries"} {
		if several, ok := args[name]; ok {
			args[name] = t.List(strings.Split(several, ", "))
		}
	}
	return args
}

// HasError reports whether there are words for a key.
func HasError(key string) bool {
	_, ok := errorTexts[key]
	return ok
}

// ErrorSaysNext reports whether the words for a key say what to do, other than what is said of every refusal.
func ErrorSaysNext(key string) bool {
	switch key {
	case "origin_wrong", "csrf_wrong", "viewer_cannot_rent", "not_your_instance", "not_your_reservation", "budget_needs_manager",
		"port_not_set", "port_of_suspended", "port_not_yet", "nothing_listens":
		return true
	}
	return false
}

type pair struct{ en, zh string }

var errorTexts = merge(errorsOfInput, errorsOfAccess, errorsOfThings, errorsOfMachine, errorsOfData, errorsOfCalendar, errorsOfSpot, errorsOfBooks, errorsOfBudgets, errorsOfMail, errorsOfQuotas, errorsOfQueue, errorsOfImages, errorsOfVolumes, errorsOfTemplates, errorsOfIdle, errorsOfPorts)

func merge(parts ...map[string]pair) map[string]pair {
	all := map[string]pair{}
	for _, p := range parts {
		for key, text := range p {
			all[key] = text
		}
	}
	return all
}

// errorsOfInput are about what was typed or sent.
var errorsOfInput = map[string]pair{
	"fields_wrong":           {"Some fields are not right.", "部分内容填写有误。"},
	"required":               {"This must be filled in.", "此项必填。"},
	"too_short":              {"Too short: at least {min} characters.", "太短：至少 {min} 个字符。"},
	"too_long":               {"Too long: at most {max} characters.", "太长：最多 {max} 个字符。"},
	"not_allowed_characters": {"It has characters that are not allowed here.", "包含不允许的字符。"},
	"wrong_number":           {"This must be a whole number within the limits.", "必须是允许范围内的整数。"},
	"wrong_hours":            {"Hours must be a number above 0, with a point before decimals, for example 1.5.", "时数必须是大于 0 的数字，小数用句点，例如 1.5。"},
	"wrong_amount":           {"This must be an amount above 0, with a point before decimals, for example 250.00.", "必须是大于 0 的金额，小数用句点，例如 250.00。"},
	"wrong_labels":           {"Labels are written as key=value, separated by commas.", "标签格式为 key=value，用逗号分隔。"},
	"wrong_time":             {"This is not a time that can be read.", "无法识别该时间。"},
	"wrong_size":             {"The size must be between 1 and 1,000.", "尺寸必须介于 1 与 1,000 之间。"},
	"wrong_type":             {"This has the wrong type.", "类型不正确。"},
	"wrong_id":               {"This is not a number that names anything.", "该编号无效。"},
	"wrong_limit":            {"The limit must be a whole number between 1 and 500.", "数量上限必须是 1 到 500 的整数。"},
	"wrong_cursor":           {"This page of the list can't be found any more; begin at the first.", "找不到列表的这一页，请从第一页开始。"},
	"cursor_wrong":           {"This page of the list can't be found any more; begin at the first.", "找不到列表的这一页，请从第一页开始。"},
	"wrong_argv":             {"The command can't be read.", "无法识别该命令。"},
	"wrong_gpu_count":        {"The number of GPUs must be a whole number, at least 1, and one that a plan offers.", "GPU 数量必须是不小于 1 的整数，且有方案提供。"},
	"wrong_thresholds":       {"Thresholds are per cents between 1 and 1,000, for example 50, 80, 100.", "阈值为 1 到 1,000 之间的百分数，例如 50, 80, 100。"},
	"out_of_range":           {"This is outside of what is allowed.", "超出允许范围。"},
	"hours_or_until":         {"Give hours or an end, not both.", "时数与结束时间只能填一个。"},
	"from_not_before_to":     {"The beginning must lie before the end.", "开始时间必须早于结束时间。"},
	"in_the_past":            {"This lies in the past.", "该时间已经过去。"},
	"email_wrong":            {"That is not an e-mail address.", "这不是有效的邮箱地址。"},
	"email_taken":            {"There is a person with that address already.", "该邮箱已被使用。"},
	"name_taken":             {"This name is taken already.", "该名称已被使用。"},
	"name_wrong":             {"Use lower-case letters, digits and hyphens.", "请使用小写字母、数字与连字符。"},
	"name_begins_wrong":      {"A name begins with a letter or a digit.", "名称须以字母或数字开头。"},
	"confirm_wrong":          {"To confirm, the name must be {name}.", "请输入名称 {name} 以确认。"},
	"currency_unknown":       {"This is not a currency code, for example USD.", "不是有效的货币代码，例如 CNY。"},
	"time_zone_unknown":      {"There is no time zone of that name; for example Europe/Berlin.", "没有该时区，例如 Asia/Shanghai。"},
	"lang_unknown":           {"There is no such language here; it is en or zh.", "不支持该语言，可选 en 或 zh。"},
	"role_unknown":           {"There is no such role; it is viewer, member, manager or admin.", "没有该角色，可选 viewer、member、manager 或 admin。"},
	"unknown_status":         {"There is no such status.", "没有该状态。"},
	"unknown_group":          {"Costs can't be grouped by that.", "不支持该汇总方式。"},
	"unknown_suite":          {"There is no such suite; choose one of the list.", "没有该测试套件，请从列表中选择。"},
	"unknown_backend":        {"There is no such back end; choose one of the list.", "没有该后端，请从列表中选择。"},
	"unknown_scope":          {"A budget can't be for that.", "预算对象无效。"},
	"unknown_period":         {"There is no such period.", "没有该周期。"},
	"unknown_action":         {"There is no such action.", "没有该动作。"},
	"ssh_key_wrong":          {"This is not a public SSH key.", "这不是有效的 SSH 公钥。"},
	"ssh_key_taken":          {"This key is added already.", "该公钥已添加。"},
	"gpus_not_for_cpu":       {"The CPU back end uses no GPU.", "CPU 后端不使用 GPU。"},
	"instance_or_fleet":      {"Ask for one instance or for the fleet.", "请指定一个实例或整块 GPU 总览。"},
	"malformed":              {"The request can't be read.", "无法识别该请求。"},
	"json_malformed":         {"The body is not JSON that can be read.", "请求体不是可识别的 JSON。"},
	"json_wanted":            {"The body must be JSON.", "请求体必须是 JSON。"},
	"form_malformed":         {"The form can't be read.", "无法识别该表单。"},
	"form_wanted":            {"The body must be a form.", "请求体必须是表单。"},
	"doubled_field":          {"A field came twice.", "有字段重复出现。"},
	"unknown_field":          {"There is no such field.", "没有该字段。"},
	"body_cut":               {"The request was cut off before its end.", "请求在结束前被中断。"},
	"too_large":              {"That was too much at once.", "一次提交的内容过多。"},
	"wrong_method":           {"This address does not do that.", "该地址不支持此操作。"},
	"subprotocol_wanted":     {"The websocket's subprotocol is missing or unknown.", "缺少或未知的 websocket 子协议。"},
	"websocket_wanted":       {"This address wants a websocket.", "该地址需要 websocket 连接。"},
	"ssh_no_instance":        {"There is no instance of that name or id that you may enter.", "没有您可以进入的、名称或编号如此的实例。"},
	"ssh_ambiguous":          {"Several instances have that name: use the id.", "有多个实例使用该名称：请改用编号。"},
	"ssh_ending":             {"The instance is being stopped.", "该实例正在停止。"},
	"ssh_revoked":            {"You may not be here any more: the key was removed, or the account or its role changed.", "您已无权停留：密钥已被移除，或账号及其角色已变更。"},
	"ssh_console_stops":      {"The console is being stopped. The instance and its work go on; connect again soon.", "控制台正在停止。实例及其工作继续运行；请稍后重新连接。"},
	"ssh_off":                {"This console has no SSH gateway. Whoever runs it turns it on with --ssh-listen.", "此控制台未启用 SSH 网关。可由运维人员通过 --ssh-listen 启用。"},
	"terminal_cut":           {"The terminal's connection was cut.", "终端连接已断开。"},
	"status_unknown":         {"There is no such status.", "没有该状态。"},
	"state_unknown":          {"There is no such state.", "没有该状态。"},
	"kind_unknown":           {"There is no such kind; it is on_demand, reserved or spot.", "没有该类型，可选 on_demand、reserved 或 spot。"},
	"scope_unknown":          {"A budget can't be for that; it is for a team, a member or a label.", "预算对象无效，可选团队、成员或标签。"},
	"period_unknown":         {"There is no such period; it is day, week, month or quarter.", "没有该周期，可选 day、week、month 或 quarter。"},
	"action_unknown":         {"There is no such action; it is notify or block.", "没有该动作，可选 notify 或 block。"},
	"group_by_wrong":         {"Costs can't be grouped by that.", "不支持该汇总方式。"},
	"label_wrong":            {"A label is written as key=value.", "标签格式为 key=value。"},
	"too_many_labels":        {"That are too many labels; there are 20 at most.", "标签过多，最多 20 个。"},
	"too_many_emails":        {"That are too many addresses; there are 20 at most.", "邮箱地址过多，最多 20 个。"},
	"gpu_count_wrong":        {"The number of GPUs must be a whole number, at least 1, and one that a plan offers.", "GPU 数量必须是不小于 1 的整数，且有方案提供。"},
	"gpu_wrong":              {"This names no GPU.", "该编号不对应任何 GPU。"},
	"gpu_named_twice":        {"A GPU is named twice.", "同一块 GPU 重复出现。"},
	"gpus_not_of_plan":       {"The GPUs named do not fit the plan.", "所列 GPU 与方案不符。"},
	"cpu_only_has_no_gpus":   {"CPU-only work has no GPUs.", "仅 CPU 的工作不使用 GPU。"},
	"duration_wrong":         {"An instance's time is above 0 and at most a year.", "租用时长必须大于 0 且不超过一年。"},
	"end_before_start":       {"The end has to be after the start.", "结束时间必须在开始时间之后。"},
	"start_is_past":          {"The start lies in the past.", "开始时间已经过去。"},
	"reservation_too_short":  {"A reservation is for 5 minutes at least.", "预留时间至少为 5 分钟。"},
	"too_far_ahead":          {"The end lies more than two years ahead.", "结束时间距今超过两年。"},
	"only_gpus_are_reserved": {"Only plans with GPUs can be reserved.", "只有带 GPU 的方案可以预留。"},
	"until_wrong":            {"The end lies in the past, or more than a year away.", "结束时间已经过去，或超过一年。"},
	"not_a_number":           {"This must be a whole number within the limits.", "必须是允许范围内的整数。"},
}

// errorsOfAccess are about who asks.
var errorsOfAccess = map[string]pair{
	"login_failed":               {"E-mail and password do not fit together.", "邮箱与密码不匹配。"},
	"too_many_attempts":          {"Too many tries; wait a little before the next.", "尝试次数过多，请稍候再试。"},
	"too_many_requests":          {"Too many requests; wait a little.", "请求过于频繁，请稍候。"},
	"too_many_sockets":           {"Too many open connections; close a page first.", "打开的连接过多，请先关闭一些页面。"},
	"too_many_tokens":            {"You have too many tokens; revoke one first.", "令牌过多，请先吊销一个。"},
	"login_link_used":            {"This link was used already or is too old.", "该链接已被使用或已过期。"},
	"sign_in_first":              {"Sign in first.", "请先登录。"},
	"session_ended":              {"The sign-in has ended; sign in again.", "登录已失效，请重新登录。"},
	"person_disabled":            {"This account is switched off.", "该账号已停用。"},
	"token_wrong":                {"The API token is wrong, revoked or too old.", "API 令牌错误、已吊销或已过期。"},
	"token_unknown":              {"The API token is wrong, revoked or too old.", "API 令牌错误、已吊销或已过期。"},
	"ticket_used":                {"The terminal's ticket was used already or is too old.", "终端票据已被使用或已过期。"},
	"csrf_wrong":                 {"This form was made for an earlier sign-in. Nothing was done; send it once more.", "该表单属于之前的登录会话，未执行任何操作，请重新提交。"},
	"origin_wrong":               {"The request came from another address than the console's own and was refused. Open the console at its own address; an admin sets that with --public-url where a proxy stands before it.", "请求并非来自控制台自身的地址，已拒绝。请从控制台自身的地址打开；若前面有代理，由管理员用 --public-url 设置该地址。"},
	"role_too_low":               {"Your role does not allow this.", "你的角色没有此项权限。"},
	"forbidden":                  {"You may not do this.", "你没有此项权限。"},
	"setup_done":                 {"The console is set up already; sign in instead.", "控制台已初始化，请直接登录。"},
	"setup_code_wrong":           {"This is not the code from the terminal, or it is too old.", "验证码与终端打印的不符，或已过期。"},
	"last_admin":                 {"This is the last admin; make another one first.", "这是最后一位管理员，请先指定另一位。"},
	"old_password_wrong":         {"This is not your current password.", "当前密码不正确。"},
	"password_changed_meanwhile": {"The password was changed in the meantime; sign in again.", "密码已被更改，请重新登录。"},
	"viewer_cannot_rent":         {"A viewer sees, and rents nothing. Ask a manager of your team for the role of member.", "查看者只能查看，不能租用。请向团队管理者申请成员角色。"},
	"budget_needs_manager":       {"Only a manager of the team sets its budgets.", "只有团队管理者可以设置预算。"},
	"not_your_reservation":       {"This reservation is somebody else's; its person, a manager of the team or an admin may do this.", "该预留属于他人；仅其本人、团队管理者或站点管理员可执行此操作。"},
	"not_your_instance":          {"This instance is somebody else's; its person, a manager of the team or an admin may do this.", "该实例属于他人；仅其本人、团队管理者或站点管理员可执行此操作。"},
}

// errorsOfThings are about what the site has.
var errorsOfThings = map[string]pair{
	"page_not_found":          {"There is no page at this address.", "该地址没有页面。"},
	"person_not_found":        {"There is no person {id}.", "没有成员 {id}。"},
	"team_not_found":          {"There is no such team.", "没有该团队。"},
	"instance_not_found":      {"There is no such instance.", "没有该实例。"},
	"reservation_not_found":   {"There is no such reservation.", "没有该预留。"},
	"invoice_not_found":       {"There is no such invoice.", "没有该账单。"},
	"budget_not_found":        {"There is no such budget.", "没有该预算。"},
	"benchmark_not_found":     {"There is no such benchmark run.", "没有该基准测试。"},
	"gpu_not_found":           {"There is no GPU {id}.", "没有 GPU {id}。"},
	"session_not_found":       {"There is no such sign-in.", "没有该登录会话。"},
	"token_not_found":         {"There is no such token.", "没有该令牌。"},
	"ssh_key_not_found":       {"There is no such key.", "没有该公钥。"},
	"plan_not_found":          {"There is no such plan. There are: {plans}.", "没有该方案。可选：{plans}。"},
	"plan_or_model_not_found": {"There is no plan and no GPU model {id}. Plans: {plans}. Models: {models}.", "没有名为 {id} 的方案或 GPU 型号。方案：{plans}。型号：{models}。"},
	"gpu_model_unknown":       {"There is no GPU model {model}. There are: {models}.", "没有 GPU 型号 {model}。可选：{models}。"},
	"gpu_count_not_offered":   {"{count} GPUs are not offered. There are: {counts}.", "不提供 {count} 块 GPU。可选：{counts}。"},
	"kind_not_offered":        {"This kind is not offered: {kind}.", "不提供该类型：{kind}。"},
	"no_capacity":             {"No GPU is free for {plan}. Wait in the queue, or choose another plan.", "{plan} 没有空闲的 GPU。可进入排队，或选择其他方案。"},
	"instance_not_running":    {"The instance does not run.", "该实例未在运行。"},
	"idempotency_key_reused":  {"This key was used for another request; a new request needs a new key.", "该键已用于另一请求；新的请求需要新的键。"},
	"form_sent_before":        {"This form was sent before with other content, and that was done. To have this done too, send it once more.", "该表单此前已用其他内容提交并执行。若也要执行本次内容，请再提交一次。"},
	"token_shown_before":      {"This token was made already, and a token is shown once only. If it was not kept, revoke it and make another.", "该令牌已创建，且只显示一次。若未保存，请吊销后重新创建。"},
	"no_benchmarks_here":      {"This console can't run benchmarks: its runner is missing.", "该控制台缺少测试程序，无法运行基准测试。"},
	"wrong_step":              {"That can't be done in the state the instance is in.", "实例当前的状态不允许此操作。"},
	"exec_failed":             {"The command could not be run.", "命令无法执行。"},
	"program_not_in_path":     {"There is no program {program} in the instance's PATH.", "实例的 PATH 中没有程序 {program}。"},
	"program_missing":         {"{program} can't be started: it, or the interpreter that its first line names, is not in the instance.", "无法启动 {program}：该文件或其首行指定的解释器在实例中不存在。"},
	"program_not_executable":  {"{program} can't be started: the instance's user may not execute it.", "无法启动 {program}：实例的用户无权执行该文件。"},
	"program_foreign":         {"{program} can't be started: it is no program for this machine.", "无法启动 {program}：它不是这台机器可以运行的程序。"},
	"too_many_processes":      {"{program} can't be started: the instance has as many processes as it may have. End some first.", "无法启动 {program}：实例的进程数已达上限，请先结束一些进程。"},
	"pending":                 {"The same request is still being worked on.", "相同的请求仍在处理中。"},
	"node_not_found":          {"There is no node {id}.", "没有节点 {id}。"},
	"reserved_after":          {"No GPU is free for so long: reservations begin at {until}. Ask for less time, or choose another plan.", "没有 GPU 能空闲这么久：自 {until} 起已被预留。请缩短时间，或选择其他方案。"},
	"reservation_overlaps":    {"The GPUs are not free in this time. The nearest free time is from {nearest_start} to {nearest_end}.", "该时段内 GPU 不空闲。最近的空闲时段为 {nearest_start} 至 {nearest_end}。"},
	"reservation_no_room":     {"The GPUs are not free in this time, and no other time is known to be.", "该时段内 GPU 不空闲，也没有已知的其他空闲时段。"},
	"no_reservation_now":      {"Your team has no reservation that is on now. Make one, or rent on demand.", "你的团队目前没有生效的预留。请先预留，或按需租用。"},
	"reservation_not_begun":   {"The reservation begins at {start}; until then its GPUs are somebody else's.", "该预留于 {start} 开始；在此之前其 GPU 归他人使用。"},
	"reservation_used_up":     {"Too few GPUs of the reservation {name} are free for this. Stop what uses them, or take fewer.", "预留 {name} 的空闲 GPU 不足。请停止占用者，或减少数量。"},
	"reservation_in_use":      {"An instance uses this reservation. Stop it first.", "有实例正在使用该预留。请先停止该实例。"},
	"gpu_reserved":            {"The GPU is reserved by somebody else from before that time on.", "在该时间之前，GPU 已被他人预留。"},
	"gpu_in_maintenance":      {"The GPU's node is in maintenance in this time.", "该时段内 GPU 所在节点进行维护。"},
	"node_in_maintenance":     {"The node is in maintenance before that time is over.", "该时间结束之前，节点将进行维护。"},
	"maintenance_after":       {"No GPU is free for so long: maintenance begins at {until}. Ask for less time, or choose another plan.", "没有 GPU 能空闲这么久：自 {until} 起进行维护。请缩短时间，或选择其他方案。"},
	"beyond_drain":            {"The node is to be empty by {until}: it can't go on longer there.", "节点须在 {until} 前清空，不能在其上延长。"},
	"volumes_apart":           {"These volumes are on different nodes, or not on the one that was asked for.", "这些存储卷位于不同节点，或不在所要求的节点上。"},
	"maintenance_overlaps":    {"The node has a maintenance window in this time already: {overlaps}.", "该时段内节点已有维护窗口：{overlaps}。"},
	"maintenance_in_use":      {"This is in the way: {overlaps}. Choose another time, or have it given notice.", "以下占用冲突：{overlaps}。请选择其他时间，或通知其结束。"},
	"maintenance_reserved":    {"These reservations have begun, name their GPUs, or find no others: {overlaps}. Cancel them, or choose another time.", "以下预留已开始、指定了 GPU 或没有其他 GPU 可用：{overlaps}。请取消它们，或选择其他时间。"},
	"maintenance_too_long":    {"A maintenance window is at most 90 days long.", "维护窗口最长为 90 天。"},
	"maintenance_not_found":   {"The node has no maintenance window {id}.", "该节点没有维护窗口 {id}。"},
	"certificate_unreadable":  {"The console's certificate can't be read: look at its log.", "无法读取控制台的证书，请查看日志。"},
	"node_is_local":           {"This is the console's own machine: it can't be removed.", "这是控制台所在的机器，不能移除。"},
	"gpu_in_use":              {"An instance holds the GPU in this time.", "该时段内有实例占用该 GPU。"},
	"gpu_taken":               {"The GPU {id} is not free.", "GPU {id} 不空闲。"},
	"no_gpus":                 {"This site has no GPU that could be rented.", "本站没有可租用的 GPU。"},
	"step_not_allowed":        {"That can't be done in the state the instance is in.", "实例当前的状态不允许此操作。"},
	"cannot_extend":           {"An instance that waits, stops or has ended can't be extended.", "排队中、停止中或已结束的实例不能延长。"},
	"benchmark_ended":         {"This benchmark run has ended already.", "该基准测试已结束。"},
}

// errorsOfMachine are about the console itself and its disk.
var errorsOfMachine = map[string]pair{
	"internal":              {"Something went wrong inside the console.", "控制台内部出现错误。"},
	"node_unreachable":      {"The instance's node can't be reached now; what runs there goes on. Try again once it is back.", "目前无法连接该实例所在的节点；其中的工作仍在继续。请在节点恢复后重试。"},
	"stopping":              {"The console is stopping; try again in a moment.", "控制台正在停止，请稍后再试。"},
	"closed":                {"The console is stopping; try again in a moment.", "控制台正在停止，请稍后再试。"},
	"cancelled":             {"Given up before it began; nothing was done.", "在开始前已取消，未执行任何操作。"},
	"read_only":             {"The data directory is open for reading only.", "数据目录为只读。"},
	"disk_full":             {"The disk is full. Nothing was changed; make room and try again.", "磁盘已满，未做任何更改；请清理空间后重试。"},
	"disk_error":            {"The disk refused to read or write. Nothing was changed.", "磁盘读写失败，未做任何更改。"},
	"database_not_writable": {"The database can't be written. Nothing was changed; an admin must look at the data directory.", "数据库不可写，未做任何更改；请管理员检查数据目录。"},
	"database_busy":         {"The database was busy for too long. Nothing was changed; try again.", "数据库长时间繁忙，未做任何更改，请重试。"},
	"database_corrupt":      {"The database is damaged; an admin must restore a backup.", "数据库已损坏，请管理员恢复备份。"},
}
