package store

// MailKind is what a person can have less of: mails that are wanted or not for the same reason.
type MailKind string

// The kinds of mail that may be switched off. MailNeeded may not: it is about the person's own account, or the last that
// they hear before something of theirs is taken away.
const (
	MailBudgets      MailKind = "budgets"
	MailInstances    MailKind = "instances"
	MailReservations MailKind = "reservations"
	MailFaults       MailKind = "faults"
	MailQuotas       MailKind = "quotas"
	MailNeeded       MailKind = "needed"
)

// MailKinds are those that can be switched off, in the order in which they are shown.
var MailKinds = []MailKind{MailBudgets, MailInstances, MailReservations, MailFaults, MailQuotas}

// MailTemplate is a kind of content that the outbox holds.
type MailTemplate struct {
	Name   string
	Kind   MailKind
	Urgent bool // never waits for a digest
}

// MailTemplates are all there are, the same as the rows of mail_template. What a mail's Data has, by template; moments are
// RFC 3339, amounts micro-units, yes is "1":
//
//	budget_threshold, budget_reached, budget_forecast: see budgetData
//	budget_stop_notice:  budgetData, and instances (names, one a line), at (when they are stopped)
//	spot_notice:         instance, name, at (when it is killed at the latest), requeue (yes: it goes back to the queue)
//	reservation_*_soon:  reservation, name, minutes, at
//	instance_ends_soon:  instance, name, minutes, at, because (what sets the end, as Instance.EndsBecause)
//	instance_stopped:    instance, name, reason (as Instance.StopReason)
//	idle_warning:        instance, name, since, at (when it is stopped; "": it is not), keep (the secret of the link that keeps it)
//	gpu_fault:           instance, name, gpu, gpu_model, node, fault (a key that the catalogue has words for), detail
//	gpu_quarantined:     gpu, gpu_model, node, instance, name, notes
//	invitation:          team, by, code, expires_at, new ("0": a sign-in link that was asked for)
//	new_device:          addr, agent, at, link (yes: by a sign-in link)
//	quota_requested:     request, team, by, rule, pool, limit, wanted, until, reason
//	quota_decided:       request, team, by, rule, pool, limit, granted (yes), until, reason
//	digest, test:        nothing
var MailTemplates = []MailTemplate{
	{Name: "budget_threshold", Kind: MailBudgets},
	{Name: "budget_forecast", Kind: MailBudgets},
	{Name: "budget_reached", Kind: MailBudgets, Urgent: true},
	{Name: "budget_stop_notice", Kind: MailNeeded, Urgent: true},
	{Name: "spot_notice", Kind: MailNeeded, Urgent: true},
	{Name: "reservation_starts_soon", Kind: MailReservations, Urgent: true},
	{Name: "reservation_ends_soon", Kind: MailReservations, Urgent: true},
	{Name: "instance_ends_soon", Kind: MailInstances, Urgent: true},
	{Name: "instance_stopped", Kind: MailInstances},
	{Name: "idle_warning", Kind: MailNeeded, Urgent: true},
	{Name: "gpu_fault", Kind: MailFaults, Urgent: true},
	{Name: "gpu_quarantined", Kind: MailFaults},
	{Name: "invitation", Kind: MailNeeded, Urgent: true},
	{Name: "new_device", Kind: MailNeeded, Urgent: true},
	{Name: "quota_requested", Kind: MailQuotas},
	{Name: "quota_decided", Kind: MailQuotas},
	{Name: "digest", Kind: MailNeeded, Urgent: true},
	{Name: "test", Kind: MailNeeded, Urgent: true},
}

// templateOf returns a template by its name.
func templateOf(name string) (MailTemplate, bool) {
	for _, m := range MailTemplates {
		if m.Name == name {
			return m, true
		}
	}
	return MailTemplate{}, false
}
