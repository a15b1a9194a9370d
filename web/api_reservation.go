package web

import (
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store"
)

// Reservations is a list of them, in the order in which they begin.
type Reservations struct {
	Reservations []Reservation `json:"reservations"`
	NextCursor   string        `json:"next_cursor"`
}

// Reservation is a claim on GPUs for [start, end), paid for whether it is used or not.
type Reservation struct {
	ID           string            `json:"id"`
	Name         string            `json:"name"`
	Status       string            `json:"status"`
	TeamID       string            `json:"team_id"`
	Team         string            `json:"team"`
	PersonID     string            `json:"person_id"`
	Person       string            `json:"person"`
	Plan         string            `json:"plan"`
	GPUModel     string            `json:"gpu_model"`
	GPUCount     int               `json:"gpu_count"`
	Named        bool              `json:"named"`
	GPUs         []string          `json:"gpus"`
	Simulated    bool              `json:"simulated"`
	Start        time.Time         `json:"start"`
	End          time.Time         `json:"end"`
	Parts        []ReservationPart `json:"parts"`
	TotalMicros  int64             `json:"total_micros"`
	CostMicros   int64             `json:"cost_micros"`
	FeeMicros    int64             `json:"fee_micros"`
	RefundMicros int64             `json:"refund_micros"`
	CreatedAt    time.Time         `json:"created_at"`
	ClaimedAt    *time.Time        `json:"claimed_at"`
	CancelledAt  *time.Time        `json:"cancelled_at"`
	ReleasedAt   *time.Time        `json:"released_at"`
}

// ReservationPart is a part of its interval at one rate.
type ReservationPart struct {
	From              time.Time `json:"from"`
	To                time.Time `json:"to"`
	ListMicrosPerHour int64     `json:"list_micros_per_hour"`
	DiscountPPM       int64     `json:"discount_ppm"`
	RateMicrosPerHour int64     `json:"rate_micros_per_hour"`
}

// ReservationBody is what POST takes: a GPU model and count, a plan, or GPUs by name.
type ReservationBody struct {
	Name           string   `json:"name"`
	Plan           string   `json:"plan"`
	GPUModel       string   `json:"gpu_model"`
	GPUCount       int      `json:"gpu_count"`
	GPUs           []string `json:"gpus"`
	Start          string   `json:"start"` // RFC 3339, or a date: its midnight in the site's zone
	End            string   `json:"end"`   // likewise; not included
	IdempotencyKey string   `json:"idempotency_key"`
}

func reservationOut(r store.Reservation) Reservation {
	out := Reservation{ID: r.ID, Name: r.Name, Status: r.State, TeamID: r.TeamID, Team: r.TeamName, PersonID: r.PersonID, Person: r.PersonName,
		Plan: r.PlanID, GPUModel: r.GPUModel, GPUCount: r.GPUCount, Named: r.Named, GPUs: r.GPUs, Simulated: r.Simulated, Start: r.Start, End: r.End,
		Parts: make([]ReservationPart, 0, len(r.Parts)), TotalMicros: r.TotalMicros, CostMicros: r.CostMicros, FeeMicros: r.FeeMicros, RefundMicros: r.RefundMicros,
		CreatedAt: r.CreatedAt, ClaimedAt: r.ClaimedAt, CancelledAt: r.CancelledAt, ReleasedAt: r.ReleasedAt}
	for _, p := range r.Parts {
		out.Parts = append(out.Parts, ReservationPart(p))
	}
	if out.GPUs == nil {
		out.GPUs = []string{}
	}
	return out
}

// farAhead is later than any reservation.
var farAhead = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)

func (s *Server) listReservations(c *call) error {
	f := store.ReservationFilter{TeamID: c.team(), Open: c.QueryParam("open") == "1"}
	var err error
	if f.From, f.To, err = s.interval(c, time.Time{}, farAhead); err != nil {
		return err
	}
	all, err := s.store.Reservations(c.Request().Context(), f)
	if err != nil {
		return err
	}
	out := Reservations{Reservations: make([]Reservation, 0, len(all))}
	for _, r := range all {
		out.Reservations = append(out.Reservations, reservationOut(r))
	}
	return ok(c, out)
}

func (s *Server) createReservation(c *call) error {
	var body ReservationBody
	if err := decode(c, &body); err != nil {
		return err
	}
	request, err := c.bodyRequest(&body.IdempotencyKey, &body)
	if err != nil {
		return err
	}
	if body.GPUCount < 0 || body.GPUCount > maxGPUCount {
		return invalid("gpu_count", "wrong_gpu_count")
	}
	start, end, err := s.term(c, body.Start, body.End)
	if err != nil {
		return err
	}
	r, err := s.store.Reserve(c.Request().Context(), store.NewReservation{PersonID: c.who.ID, Name: body.Name, PlanID: body.Plan, GPUModel: body.GPUModel,
		GPUCount: body.GPUCount, GPUs: body.GPUs, Start: start, End: end, Request: request})
	if err != nil {
		return err
	}
	return created(c, apiRoot+"/reservations/"+r.ID, reservationOut(r))
}

// term reads the interval.
func (s *Server) term(c *call, from, to string) (start, end time.Time, err error) {
	zone, err := s.zone(c)
	if err != nil {
		return start, end, err
	}
	for _, side := range []struct {
		field, text string
		into        *time.Time
	}{{"start", from, &start}, {"end", to, &end}} {
		if side.text == "" {
			return start, end, invalid(side.field, "required")
		}
		if *side.into, err = moment(side.field, side.text, zone, time.Time{}); err != nil {
			return start, end, err
		}
	}
	return start, end, nil
}

// reservation loads one that the person may see.
func (s *Server) reservation(c *call, id string) (store.Reservation, error) {
	if !plainID(id) {
		return store.Reservation{}, notFound("reservation")
	}
	r, err := s.store.Reservation(c.Request().Context(), id)
	if err == nil && !c.sees(r.TeamID) {
		err = notFound("reservation")
	}
	if err != nil {
		return store.Reservation{}, err
	}
	return r, nil
}

func (s *Server) getReservation(c *call) error {
	r, err := s.reservation(c, c.Param("id"))
	if err != nil {
		return err
	}
	return ok(c, reservationOut(r))
}

func (s *Server) deleteReservation(c *call) error {
	r, err := s.reservation(c, c.Param("id"))
	if err != nil {
		return err
	}
	if r, err = s.store.CancelReservation(c.Request().Context(), r.ID, c.who.ID, nil); err != nil {
		return err
	}
	return ok(c, reservationOut(r))
}

// ReservationExtendBody is what extending takes.
type ReservationExtendBody struct {
	End            string `json:"end"` // RFC 3339, or a date: its midnight in the site's zone; not included
	IdempotencyKey string `json:"idempotency_key"`
}

func (s *Server) extendReservation(c *call) error {
	r, err := s.reservation(c, c.Param("id"))
	if err != nil {
		return err
	}
	var body ReservationExtendBody
	if err := decode(c, &body); err != nil {
		return err
	}
	request, err := c.bodyRequest(&body.IdempotencyKey, &body)
	if err != nil {
		return err
	}
	zone, err := s.zone(c)
	if err != nil {
		return err
	}
	if body.End == "" {
		return invalid("end", "required")
	}
	end, err := moment("end", body.End, zone, time.Time{})
	if err != nil {
		return err
	}
	if r, err = s.store.ExtendReservation(c.Request().Context(), r.ID, c.who.ID, end, nil, request); err != nil {
		return err
	}
	return ok(c, reservationOut(r))
}

// Interval is [start, end).
type Interval struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}

// elsewhen reads what is in the way of a reservation, and the nearest free interval, from the store's error; nothing where
// that is about something else.
func elsewhen(e *store.Error) (overlaps []string, nearest *Interval) {
	if _, in := e.Args["overlaps"]; !in {
		return nil, nil
	}
	if e.Args["overlaps"] != "" {
		overlaps = strings.Split(e.Args["overlaps"], ", ")
	}
	start, errStart := time.Parse(time.RFC3339, e.Args["nearest_start"])
	end, errEnd := time.Parse(time.RFC3339, e.Args["nearest_end"])
	if errStart == nil && errEnd == nil {
		nearest = &Interval{Start: start, End: end}
	}
	return overlaps, nearest
}
