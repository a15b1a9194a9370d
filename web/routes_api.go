package web

import "github.com/meterhouse/meterhouse/store"

// calls are the API's rows of the table.
var calls = []route{
	{get, apiRoot + "/openapi.json", public, api, (*Server).openAPI, nil},
	{get, apiRoot + "/me", store.Viewer, api, (*Server).me, &operation{says: "Who the token belongs to.", out: Me{}}},
	{get, apiRoot + "/offers", store.Viewer, api, (*Server).offers, &operation{says: "Plans that can be rented now, with what is free and what it costs.", out: Offers{}}},

	{get, apiRoot + "/instances", store.Viewer, api, (*Server).listInstances, &operation{says: "Instances of the person's team, newest first.", out: Instances{},
		query: []parameter{{"status", "a state, several with commas, or live", ""}, {"person", "a person's id, or me", ""}, {"q", "part of a name or id", ""}, cursorParameter, limitParameter}}},
	{post, apiRoot + "/instances", store.Member, api, (*Server).createInstance, &operation{says: "Rents: 201 with GPUs, 202 if it has to wait. A retry with the same idempotency_key has one effect; the key with another body answers 409.",
		in: RentBody{}, out: Instance{}, made: true, mayWait: true}},
	{get, apiRoot + "/instances/:id", store.Viewer, api, (*Server).getInstance, &operation{says: "One instance; queue says of one that waits its place, why it waits, until when, and what is ahead of it.", out: Instance{}}},
	{get, apiRoot + "/queues", store.Viewer, api, (*Server).getQueues, &operation{says: "What waits for which GPUs, in the order in which it is served, and why.", out: PoolQueues{}}},
	{get, apiRoot + "/instances/:id/bill", store.Viewer, api, (*Server).getBill, &operation{says: "Its bill explained: the segments add up to the total.", out: Bill{}}},
	{get, apiRoot + "/instances/:id/logs", store.Viewer, api, (*Server).getLogs, &operation{says: "Its output, see API-STREAMS.md.", text: true,
		query: []parameter{{"offset", "the first byte", "integer"}, {"follow", "1: go on until its command ended", ""}}}},
	{get, apiRoot + "/instances/:id/events", store.Viewer, api, (*Server).getEvents, &operation{says: "What happened to it, newest first.", out: Events{}, query: []parameter{limitParameter}}},
	{get, apiRoot + "/instances/:id/samples", store.Viewer, api, (*Server).getSamples, &operation{says: "Its GPUs' telemetry of the last 15 minutes, of the time in which they were its own; null where a value is not known, with the reason.", out: Samples{},
		query: []parameter{{"from", "RFC 3339", ""}, {"to", "RFC 3339, half-open", ""}, {"step", "seconds", "integer"}}}},
	{post, apiRoot + "/instances/:id/stop", store.Member, api, (*Server).stopInstance, &operation{says: "Stops it; what has ended stays as it is.", in: Empty{}, out: Instance{}}},
	{post, apiRoot + "/instances/:id/suspend", store.Member, api, (*Server).suspendInstance, &operation{says: "Freezes it; its GPUs are kept and billed.", in: Empty{}, out: Instance{}}},
	{post, apiRoot + "/instances/:id/resume", store.Member, api, (*Server).resumeInstance, &operation{says: "Lets it go on.", in: Empty{}, out: Instance{}}},
	{post, apiRoot + "/instances/:id/extend", store.Member, api, (*Server).extendInstance, &operation{says: "Moves its hard end; until null means none. A retry with the same idempotency_key within a day moves it once.", in: ExtendBody{}, out: Instance{}}},
	{put, apiRoot + "/instances/:id/port", store.Member, api, (*Server).setPort, &operation{says: "Chooses the port that the console passes browsers on to, at web_path; 0 is none.", in: PortBody{}, out: Instance{}}},
	{get, apiRoot + "/instances/:id/ssh", store.Member, api, (*Server).getSSH, &operation{says: "How to enter it by SSH, with the console's host key; 409 where there is no gateway.", out: SSH{}}},
	{get, apiRoot + "/instances/:id/exec", store.Member, socket, (*Server).exec, &operation{says: "Websocket meterhouse.exec.v1, see API-STREAMS.md.", socket: true}},
	{get, apiRoot + "/instances/:id/terminal", store.Member, socket, (*Server).terminalByToken, &operation{says: "Websocket meterhouse.terminal.v1, see API-STREAMS.md.", socket: true}},

	{get, apiRoot + "/reservations", store.Viewer, api, (*Server).listReservations, &operation{says: "Reservations of the person's team, in the order in which they begin.", out: Reservations{},
		query: []parameter{{"from", "RFC 3339 or a date", ""}, {"to", "RFC 3339 or a date", ""}, {"open", "1: neither over nor cancelled", ""}}}},
	{post, apiRoot + "/reservations", store.Member, api, (*Server).createReservation, &operation{says: "Books GPUs for [start, end): 409 on overlap, with what it overlaps and the nearest free interval.",
		in: ReservationBody{}, out: Reservation{}, made: true}},
	{get, apiRoot + "/reservations/:id", store.Viewer, api, (*Server).getReservation, &operation{says: "One reservation.", out: Reservation{}}},
	{del, apiRoot + "/reservations/:id", store.Member, api, (*Server).deleteReservation, &operation{says: "Gives it up. Before its start it is cancelled: free a day ahead, later for a fee. In its interval it is released and goes on being charged to its end, less what others rent of it; what is over stays as it is.", out: Reservation{}}},
	{post, apiRoot + "/reservations/:id/extend", store.Member, api, (*Server).extendReservation, &operation{says: "Moves its end to a later moment: what is added is a part of its own, at the price of now with the whole term's discount. 409 if its GPUs are not free, with what it overlaps and the nearest free interval. A retry with the same idempotency_key within a day extends it once.",
		in: ReservationExtendBody{}, out: Reservation{}}},

	{get, apiRoot + "/benchmarks", store.Viewer, api, (*Server).listBenchmarks, &operation{says: "Benchmark runs, newest first.", out: Benchmarks{},
		query: []parameter{{"suite", "stream or matmul", ""}, {"status", "one status", ""}, cursorParameter, limitParameter}}},
	{post, apiRoot + "/benchmarks", store.Member, api, (*Server).createBenchmark, &operation{says: "Runs a suite as an instance.", in: BenchmarkBody{}, out: Benchmark{}, made: true}},
	{get, apiRoot + "/benchmarks/:id", store.Viewer, api, (*Server).getBenchmark, &operation{says: "One run with its results.", out: Benchmark{}}},
	{post, apiRoot + "/benchmarks/:id/cancel", store.Member, api, (*Server).cancelBenchmark, &operation{says: "Ends a run; what has ended stays as it is.", in: Empty{}, out: Benchmark{}}},

	{get, apiRoot + "/budgets", store.Viewer, api, (*Server).listBudgets, &operation{says: "Budgets with what is spent of them.", out: Budgets{}}},
	{post, apiRoot + "/budgets", store.Manager, api, (*Server).createBudget, &operation{says: "Makes a budget. A retry with the same idempotency_key within a day has one effect; the key with another body answers 409.", in: BudgetBody{}, out: Budget{}, made: true}},
	{get, apiRoot + "/budgets/:id", store.Viewer, api, (*Server).getBudget, &operation{says: "One budget.", out: Budget{}}},
	{put, apiRoot + "/budgets/:id", store.Manager, api, (*Server).updateBudget, &operation{says: "Changes a budget.", in: BudgetBody{}, out: Budget{}}},
	{del, apiRoot + "/budgets/:id", store.Manager, api, (*Server).deleteBudget, &operation{says: "Deletes a budget; what it said in the past stays in the audit."}},
	{get, apiRoot + "/usage", store.Viewer, api, (*Server).getUsage, &operation{says: "What was used in [from, to), by group; the rows add up to the total.", out: Usage{},
		query: []parameter{{"from", "RFC 3339 or a date; default: this month's begin", ""}, {"to", "RFC 3339 or a date; default: now", ""}, {"group_by", "team, member, label:KEY, gpu_model, day or kind", ""}}}},
	{get, apiRoot + "/ledger", store.Viewer, api, (*Server).getLedger, &operation{says: "Entries of the double-entry ledger, newest first.", out: Ledger{},
		query: []parameter{{"instance", "an instance's id", ""}, {"team", "a team's id, for admins", ""}, {"month", "of the use, such as 2026-03", ""}, {"by_hand", "1: corrections and credits by hand alone", ""},
			{"from", "booked from then on, RFC 3339 or a date", ""}, {"to", "booked before, RFC 3339 or a date", ""}, cursorParameter, limitParameter}}},

	{get, apiRoot + "/gpus", store.Viewer, api, (*Server).listGPUs, &operation{says: "Every GPU with its state and its last values.", out: GPUs{}}},
	{get, apiRoot + "/health", store.Viewer, api, (*Server).health, &operation{says: "How the site is: GPUs expected and present, what is not enforced.", out: Health{}}},
}

var (
	cursorParameter = parameter{"cursor", "next_cursor of the last page", ""}
	limitParameter  = parameter{"limit", "how many, 1 to 500", "integer"}
)

// api reports whether the route's errors are problem documents.
func (r *route) api() bool { return r.kind == api || r.doc != nil }
