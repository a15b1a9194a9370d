package web

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/term"
	"github.com/meterhouse/meterhouse/views"
)

// reservationPage is GET /reservations/{id}. With an end in its address the form to extend is filled in.
func (s *Server) reservationPage(c *call) error {
	r, err := s.reservation(c, c.Param("id"))
	if err != nil {
		return err
	}
	v, err := s.reservationView(c, r)
	if err != nil {
		return err
	}
	v.Ask = c.QueryParam("ask") == "cancel" && v.CanEnd
	if end := c.QueryParam("end"); end != "" && v.Extend != nil {
		v.Extend.Form.Values = url.Values{"end": {end}, "end_which": {c.QueryParam("end_which")}}
		if err := s.quoteExtend(c, &v, r); err != nil {
			return err
		}
	}
	return s.show(c, views.Reservation(v))
}

// reservationView gathers the page of one reservation.
func (s *Server) reservationView(c *call, r store.Reservation) (views.ReservationPage, error) {
	ctx := c.Request().Context()
	v := views.ReservationPage{Page: s.page(c), ID: r.ID, Name: r.Name, State: r.State, Team: r.TeamName, Owner: r.PersonName, Model: r.GPUModel, Simulated: r.Simulated,
		Count: r.GPUCount, Named: r.Named, Start: r.Start, End: r.End, ClaimedAt: timeOrZero(r.ClaimedAt), TotalMicros: r.TotalMicros, CostMicros: r.CostMicros,
		FeeMicros: r.FeeMicros, RefundMicros: r.RefundMicros}
	v.Path = "/reservations/" + r.ID
	now := s.now()
	open := r.State == store.ReservationBooked && now.Before(r.End)
	if open && !now.Before(r.Start) {
		v.State = "running"
	}
	v.EndedAt = timeOrZero(r.CancelledAt)
	if r.ReleasedAt != nil {
		v.EndedAt = *r.ReleasedAt
	}
	acts := c.acts(r.TeamID, r.PersonID)
	v.CanEnd = acts && open
	v.CanUse = v.State == "running" && c.who.RoleIn(r.TeamID).AtLeast(store.Member)
	v.CancelMicros, v.BackMicros = r.CancelCost(now)
	if acts && open {
		zone, err := s.zone(c)
		if err != nil {
			return v, err
		}
		v.Extend = &views.ExtendForm{Form: views.Form{Values: url.Values{"end": {r.End.In(zone).Format(wallField)}}}}
	}
	if r.State != store.ReservationCancelled {
		v.Parts = reservationParts(r)
		v.ListMicrosPerHour = r.Parts[len(r.Parts)-1].ListMicrosPerHour
		if use, ok := term.BreakEven(r.TotalMicros, v.ListMicrosPerHour, r.End.Sub(r.Start)); ok {
			v.BreakEven = use
		}
	}
	use, err := s.store.ReservationUse(ctx, r.ID)
	if err != nil {
		return v, err
	}
	v.Used, v.Reserved, v.Utilization, v.Coverage = use.Used, use.Reserved, views.Unknown("not_begun"), views.Unknown("nothing_used")
	if ppm, ok := term.Utilization(use.Used, use.Reserved); ok {
		v.Utilization = views.Known(ppm / 1000)
	}
	if ppm, ok := term.Coverage(use.Used, use.All); ok {
		v.Coverage = views.Known(ppm / 1000)
	}
	for _, in := range use.Instances {
		v.Instances = append(v.Instances, instanceRow(in))
	}
	return v, s.reservedGPUs(c, r, &v)
}

// reservationParts are the parts with their products: each what it adds to the whole, so that they add up to it.
func reservationParts(r store.Reservation) (parts []views.ReservationPart) {
	var all []term.Part
	for _, p := range r.Parts {
		before := term.Total(all)
		all = append(all, term.Part{From: p.From, To: p.To, RateMicrosPerHour: p.RateMicrosPerHour})
		parts = append(parts, views.ReservationPart{From: p.From, To: p.To, ListMicrosPerHour: p.ListMicrosPerHour, RateMicrosPerHour: p.RateMicrosPerHour,
			DiscountPPM: p.DiscountPPM, AmountMicros: term.Total(all) - before})
	}
	return parts
}

func (s *Server) reservedGPUs(c *call, r store.Reservation, v *views.ReservationPage) error {
	gpus, err := s.store.GPUs(c.Request().Context())
	for k := range gpus {
		if slices.Contains(r.GPUs, gpus[k].UUID) {
			v.GPUs, v.Node = append(v.GPUs, gpuName(&gpus[k])), gpus[k].NodeName
		}
	}
	return err
}

// reservationCancelForm is POST /reservations/{id}/cancel: cancelled before it begins, released in its interval. A fee that
// is another than was shown is shown first.
func (s *Server) reservationCancelForm(c *call) error {
	r, err := s.reservation(c, c.Param("id"))
	if err != nil {
		return err
	}
	expect, looked := strconv.ParseInt(c.text("expect"), 10, 64)
	if looked != nil {
		expect = -1 // no fee is that
	}
	_, err = s.store.CancelReservation(c.Request().Context(), r.ID, c.who.ID, &expect)
	if err != nil && explain(err).Message == "price_changed" {
		return seeOther(c, "/reservations/"+r.ID+"?ask=cancel")
	}
	if err != nil {
		return err
	}
	return s.done(c, "/reservations/"+r.ID, flash{Key: "reservation_given_up", Name: r.Name})
}

// reservationExtendForm is POST /reservations/{id}/extend. Nothing is booked at a price that was not shown before.
func (s *Server) reservationExtendForm(c *call) error {
	r, err := s.reservation(c, c.Param("id"))
	if err != nil {
		return err
	}
	v, err := s.reservationView(c, r)
	if err != nil {
		return err
	}
	if v.Extend == nil {
		return &store.Error{Kind: store.Conflict, Message: "reservation_over", Args: map[string]string{"name": r.Name}}
	}
	v.Extend.Form = c.typedForm(nil)
	expect, looked := strconv.ParseInt(c.text("expect"), 10, 64)
	var bad error
	if c.text("do") != "quote" && looked == nil {
		var at map[string]time.Time
		if at, _, bad = s.formTimes(c, c.Request().PostForm, "end"); bad == nil {
			_, bad = s.store.ExtendReservation(c.Request().Context(), r.ID, c.who.ID, at["end"], &expect, c.request())
			bad = sentBefore(bad)
		}
		if bad == nil {
			return s.done(c, "/reservations/"+r.ID, flash{Key: "reservation_extended", Name: r.Name, At: at["end"].Unix()})
		}
		if !typed(bad) {
			return bad
		}
	}
	v.Extend.LookFirst = c.text("do") != "quote" && bad == nil
	refused := s.quoteExtend(c, &v, r)
	if refused != nil {
		return refused
	}
	if bad == nil {
		return s.show(c, views.Reservation(v))
	}
	v.Extend.Form.Errors = zonedFields(c, v.Format, bad)
	return s.showAgain(c, bad, views.Reservation(v))
}

// quoteExtend fills in what the form's later end costs, or why it can't be had, how far it can go and what is nearest.
func (s *Server) quoteExtend(c *call, v *views.ReservationPage, r store.Reservation) error {
	e := v.Extend
	at, times, err := s.formTimes(c, e.Form.Values, "end")
	e.Times = times
	var q store.ReservationQuote
	if err == nil {
		q, err = s.store.QuoteExtension(c.Request().Context(), r.ID, c.who.ID, at["end"])
	}
	if err == nil {
		e.Quote = s.reserveQuote(c, q, r.End, at["end"])
		return nil
	}
	if !typed(err) {
		return err
	}
	var list wrong
	if errors.As(err, &list) && len(list) > 0 {
		e.Refused = words(c.t, list[0])
		return nil
	}
	e.LookFirst = false
	return s.refuseExtend(c, v, r, at["end"], explain(err))
}

func (s *Server) refuseExtend(c *call, v *views.ReservationPage, r store.Reservation, end time.Time, err *store.Error) error {
	e := v.Extend
	e.Refused = words(c.t, zoned(v.Format, err))
	ids, nearest := elsewhen(err)
	var over error
	if e.Overlaps, over = s.overlapping(c, ids, r.End, end); over != nil {
		return over
	}
	zone, over := s.zone(c)
	if over != nil {
		return over
	}
	if until, bad := time.Parse(time.RFC3339, err.Args["until"]); bad == nil {
		f := url.Values{}
		wallValues(f, "end", until, zone)
		e.Until, e.UntilURL = until, "/reservations/"+r.ID+"?"+f.Encode()+"#extend"
	}
	if nearest != nil {
		f := url.Values{"from": {nearest.Start.In(zone).Format(time.DateOnly)}, "plan": {r.PlanOfOne()}, "gpu_count": {strconv.Itoa(r.GPUCount)}, "name": {r.Name}}
		wallValues(f, "start", nearest.Start, zone)
		wallValues(f, "end", nearest.End, zone)
		e.NearestFrom, e.NearestTo, e.NearestURL = nearest.Start, nearest.End, "/calendar?"+f.Encode()+"#reserve"
	}
	return nil
}
