package web

import (
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/views"
)

func instanceRow(in store.Instance) views.InstanceRow {
	row := views.InstanceRow{
		ID: in.ID, Name: in.Name, Status: string(in.State), Kind: string(in.Kind), GPUModel: in.GPUModel, GPUCount: in.GPUCount, Simulated: in.Simulated,
		Node: in.NodeName, Owner: in.PersonName, Team: in.TeamName, RateMicrosPerHour: in.RateMicrosPerHour, CostMicros: in.CostMicros,
		CreatedAt: in.RequestedAt, StartedAt: timeOrZero(in.StartedAt), EndsAt: timeOrZero(in.EndsAt), StoppedAt: timeOrZero(in.EndedAt),
		QueuePlace: in.QueuePlace, Bench: in.BenchmarkID,
	}
	if at := in.ReclaimsAt(); in.State == life.Reclaiming && at != nil && (row.EndsAt.IsZero() || at.Before(row.EndsAt)) {
		row.EndsAt = *at // it was said when it ends, whatever hard end it had
	}
	return row
}

func (s *Server) instancesPage(c *call) error {
	f, err := instanceFilter(c)
	if err != nil {
		return err
	}
	list, next, err := s.store.Instances(c.Request().Context(), f)
	if err != nil {
		return err
	}
	v := views.InstancesPage{Page: s.page(c), Status: c.QueryParam("status"), Query: f.Query, Next: next, Paged: f.Cursor != ""}
	for _, in := range list {
		v.Rows = append(v.Rows, instanceRow(in))
	}
	if f.Query == "" {
		v.Counts = map[string]int{"live": v.Nav.Instances}
	}
	return s.show(c, views.Instances(v))
}
