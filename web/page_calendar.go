package web

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
)

// calendarPage is GET /calendar. With start and end in its address the form is filled in.
func (s *Server) calendarPage(c *call) error {
	v, plans, err := s.calendarView(c)
	if err != nil {
		return err
	}
	v.NewFeed = s.feedAddress(c, s.secrets.take(c.session.ID))
	if v.Reserve != nil {
		f := c.QueryParams()
		v.Reserve.Form.Values = url.Values{"plan": {v.Reserve.Plans[0].Value}, "gpu_count": {"1"}}
		for _, field := range []string{"plan", "gpu_count", "gpus", "start", "end", "start_which", "end_which", "name"} {
			if f.Get(field) != "" {
				v.Reserve.Form.Values[field] = f[field]
			}
		}
		if f.Has("start") && f.Has("end") {
			if err := s.quoteReserve(c, &v, plans); err != nil {
				return err
			}
		}
	}
	return s.show(c, views.Calendar(v))
}

// calendarView is the page without what is typed into its form.
func (s *Server) calendarView(c *call) (views.CalendarPage, []store.Plan, error) {
	ctx := c.Request().Context()
	v := views.CalendarPage{Page: s.page(c), View: "week", Pool: c.QueryParam("pool"), Pools: []views.Option{{Label: c.t.CalendarAllPools()}}}
	v.Path = "/calendar"
	if c.QueryParam("view") == "month" {
		v.View = "month"
	}
	zone, err := s.zone(c)
	if err != nil {
		return v, nil, err
	}
	at, err := moment("from", c.QueryParam("from"), zone, v.Now)
	if err != nil {
		return v, nil, err
	}
	calendarTimes(&v, at.In(zone))
	for _, feed := range []func() error{
		func() error { return s.calendarGroups(c, &v) },
		func() error { return s.calendarFeeds(c, &v) },
	} {
		if err := feed(); err != nil {
			return v, nil, err
		}
	}
	plans, err := s.store.Plans(ctx)
	if err != nil || !c.can(store.Member) {
		return v, plans, err
	}
	v.Reserve = &views.ReserveForm{}
	for _, p := range plans {
		if p.GPUCount == 1 {
			v.Reserve.Plans = append(v.Reserve.Plans, views.Option{Value: p.ID, Label: c.t.Named(p.GPUModel, p.Simulated)})
		}
	}
	if len(v.Reserve.Plans) == 0 {
		v.Reserve = nil
	}
	for _, g := range v.Groups {
		for _, l := range g.Lanes {
			if v.Reserve != nil {
				v.Reserve.GPUs = append(v.Reserve.GPUs, views.CalendarGPU{UUID: l.UUID, Name: l.Name, Model: c.t.Named(g.Model, g.Simulated) + " · " + g.Node})
			}
		}
	}
	return v, plans, nil
}

// calendarTimes sets what time the page shows: the week, from its Monday, or the month in which a day lies. Each day begins
// at the midnight that the zone's clocks show.
func calendarTimes(v *views.CalendarPage, day time.Time) {
	y, m, d := day.Date()
	step := func(n int) time.Time { return time.Date(y, m, d+7*n, 0, 0, 0, 0, day.Location()) }
	if v.View == "month" {
		step = func(n int) time.Time { return time.Date(y, m+time.Month(n), 1, 0, 0, 0, 0, day.Location()) }
	} else {
		d -= (int(day.Weekday()) + 6) % 7
	}
	v.From, v.To = step(0), step(1)
	for at := v.From; at.Before(v.To); {
		v.Days = append(v.Days, at)
		y, m, d := at.Date()
		at = time.Date(y, m, d+1, 0, 0, 0, 0, day.Location())
	}
	address := func(from time.Time) string {
		q := url.Values{"view": {v.View}}
		if !from.IsZero() {
			q.Set("from", from.Format(time.DateOnly))
		}
		if v.Pool != "" {
			q.Set("pool", v.Pool)
		}
		return "/calendar?" + q.Encode()
	}
	v.Prev, v.This, v.Next = address(step(-1)), address(time.Time{}), address(step(1))
}

// calendarGroups fills in the GPUs and who has them.
func (s *Server) calendarGroups(c *call, v *views.CalendarPage) error {
	ctx := c.Request().Context()
	gpus, err := s.store.GPUs(ctx)
	if err != nil {
		return err
	}
	slices.SortStableFunc(gpus, func(a, b store.GPU) int { return cmp.Compare(a.PoolID, b.PoolID) })
	taken, err := s.store.Occupancy(ctx, v.From, v.To)
	if err != nil {
		return err
	}
	nodes, err := s.store.Nodes(ctx)
	if err != nil {
		return err
	}
	shown := map[string]bool{}
	lastPool, lastNode := "", ""
	for k := range gpus {
		g := &gpus[k]
		if !slices.ContainsFunc(v.Pools, func(o views.Option) bool { return o.Value == g.PoolID }) {
			v.Pools = append(v.Pools, views.Option{Value: g.PoolID, Label: c.t.Named(g.Model, g.Simulated)})
		}
		if v.Pool != "" && v.Pool != g.PoolID {
			continue
		}
		shown[g.UUID] = true
		if n := len(v.Groups); n == 0 || lastPool != g.PoolID || lastNode != g.NodeName {
			v.Groups = append(v.Groups, views.CalendarGroup{Model: g.Model, Node: g.NodeName, Simulated: g.Simulated, Plan: g.PoolID + "-x1"})
		}
		lastPool, lastNode = g.PoolID, g.NodeName
		group := &v.Groups[len(v.Groups)-1]
		lane := views.CalendarLane{UUID: g.UUID, Name: gpuName(g)}
		for _, t := range taken {
			if t.GPU == g.UUID {
				lane.Spans = append(lane.Spans, calendarSpan(c, v, t))
			}
		}
		out := g.State
		if at := slices.IndexFunc(nodes, func(n store.Node) bool { return n.ID == g.NodeID }); at >= 0 && !nodes[at].Open() {
			out = "node_" + nodes[at].State
		}
		lane.Spans = inOrder(lane.Spans, outOfService(v, out, g.StateSince))
		group.Lanes = append(group.Lanes, lane)
	}
	for k := range v.Groups {
		v.Groups[k].Free = freeSpans(v.Groups[k].Lanes)
	}
	v.Listed = calendarListed(c, v, taken, shown)
	return nil
}

// calendarFeeds fills in the person's feeds.
func (s *Server) calendarFeeds(c *call, v *views.CalendarPage) error {
	feeds, err := s.store.Feeds(c.Request().Context(), c.who.ID)
	for _, f := range feeds {
		v.Feeds = append(v.Feeds, views.Feed{ID: f.ID, CreatedAt: f.CreatedAt, UsedAt: timeOrZero(f.UsedAt)})
	}
	return err
}

// calendarListed is what the page shows in words: each reservation and instance once.
func calendarListed(c *call, v *views.CalendarPage, taken []store.Taken, shown map[string]bool) []views.CalendarDay {
	var days []views.CalendarDay
	at := map[string]*views.CalendarEntry{}
	var entries []*views.CalendarEntry
	for _, t := range taken {
		if !shown[t.GPU] {
			continue
		}
		if e := at[t.ID]; e != nil {
			e.Count++
			continue
		}
		e := calendarEntry(c, t)
		at[t.ID] = &e
		entries = append(entries, &e)
	}
	slices.SortStableFunc(entries, func(a, b *views.CalendarEntry) int { return a.From.Compare(b.From) })
	for _, e := range entries {
		k := 0
		for k+1 < len(v.Days) && !e.From.Before(v.Days[k+1]) {
			k++
		}
		if n := len(days); n == 0 || !days[n-1].Day.Equal(v.Days[k]) {
			days = append(days, views.CalendarDay{Day: v.Days[k]})
		}
		last := &days[len(days)-1]
		last.Entries = append(last.Entries, *e)
	}
	return days
}

// calendarEntry is who has a GPU, in words: by name where it is the person's business.
func calendarEntry(c *call, t store.Taken) views.CalendarEntry {
	e := views.CalendarEntry{From: t.From, To: timeOrZero(t.To), Kind: string(t.Kind), Count: 1, Model: t.Model, Because: t.Because}
	if c.sees(t.TeamID) {
		e.Name, e.Team, e.URL = t.Name, t.TeamName, takenPath(t)
	}
	return e
}

func takenPath(t store.Taken) string {
	if t.Reservation {
		return "/reservations/" + t.ID
	}
	return "/instances/" + t.ID
}

// reservedCount reads the number of GPUs; what is named counts itself.
func reservedCount(f url.Values) (int, error) {
	if len(f["gpus"]) > 0 {
		return len(f["gpus"]), nil
	}
	n, err := strconv.Atoi(cmp.Or(trimmed(f, "gpu_count"), "1"))
	if err != nil || n < 1 || n > maxGPUCount {
		return 0, invalid("gpu_count", "wrong_gpu_count")
	}
	return n, nil
}
