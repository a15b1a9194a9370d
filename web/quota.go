package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
)

// quotaRow is a limit as pages show it.
func quotaRow(c *call, q store.Quota) views.QuotaRow {
	limit, _ := q.LimitNow()
	row := views.QuotaRow{ID: q.ID, Team: q.TeamName, Member: q.PersonName, Pool: q.GPUModel, Own: q.PersonID == c.who.ID, Kind: string(q.Kind), Limit: limit, Used: q.Used, Hours: q.Hours}
	role := c.who.RoleIn(q.TeamID)
	row.CanEdit = role == store.Admin || role.AtLeast(store.Manager) && q.PersonID != "" && !row.Own
	row.CanAsk = role.AtLeast(store.Member) && role != store.Admin && (q.PersonID == "" || row.Own)
	for _, g := range q.Grants {
		row.Grants = append(row.Grants, views.QuotaGrantRow{ID: g.ID, Limit: g.Limit, Until: g.Until, For: g.For})
	}
	return row
}

func requestRow(c *call, r store.QuotaRequest) views.QuotaRequestRow {
	return views.QuotaRequestRow{ID: r.ID, Who: r.PersonName, Row: quotaRow(c, r.Quota), Wanted: r.Limit, Granted: r.Granted, Hours: r.Hours, Why: r.Why, AskedAt: r.AskedAt,
		State: r.State, By: r.DecidedBy, Reason: r.Reason, Until: timeOrZero(r.Until)}
}

// parseQuota reads a limit as a person writes it: exactly, in the kind's unit.
func parseQuota(field string, kind store.QuotaKind, text string) (int64, error) {
	one := kind.One()
	if one == 0 {
		return 0, nil
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, invalid(field, "required")
	}
	if text == "0" {
		return 0, nil
	}
	micros, err := parseMoney(field, text) // an exact decimal of six places
	if err != nil || micros > 1<<62/3600 || micros*one%1_000_000 != 0 && kind != "term" {
		return 0, invalid(field, "quota_limit_wrong")
	}
	if kind == "rate" {
		return micros, nil
	}
	return micros * one / 1_000_000, nil
}

// parseWeek reads days (0 is Sunday) and hours of the form; an end that is not after the begin is on the next day.
func parseWeek(f url.Values) (w store.QuotaWeek, err error) {
	from, err := hourOf(f, "from", 0, 23)
	if err != nil {
		return w, err
	}
	to, err := hourOf(f, "to", 24, 24)
	if err != nil {
		return w, err
	}
	for _, text := range f["day"] {
		day, err := strconv.Atoi(text)
		if err != nil || day < 0 || day > 6 {
			return w, invalid("day", "out_of_range")
		}
		if to > from {
			w = w.With(time.Weekday(day), from, to)
		} else {
			w = w.With(time.Weekday(day), from, 24).With(time.Weekday((day+1)%7), 0, to)
		}
	}
	return w, nil
}

func hourOf(f url.Values, field string, unsaid, most int) (int, error) {
	text := trimmed(f, field)
	if text == "" {
		return unsaid, nil
	}
	h, err := strconv.Atoi(text)
	if err != nil || h < 0 || h > most {
		return 0, invalid(field, "out_of_range")
	}
	return h, nil
}

// quotaValues is a limit as the form would have it. Hours that the form can't say begin anew.
func quotaValues(q store.Quota) url.Values {
	v := url.Values{"scope": {scopeValue(q.TeamID, q.PersonID)}, "pool": {q.PoolID}, "kind": {string(q.Kind)}}
	if !q.Kind.Lifts() {
		v.Set("limit", views.QuotaPlain(string(q.Kind), q.Limit))
	}
	return v
}

// quotaScopes are whose limits the person may set: an admin everybody's, a manager the members' but for their own.
func (s *Server) quotaScopes(c *call) ([]views.Option, error) {
	all, err := s.budgetScopes(c)
	if err != nil || c.who.Admin {
		return all, err
	}
	return slices.DeleteFunc(all, func(o views.Option) bool {
		return strings.HasPrefix(o.Value, "team:") || strings.HasSuffix(o.Value, ":"+c.who.ID)
	}), nil
}

// quotaPools are the pools that GPUs are in.
func (s *Server) quotaPools(c *call) ([]views.Option, error) {
	pools := []views.Option{{Value: "", Label: c.t.QuotaAllPools()}}
	gpus, err := s.store.GPUs(c.Request().Context())
	if err != nil {
		return nil, err
	}
	for i := range gpus {
		g := &gpus[i]
		if slices.ContainsFunc(pools, func(o views.Option) bool { return o.Value == g.PoolID }) {
			continue
		}
		pools = append(pools, views.Option{Value: g.PoolID, Label: c.t.Named(g.Model, g.Simulated)})
	}
	return pools, nil
}

// quotaAsk is the form to ask for more of a limit, with what is wanted of it already in.
func (s *Server) quotaAsk(c *call, id string, wanted int64) (*views.QuotaAsk, error) {
	q, err := s.quota(c, id)
	if err != nil {
		return nil, err
	}
	row := quotaRow(c, q)
	if !row.CanAsk {
		return nil, nil
	}
	raisers, err := s.store.QuotaRaisers(c.Request().Context(), id, c.who.ID)
	if err != nil {
		return nil, err
	}
	a := &views.QuotaAsk{Row: row, Raisers: c.t.List(raisers)}
	a.Form.Values = url.Values{"hours": {"24"}}
	if wanted > row.Limit {
		a.Form.Values.Set("limit", views.QuotaPlain(row.Kind, wanted))
	}
	return a, nil
}

// quota loads a limit that the person may see.
func (s *Server) quota(c *call, id string) (store.Quota, error) {
	if !plainID(id) {
		return store.Quota{}, notFound("quota")
	}
	q, err := s.store.Quota(c.Request().Context(), id)
	if err == nil && !c.sees(q.TeamID) {
		err = notFound("quota")
	}
	if err != nil {
		return store.Quota{}, err
	}
	return q, nil
}

// quotaInTheWay is the form to ask for more where an error says that a limit is in the way, nil for any other error.
func (s *Server) quotaInTheWay(c *call, err error) (*views.QuotaAsk, error) {
	e := explain(err)
	if e.Kind != store.QuotaBlocks {
		return nil, nil
	}
	wanted, _ := strconv.ParseInt(e.Args["would_value"], 10, 64) // 0 where there is none
	return s.quotaAsk(c, e.Args["quota"], wanted)
}

// quoteQuota says before the click that a limit is in the way.
func (s *Server) quoteQuota(c *call, q *views.Quote, w want) {
	err := s.store.QuotaRefuses(c.Request().Context(), w.request)
	if store.KindOf(err) == store.QuotaBlocks {
		q.Starts, q.Refused = "refused", words(c.t, explain(err))
	}
}
