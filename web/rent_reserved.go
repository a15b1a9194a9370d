package web

import (
	"slices"
	"strconv"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
)

// rentReserved makes the form to rent one for a reservation's GPUs, where it names one: with its model and count to begin
// with, and no other model to choose.
func (s *Server) rentReserved(c *call, v *views.RentNewPage, id string) error {
	if id == "" {
		return nil
	}
	r, err := s.reservation(c, id)
	if err != nil {
		return err
	}
	v.Reservation, v.ReservationName = r.ID, r.Name
	v.Plans = slices.DeleteFunc(v.Plans, func(p views.PlanOption) bool { return p.Plan != r.PlanOfOne() })
	if v.Form.Values != nil {
		v.Form.Values.Set("reservation", r.ID)
		v.Form.Values.Set("plan", r.PlanOfOne())
		v.Form.Values.Set("gpu_count", strconv.Itoa(r.GPUCount))
	}
	return nil
}

// quoteReserved says what using a reservation costs: nothing of its own, until the reservation ends.
func (s *Server) quoteReserved(c *call, q *views.Quote, w want) {
	r, err := s.reservation(c, w.request.ReservationID)
	if err != nil {
		q.Starts, q.Refused = "refused", words(c.t, explain(err))
		return
	}
	now := s.now()
	q.RateMicrosPerHour, q.TotalMicros, q.Starts, q.Refused = 0, views.Known(0), "now", ""
	q.HardEnd, q.HardEndWhy = r.End, "reservation_ends"
	if d := w.request.Duration; d != nil && now.Add(*d).Before(r.End) {
		q.HardEnd, q.HardEndWhy = now.Add(*d), "hours"
	}
	if r.State != store.ReservationBooked || now.Before(r.Start) || !now.Before(r.End) {
		q.Starts, q.Refused = "refused", words(c.t, &store.Error{Message: "no_reservation_now"})
	}
}
