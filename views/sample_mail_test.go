package views

import (
	"github.com/a-h/templ"

	"github.com/meterhouse/meterhouse/web/lang"
)

// mailSamples are the pages about mail.
func mailSamples(t lang.T) map[string]templ.Component {
	v := MailPage{Page: samplePage(t, "/admin/mail"), On: true, Address: "operator@example.com", Templates: []string{"budget_threshold", "spot_notice", "digest"},
		Counts: []MailCount{{"waiting", 1, false}, {"gathered", 1, false}, {"dead", 1, false}, {"sent", 12, true}, {"dropped", 1, true}},
		Dead:   []MailRow{{ID: 7, At: at(8, 0, 0), To: "lead@example.com", Template: "budget_reached", State: "dead", Why: "550 no such mailbox", Tries: 8, CanTry: true, CanCut: true}},
		Open: []MailRow{{ID: 8, At: at(10, 0, 0), To: "member@example.com", Template: "instance_stopped", State: "waiting", Why: "no connection: refused", Tries: 2, NextTry: at(10, 50, 0), CanCut: true},
			{ID: 9, At: at(10, 10, 0), To: "member@example.com", Template: "instance_stopped", State: "gathered", CanCut: true}},
		Over: []MailRow{{ID: 6, At: at(9, 0, 0), To: "operator@example.com", Template: "new_device", State: "sent", Tries: 1}, {ID: 5, At: at(8, 59, 0), To: "operator@example.com", Template: "budget_threshold", State: "dropped", Why: t.MailDropped("budget_changed")}}}
	empty := MailPage{Page: samplePage(t, "/admin/mail"), Address: "operator@example.com"}
	letter := mails(t)["budget"]
	stop := MailStopPage{Page: samplePage(t, "/mail/stop/7.ab"), Token: "7.ab", Address: "lead@example.com", Kinds: []string{"budgets", "quotas"}}
	stop.Person, stop.Budget = nil, nil
	done := stop
	done.Done = true
	return map[string]templ.Component{
		"admin-mail": MailOverview(v), "admin-mail-empty": MailOverview(empty), "mail-stop": MailStop(stop), "mail-stop-done": MailStop(done),
		"admin-mail-sample": MailSample(MailPreview{Page: samplePage(t, "/admin/mail/budget_threshold"), Template: "budget_threshold", Lang: t.Code(), Letter: letter}),
	}
}
