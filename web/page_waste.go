package web

import (
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/idle"
	"github.com/meterhouse/meterhouse/views"
)

// wastePage is GET /costs/waste?days=7&group=GROUP: each sees the own, a manager the team's, an admin all.
func (s *Server) wastePage(c *call) error {
	v := views.WastePage{Page: s.page(c), Days: 7, Group: c.QueryParam("group"), Own: !c.can(store.Manager)}
	switch c.QueryParam("days") {
	case "", "7":
	case "30":
		v.Days = 30
	default:
		return invalid("days", "out_of_range")
	}
	if v.Group == "" {
		v.Group = "instance"
	}
	if !slices.Contains([]string{"instance", "member", "workload"}, v.Group) {
		return invalid("group", "unknown_group")
	}
	now := s.now()
	q := store.WasteQuery{From: now.AddDate(0, 0, -v.Days), To: now, TeamID: c.team()}
	if v.Own {
		q.PersonID = c.who.ID
	}
	if !c.who.Admin {
		v.Whose = c.who.TeamName
	}
	rows, err := s.store.Waste(c.Request().Context(), q)
	if err != nil {
		return err
	}
	wasteRows(&v, rows)
	return s.show(c, views.Waste(v))
}

// wasted gathers the rows of one group.
type wasted struct {
	row         views.WasteRow
	known, used time.Duration
}

func (w *wasted) add(r store.WasteRow) {
	w.row.UsedMicros, w.row.IdleMicros, w.row.UnknownMicros = w.row.UsedMicros+r.Parts.Used, w.row.IdleMicros+r.Parts.Idle, w.row.UnknownMicros+r.Parts.Unknown
	w.known, w.used = w.known+r.Known, w.used+r.Used
}

func (w *wasted) done() views.WasteRow {
	w.row.Activity = views.Unknown("not_read")
	if known := int64(w.known / time.Millisecond); known > 0 {
		w.row.Activity = views.Known(int64(w.used/time.Millisecond) * 1000 / known)
	}
	return w.row
}

// wasteRows groups what the store says, that with the most idle cost first.
func wasteRows(v *views.WastePage, rows []store.WasteRow) {
	var groups []*wasted
	var total wasted
	by := map[string]*wasted{}
	for _, r := range rows {
		key, row := r.ID, views.WasteRow{Name: r.Name, Simulated: r.Simulated}
		switch {
		case v.Group == "member":
			key, row = r.PersonID, views.WasteRow{Name: r.PersonName}
		case v.Group == "workload":
			key, row = workload(r.Workload)
		case r.Reservation && r.Name != "":
			row.URL = "/reservations/" + r.ID
		case !r.Reservation:
			row.URL = "/instances/" + r.ID
		}
		if by[key] == nil {
			by[key] = &wasted{row: row}
			groups = append(groups, by[key])
		}
		by[key].add(r)
		total.add(r)
	}
	slices.SortStableFunc(groups, func(a, b *wasted) int { return int(min(max(b.row.IdleMicros-a.row.IdleMicros, -1), 1)) })
	for _, g := range groups {
		v.Rows = append(v.Rows, g.done())
	}
	v.Total = total.done()
}

// workload is the row of a workload of the matrix; of any other, that of those that name none.
func workload(name string) (key string, row views.WasteRow) {
	for _, b := range idle.Bands {
		if b.Workload == name {
			return name, views.WasteRow{Name: name, Low: b.Low, High: b.High}
		}
	}
	return "", views.WasteRow{}
}
