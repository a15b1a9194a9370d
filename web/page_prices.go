package web

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/money"
	"github.com/meterhouse/meterhouse/store/term"
	"github.com/meterhouse/meterhouse/views"
)

func (s *Server) pricesPage(c *call) error {
	v, err := s.pricesView(c)
	if err != nil {
		return err
	}
	return s.show(c, views.Prices(v))
}

func (s *Server) pricesView(c *call) (v views.PricesPage, err error) {
	v = views.PricesPage{Page: s.page(c)}
	v.Path = "/admin/prices"
	for _, fill := range []func(*call, *views.PricesPage) error{s.fillPrices, s.fillDiscounts, s.fillTerms, s.fillSpot} {
		if err := fill(c, &v); err != nil {
			return v, err
		}
	}
	return v, nil
}

func (s *Server) fillPrices(c *call, v *views.PricesPage) error {
	all, err := s.store.Prices(c.Request().Context())
	if err != nil {
		return err
	}
	for _, p := range all {
		if n := len(v.Pools); n == 0 || v.Pools[n-1].Name != p.PoolID {
			v.Pools = append(v.Pools, views.PricePool{Name: p.PoolID, Simulated: p.Plan.Simulated})
		}
		pool := &v.Pools[len(v.Pools)-1]
		now, _ := p.Holds(s.now())
		row := views.PlanRow{ID: p.Plan.ID, GPUs: p.Plan.GPUCount, Micros: now.MicrosPerHour, Since: now.StartsAt, Version: now.Version, Newest: p.Newest(), By: now.By, Next: views.Unknown("not_offered")}
		for _, version := range p.Versions {
			if version.StartsAt.After(s.now()) && (!row.Next.Known || version.StartsAt.Before(row.NextStart)) {
				row.Next, row.NextStart = views.Known(version.MicrosPerHour), version.StartsAt
			}
		}
		pool.Plans = append(pool.Plans, row)
	}
	return nil
}

func (s *Server) fillDiscounts(c *call, v *views.PricesPage) error {
	all, err := s.store.Discounts(c.Request().Context())
	if err != nil {
		return err
	}
	held := map[string]bool{}
	if len(all) > 0 {
		v.DiscountSeen = all[0].ID
	}
	for _, d := range all {
		row := views.DiscountRow{TeamID: d.TeamID, Team: d.TeamName, PoolID: d.PoolID, Pool: d.PoolID, StartsAt: d.StartsAt, By: d.By, Later: d.StartsAt.After(s.now()), Ends: d.PPM == nil}
		if d.PPM != nil {
			row.PPM = *d.PPM
		}
		rule := d.TeamID + " " + d.PoolID
		if !row.Later && held[rule] {
			continue // an older version
		}
		held[rule] = held[rule] || !row.Later
		if row.Later || !row.Ends {
			v.Discounts = append(v.Discounts, row)
		}
	}
	teams, err := s.store.Teams(c.Request().Context())
	v.Teams, v.Where = []views.Option{{Label: c.t.EveryTeam()}}, []views.Option{{Label: c.t.EveryPool()}}
	for _, t := range teams {
		v.Teams = append(v.Teams, views.Option{Value: t.ID, Label: t.Name})
	}
	for _, pool := range v.Pools {
		if pool.Name != "" {
			v.Where = append(v.Where, views.Option{Value: pool.Name, Label: pool.Name, Lang: "en"})
		}
	}
	return err
}

func (s *Server) fillTerms(c *call, v *views.PricesPage) error {
	now, err := s.store.Terms(c.Request().Context())
	if err != nil {
		return err
	}
	lists, err := s.store.TermLists(c.Request().Context())
	v.Terms, v.TermsForm.Values = termSteps(now), url.Values{}
	if len(lists) > 0 {
		v.TermsVersion = lists[0].Version
	}
	for k, step := range now {
		length, unit := step.From.Days, "d"
		if step.From.Months > 0 {
			length, unit = step.From.Months, "m"
		}
		n := "-" + strconv.Itoa(k+1)
		v.TermsForm.Values.Set("length"+n, strconv.Itoa(length))
		v.TermsForm.Values.Set("unit"+n, unit)
		v.TermsForm.Values.Set("percent"+n, views.PlainPercent(step.DiscountPPM))
	}
	for _, l := range lists {
		if l.StartsAt.After(s.now()) && (v.TermsStart.IsZero() || l.StartsAt.Before(v.TermsStart)) {
			v.TermsNext, v.TermsStart = termSteps(l.Steps), l.StartsAt
		}
	}
	return err
}

func termSteps(steps []term.Step) []views.TermStep {
	out := make([]views.TermStep, 0, len(steps))
	for _, step := range steps {
		out = append(out, views.TermStep{Days: step.From.Days, Months: step.From.Months, PPM: step.DiscountPPM})
	}
	return out
}

func (s *Server) fillSpot(c *call, v *views.PricesPage) error {
	all, err := s.store.SpotMarkets(c.Request().Context())
	for _, m := range all {
		v.SpotPools = append(v.SpotPools, views.Option{Value: m.PoolID, Label: m.PoolID + " · " + views.PPM(m.MinimumPPM), Lang: "en"})
	}
	return err
}

// startsField reads when something begins to hold: zero for at once.
func (s *Server) startsField(c *call) (time.Time, error) {
	text := c.text("starts")
	if text == "" {
		return time.Time{}, nil
	}
	zone, err := s.zone(c)
	if err != nil {
		return time.Time{}, err
	}
	at, _, _, err := wallTime("starts", text, "1", zone)
	return at, err
}

// percentField reads per cent with up to four decimals as parts per million.
func percentField(field, text string) (int64, error) {
	micros, err := money.Parse(strings.TrimSuffix(strings.TrimSpace(text), "%"))
	if err != nil || micros%100 != 0 || micros < 0 {
		return 0, invalid(field, "percent_wrong")
	}
	return micros / 100, nil
}

// pricesForm is POST /admin/prices: it tries the prices that were typed, or publishes them.
func (s *Server) pricesForm(c *call) error {
	v, err := s.pricesView(c)
	if err != nil {
		return err
	}
	changes, err := changedPrices(c, v.Pools)
	starts, startsErr := s.startsField(c)
	if err == nil {
		err = startsErr
	}
	publish := c.text("do") == "publish"
	switch {
	case err != nil:
	case publish:
		err = sentBefore(s.store.SetPrices(c.Request().Context(), c.who.ID, changes, starts, c.request()))
		if err != nil && explain(err).Message == "price_changed_since" {
			err = renamed(err, map[string]string{"price": "price-" + explain(err).Args["plan"]})
		}
	case len(changes) == 0:
		err = &store.Error{Kind: store.Invalid, Message: "prices_unchanged"}
	default:
		v.Trial, err = s.tryPrices(c, changes)
	}
	v.Form = c.typedForm(err)
	switch {
	case err != nil && typed(err):
		return s.showAgain(c, err, views.Prices(v))
	case err != nil:
		return err
	case publish:
		return s.done(c, "/admin/prices", flash{Key: "prices_published", Name: strconv.Itoa(len(changes))})
	}
	return s.show(c, views.Prices(v))
}

// changedPrices reads those of the prices that were typed that are other than now.
func changedPrices(c *call, pools []views.PricePool) ([]store.PriceChange, error) {
	var changes []store.PriceChange
	var bad wrong
	for _, pool := range pools {
		for _, p := range pool.Plans {
			field := "price-" + p.ID
			text := c.text(field)
			if text == "" {
				continue
			}
			micros, err := parseMoney(field, text)
			if err != nil || micros < 0 {
				bad = append(bad, invalid(field, "wrong_amount"))
			} else if micros != p.Micros {
				changes = append(changes, store.PriceChange{PlanID: p.ID, Kind: store.OnDemand, MicrosPerHour: micros, Seen: seenField(c, "seen-"+p.ID)})
			}
		}
	}
	return changes, bad.orNil()
}

// tryPrices is what last month's use would have cost each team.
func (s *Server) tryPrices(c *call, changes []store.PriceChange) (*views.PriceTrial, error) {
	zone, err := s.zone(c)
	if err != nil {
		return nil, err
	}
	to := monthOf(s.now(), zone)
	t := &views.PriceTrial{From: to.In(zone).AddDate(0, -1, 0), To: to, Changes: len(changes)}
	rows, err := s.store.TryPrices(c.Request().Context(), t.From, t.To, changes)
	for k, r := range rows { // they come team by team
		if k == 0 || rows[k-1].TeamID != r.TeamID {
			t.Rows = append(t.Rows, views.TrialRow{Team: r.TeamName})
		}
		row := &t.Rows[len(t.Rows)-1]
		row.GPUSeconds, row.WasMicros, row.WouldBe = row.GPUSeconds+r.GPUSeconds, row.WasMicros+r.WasMicros, row.WouldBe+r.WouldBeMicros
		t.WasMicros, t.WouldBe = t.WasMicros+r.WasMicros, t.WouldBe+r.WouldBeMicros
	}
	return t, err
}
