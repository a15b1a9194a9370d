package store

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store/money"
	"github.com/meterhouse/meterhouse/store/quota"
)

// quotaAsk is what a person is about to hold, over [from, to).
type quotaAsk struct {
	teamID, personID, poolID string
	gpuCount                 int
	rate                     int64 // micro-units an hour
	spot                     bool
	term                     *time.Duration // nil: until it is stopped
	from                     time.Time
	to                       *time.Time // nil: it may go on for ever
	except                   string     // the instance or reservation that it is already
	only                     []quota.Kind
}

// What the rules of quotas have to say of what is not simply rented.
var (
	quotaOfClaim       = []quota.Kind{quota.Instances}                                    // the rest was asked of its reservation
	quotaOfReservation = []quota.Kind{quota.SpotOnly, quota.Term, quota.GPUs, quota.Rate} // it is no instance, and on demand in no hour
	quotaOfSums        = []quota.Kind{quota.GPUs, quota.Instances, quota.Rate}
)

// quotasAllow refuses what a quota is in the way of, with the rule, how much is used of it, and who can raise it. What is used
// is looked at now and whenever something that is reserved begins meanwhile: what has no end goes on for ever.
func (t *tx) quotasAllow(a quotaAsk) error {
	found, at, err := t.quotaInTheWay(a)
	if err != nil || found == nil {
		return err
	}
	return t.quotaRefusal(&a, found, at)
}

func (t *tx) quotaInTheWay(a quotaAsk) (*quota.Refusal, time.Time, error) {
	rules, grants, err := t.quotaRules(a.teamID)
	if err != nil || len(rules) == 0 {
		return nil, a.from, err
	}
	zone, err := t.siteZone()
	if err != nil {
		return nil, a.from, err
	}
	spans, err := t.heldBy(a.teamID)
	if err != nil {
		return nil, a.from, err
	}
	r := quota.Request{Team: a.teamID, Member: a.personID, Pool: a.poolID, Milli: 1000 * int64(a.gpuCount), RateMicrosPerHour: a.rate, Spot: a.spot, Term: a.term, Only: a.only}
	if found := quota.Check(r, heldAt(spans, a.from, a.except), rules, grants, a.from, zone); found != nil {
		return found, a.from, nil
	}
	r.Only = slices.DeleteFunc(slices.Clone(quotaOfSums), func(k quota.Kind) bool { return a.only != nil && !slices.Contains(a.only, k) })
	for _, at := range begins(spans, a) {
		if found := quota.Check(r, heldAt(spans, at, a.except), rules, grants, at, zone); found != nil {
			return found, at, nil
		}
	}
	return nil, a.from, nil
}

// begins are the moments within what is asked for at which more is held, in order.
func begins(spans []heldSpan, a quotaAsk) []time.Time {
	var at []time.Time
	for k := range spans {
		if from := spans[k].from; from != nil && from.After(a.from) && (a.to == nil || from.Before(*a.to)) {
			at = append(at, *from)
		}
	}
	slices.SortFunc(at, time.Time.Compare)
	return at
}

// quotaRules are the rules of a team and all that was granted.
func (t *tx) quotaRules(teamID string) ([]quota.Rule, []quota.Grant, error) {
	all, err := list(t, scanQuota, quotaQuery+"WHERE q.ended_at IS NULL AND q.team_id = ? ORDER BY q.seq", teamID)
	if err != nil || len(all) == 0 {
		return nil, nil, err
	}
	rules := make([]quota.Rule, len(all))
	for k := range all {
		rules[k] = all[k].rule()
	}
	grants, err := list(t, func(r scanner) (quota.Grant, error) {
		var g quota.Grant
		var until int64
		err := r.Scan(&g.RuleID, &g.Limit, &until)
		g.Until = fromMicros(until)
		return g, err
	}, `SELECT g.quota_id, g.limit_value, g.until_at FROM quota_grant g JOIN quota q ON q.id = g.quota_id
		WHERE q.team_id = ? AND q.ended_at IS NULL AND g.ended_at IS NULL AND g.until_at > ?`, teamID, micros(t.now))
	return rules, grants, err
}

// quotaRefusal says what is in the way: whose rule, how much of it is used, and who can raise it.
func (t *tx) quotaRefusal(a *quotaAsk, found *quota.Refusal, at time.Time) error {
	q, err := t.quota(found.Rule.ID)
	if err != nil {
		return err
	}
	site, err := t.site()
	if err != nil {
		return err
	}
	zone, err := t.siteZone()
	if err != nil {
		return err
	}
	people, err := t.quotaRaisers(&q, a.personID)
	if err != nil {
		return err
	}
	show := func(n int64) string { return QuotaAmount(q.Kind, n, site.Currency) }
	later := at.After(t.now) && q.Kind.Sums()
	e := &Error{Kind: QuotaBlocks, Args: map[string]string{
		"quota": q.ID, "whose": q.TeamName, "pool": q.GPUModel, "limit": show(found.Limit), "used": show(found.Used), "would": show(found.Would), "raised_by": strings.Join(namesOf(people), ", "),
		"kind": string(q.Kind), "limit_value": strconv.FormatInt(found.Limit, 10), "used_value": strconv.FormatInt(found.Used, 10), "would_value": strconv.FormatInt(found.Would, 10)}}
	if q.PersonID != "" {
		e.Args["whose"] = q.PersonName
	}
	if q.PoolID != "" {
		e.Args["whose"] += " · " + q.GPUModel
	}
	e.Message = quotaMessage(found, later)
	if found.Allowed != nil {
		e.Args["allowed"] = found.Allowed.In(zone).Format("2006-01-02 15:04 MST")
	}
	if later {
		e.Args["at"] = at.In(zone).Format("2006-01-02 15:04 MST")
	}
	return e
}

// quotaMessage is what a refusal says; later: not what is used now is in the way, but what will be.
func quotaMessage(found *quota.Refusal, later bool) (key Key) {
	switch kind := found.Rule.Kind; {
	case kind == quota.GPUs && later:
		key = "quota_gpus_later"
	case kind == quota.GPUs:
		key = "quota_gpus"
	case kind == quota.Instances && later:
		key = "quota_instances_later"
	case kind == quota.Instances:
		key = "quota_instances"
	case kind == quota.Rate && later:
		key = "quota_rate_later"
	case kind == quota.Rate:
		key = "quota_rate"
	case found.Open:
		key = "quota_term_open"
	case kind == quota.Term:
		key = "quota_term"
	case kind == quota.SpotOnly:
		key = "quota_spot_only"
	case found.Allowed == nil:
		key = "quota_hours_never"
	default:
		key = "quota_hours"
	}
	return key
}

// namesOf are people's names in order.
func namesOf(people []Person) []string {
	names := make([]string, len(people))
	for k := range people {
		names[k] = people[k].Name
	}
	slices.Sort(names)
	return names
}

// QuotaAmount is a number of a kind as texts have it: GPUs, instances, money an hour, hours.
func QuotaAmount(k QuotaKind, n int64, currency string) string {
	switch k {
	case quota.GPUs, quota.Term:
		return decimal(n, k.One())
	case quota.Rate:
		return money.Format(n) + " " + currency
	}
	return strconv.FormatInt(n, 10)
}

// decimal is n units of which so many are one, with at most three places after the point, cut off.
func decimal(n, one int64) string {
	whole, rest := n/one, n%one*1000/one
	if rest == 0 {
		return strconv.FormatInt(whole, 10)
	}
	return strconv.FormatInt(whole, 10) + "." + strings.TrimRight(strconv.FormatInt(1000+rest, 10)[1:], "0")
}

// quotaRaisers are who can raise a quota for a person: the managers for a member's, admins for any; nobody but an admin
// their own.
func (t *tx) quotaRaisers(q *Quota, personID string) ([]Person, error) {
	admins, err := t.admins()
	if err != nil || q.PersonID == "" {
		return admins, err
	}
	people, err := t.managers(q.TeamID)
	if err != nil {
		return nil, err
	}
	people = slices.DeleteFunc(people, func(p Person) bool { return p.ID == personID })
	if len(people) == 0 {
		return admins, nil
	}
	return people, nil
}
