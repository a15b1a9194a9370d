package web

import (
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
)

// costsPage is GET /costs?month=2026-11&group=GROUP.
func (s *Server) costsPage(c *call) error {
	v := views.CostsPage{Page: s.page(c), Whose: c.who.TeamName}
	if c.who.Admin {
		v.Whose = ""
	}
	now := s.now()
	this := monthOf(now, v.Zone).In(v.Zone)
	begin := this
	if text := c.QueryParam("month"); text != "" {
		at, err := v.ParseMonth(text)
		if err != nil || at.Year() < 2000 || at.After(this) {
			return invalid("month", "wrong_time")
		}
		begin = at
	}
	end := begin.AddDate(0, 1, 0)
	v.From, v.To, v.Month = begin, end, v.MonthOf(begin)
	v.Previous = v.MonthOf(begin.AddDate(0, -1, 0))
	if end.Before(now) {
		v.NextMonth = v.MonthOf(end)
	}
	by, err := s.costGroup(c, &v)
	if err != nil {
		return err
	}
	// Cuts through the same ledger at one moment: they must add up to the same, and the page says whether they do.
	last, past := begin.AddDate(0, -1, 0), begin.AddDate(0, 1-monthsShown, 0)
	cuts, err := s.store.Usages(c.Request().Context(), store.UsageQuery{From: v.From, To: v.To, GroupBy: by, TeamID: c.team()},
		store.UsageQuery{From: past, To: v.To, GroupBy: "day", TeamID: c.team()},
		store.UsageQuery{From: last, To: v.From, GroupBy: by, TeamID: c.team()})
	if err != nil {
		return err
	}
	simulated, err := s.simulatedModels(c)
	if err != nil {
		return err
	}
	costRows(&v, cuts[0], cuts[2], simulated)
	costDays(&v, cuts[1], now)
	costMonths(&v, cuts[1], past)
	return s.show(c, views.Costs(v))
}

// groups are what costs are shown by → how the store calls it. Instances are those of the ledger.
var groups = map[string]string{"team": "team", "member": "member", "label": "label:", "gpu_model": "gpu_model", "instance": "instance"}

// costGroup is what the page groups by, as the store calls it.
func (s *Server) costGroup(c *call, v *views.CostsPage) (string, error) {
	v.Group = c.QueryParam("group")
	if v.Group == "" {
		v.Group = "member"
	}
	by, known := groups[v.Group]
	if v.Group == "label" {
		key, err := s.commonLabel(c)
		if err != nil {
			return "", err
		}
		by += key
		known = usageGroup(by)
	}
	if !known {
		return "", invalid("group", "unknown_group")
	}
	return by, nil
}

// monthsShown is how many months stand side by side.
const monthsShown = 12

// costRows are the groups, the most expensive first; then those that cost something in the month before alone.
func costRows(v *views.CostsPage, rows, last []store.UsageRow, simulated map[string]bool) {
	before := make(map[string]int64)
	for _, r := range last {
		before[r.Key] = r.CostMicros
		v.LastMicros += r.CostMicros
		if !slices.ContainsFunc(rows, func(now store.UsageRow) bool { return now.Key == r.Key }) {
			rows = append(rows, store.UsageRow{Key: r.Key, Name: r.Name})
		}
	}
	for _, r := range rows {
		url := ""
		if v.Group == "instance" {
			url = "/instances/" + r.Key
		}
		v.Rows = append(v.Rows, views.CostRow{Name: r.Name, URL: url, GPUSeconds: r.GPUSeconds, Micros: r.CostMicros, LastMicros: before[r.Key], Simulated: v.Group == "gpu_model" && simulated[r.Key]})
		v.TotalMicros += r.CostMicros
	}
}

// commonLabel is the label by which costs are grouped: the one asked for, else the one that most instances have.
func (s *Server) commonLabel(c *call) (string, error) {
	if key := c.QueryParam("label"); key != "" {
		return key, nil
	}
	list, _, err := s.store.Instances(c.Request().Context(), store.Filter{TeamID: c.team(), Limit: maxCounted})
	if err != nil {
		return "", err
	}
	counts := make(map[string]int)
	for _, in := range list {
		for key := range in.Labels {
			counts[key]++
		}
	}
	best := "project" // what it is called where nobody has labels yet
	for key, n := range counts {
		if n > counts[best] || n == counts[best] && key < best {
			best = key
		}
	}
	return best, nil
}

// simulatedModels are the models of which this site has simulated GPUs alone.
func (s *Server) simulatedModels(c *call) (map[string]bool, error) {
	gpus, err := s.store.GPUs(c.Request().Context())
	if err != nil {
		return nil, err
	}
	models := make(map[string]bool)
	for i := range gpus {
		before, seen := models[gpus[i].Model]
		models[gpus[i].Model] = gpus[i].Simulated && (before || !seen)
	}
	return models, nil
}

// costDays is the same period by day.
func costDays(v *views.CostsPage, rows []store.UsageRow, now time.Time) {
	of := make(map[string]int64)
	for _, r := range rows {
		of[r.Key] += r.CostMicros
		if r.Key >= v.DayOf(v.From) {
			v.LedgerMicros += r.CostMicros
		}
	}
	for day := v.From; day.Before(v.To); day = day.AddDate(0, 0, 1) {
		v.Days = append(v.Days, views.CostDay{Day: day, Micros: of[v.DayOf(day)], Future: day.After(now)})
	}
}

// costMonths adds the days up by month.
func costMonths(v *views.CostsPage, rows []store.UsageRow, from time.Time) {
	of := make(map[string]int64)
	for _, r := range rows {
		of[r.Key[:len("2006-01")]] += r.CostMicros
	}
	for m := from; m.Before(v.To); m = m.AddDate(0, 1, 0) {
		v.Months = append(v.Months, views.CostMonth{Month: m, Micros: of[v.MonthOf(m)], Current: m.Equal(v.From)})
	}
}
