package views

import (
	"net/url"
	"time"

	"github.com/meterhouse/meterhouse/web/lang"
)

func sampleQuotaRows() []QuotaRow {
	return []QuotaRow{
		{ID: "q-1", Team: "research", Kind: "gpus", Limit: 8000, Used: 6500, CanAsk: true, Grants: []QuotaGrantRow{{ID: 4, Limit: 8000, Until: at(18, 0, 0), For: "operator"}}},
		{ID: "q-2", Team: "research", Kind: "rate", Pool: "A100-SXM4-80GB", Limit: 25_000_000, Used: 7_427_000, CanEdit: true},
		{ID: "q-3", Team: "research", Member: "operator", Own: true, Kind: "instances", Limit: 3, Used: 3, CanAsk: true},
		{ID: "q-4", Team: "research", Member: "trainee", Kind: "term", Limit: 5400, CanEdit: true},
		{ID: "q-5", Team: "research", Member: "trainee", Kind: "hours", Hours: [7]uint32{1<<24 - 1, 0xf00000, 0xf00000, 0xf00000, 0xf00000, 0xf00000, 1<<24 - 1}, CanEdit: true},
		{ID: "q-6", Team: "research", Member: "guest", Kind: "spot_only", CanEdit: true, Grants: []QuotaGrantRow{{ID: 5, Until: at(18, 0, 0), For: "guest"}}},
	}
}

func sampleQuotas(t lang.T) QuotasPage {
	rows := sampleQuotaRows()
	ask := QuotaAsk{Row: rows[2], Raisers: "manager, admin"}
	ask.Form = Form{Values: url.Values{"limit": {"3"}, "hours": {"8"}, "why": {"<b>a deadline</b>"}}, Errors: []FieldError{{"limit", t.Error("quota_asks_no_more", map[string]string{"limit": "3"})}}}
	return QuotasPage{Page: samplePage(t, "/quotas"), Teams: []QuotaTeam{{Name: "research", Rows: rows}}, Ask: &ask, Delete: &rows[3], CanEdit: true,
		Scopes: []Option{{Value: "team:t-1", Label: "research"}, {Value: "member:t-1:p-2", Label: "trainee"}}, Pools: []Option{{Label: t.QuotaAllPools()}, {Value: "a100", Label: "A100-SXM4-80GB"}},
		Kinds: []string{"gpus", "instances", "rate", "term", "spot_only", "hours"}, Form: Form{Values: url.Values{"kind": {"hours"}, "day": {"1", "6"}, "from": {"20"}, "to": {"6"}}}}
}

func sampleInbox(t lang.T) InboxPage {
	rows := sampleQuotaRows()
	return InboxPage{Page: samplePage(t, "/inbox"), Unread: 2, UpTo: "2026-12-01T09:00:00.5Z",
		Decide: []QuotaRequestRow{
			{ID: "qr-1", Who: "trainee", Row: rows[0], Wanted: 12000, Hours: 24, Why: "the paper is due", AskedAt: at(9, 0, 0), State: "open"},
			{ID: "qr-2", Who: "guest", Row: rows[5], Hours: 2, Why: "<i>a demonstration</i>", AskedAt: at(9, 30, 0), State: "open", Form: Form{Values: url.Values{"hours": {"2"}}, Errors: []FieldError{{"reason", t.Error("required", nil)}}}},
		},
		Own: []QuotaRequestRow{
			{ID: "qr-3", Who: "operator", Row: rows[2], Wanted: 5, Hours: 8, Why: "why", AskedAt: at(10, 0, 0), State: "open"},
			{ID: "qr-4", Who: "operator", Row: rows[0], Wanted: 9000, AskedAt: at(8, 0, 0), State: "granted", By: "admin", Granted: 9000, Until: at(18, 0, 0)},
			{ID: "qr-5", Who: "operator", Row: rows[1], Wanted: 90_000_000, AskedAt: at(7, 0, 0), State: "refused", By: "admin", Reason: "too dear"},
		},
		Notices: []NoticeRow{
			{Kind: "budget", Name: "research", What: "actual", At: at(10, 40, 0), Number: 50, SpentMicros: 450_000_000, LimitMicros: 900_000_000, URL: "/budgets", Unread: true},
			{Kind: "budget", Name: "research", What: "forecast", At: at(10, 39, 0), Number: 100, SpentMicros: 950_000_000, LimitMicros: 900_000_000, URL: "/budgets", Unread: true},
			{Kind: "budget_stop", Name: "research", At: at(10, 38, 0), Moment: at(10, 53, 0), URL: "/budgets"},
			{Kind: "instance_ends", Name: "bert-finetune", At: at(10, 0, 0), Moment: at(11, 0, 0), URL: "/instances/i-7f3a91"},
			{Kind: "reservation_starts", Name: "night", At: at(10, 0, 0), Moment: at(20, 0, 0), URL: "/reservations/r-1"},
			{Kind: "reservation_ends", Name: "night", At: at(10, 0, 0), Moment: at(21, 0, 0), URL: "/reservations/r-1"},
			{Kind: "stopped", Name: "bert-finetune", What: t.MailStoppedWhy("hours", "", ""), At: at(9, 0, 0), SpentMicros: 7_427_380, URL: "/instances/i-7f3a91"},
			{Kind: "spot_notice", Name: "bert-finetune", At: at(8, 30, 0), URL: "/instances/i-7f3a91"},
			{Kind: "quota_decided", Name: "gpus", What: t.QuotaState("granted"), At: at(8, 20, 0), URL: "/quotas"},
			{Kind: "mail_dead", Name: "somebody@example.com", What: "550 no such user", At: at(8, 10, 0).Add(-24 * time.Hour)},
		}}
}
