package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store/calendar"
	"github.com/meterhouse/meterhouse/store/term"
)

const (
	shortestReservation = 5 * time.Minute
	furthestReservation = 2 * 366 * 24 * time.Hour // its end, from now
)

// NewReservation is a reservation to be made: a GPU model and count, or GPUs by name.
type NewReservation struct {
	PersonID   string
	TeamID     string // who pays; "": the person's home team
	Name       string // "": made from the model
	PlanID     string // or
	GPUModel   string // as in the plans, or its slug
	GPUCount   int    // 0: 1, or as many as are named
	GPUs       []string
	Start, End time.Time
	Expect     *int64  // what it was said to cost in all; nil: whatever it does
	Request    Request // the same again returns the reservation of the first time
}

// Reserve books GPUs for an interval. Conflict if they are not free, with Args overlaps (what is in the way) and, where
// there is one, the nearest free interval as nearest_start and nearest_end. Others' bookings by count are moved where that
// makes room; an instance that runs without a hard end gets one if the start is an hour away.
func (s *Store) Reserve(ctx context.Context, n NewReservation) (r Reservation, err error) {
	n.Start, n.End = instant(n.Start), instant(n.End)
	if n.Name != "" {
		if n.Name, err = cleanName("name", n.Name); err != nil {
			return r, err
		}
	}
	err = s.write(ctx, func(t *tx) error {
		p, err := t.activePerson(n.PersonID)
		if err != nil {
			return err
		}
		if n.TeamID == "" {
			n.TeamID = p.TeamID
		}
		if err := t.mayRent(RentRequest{PersonID: n.PersonID, TeamID: n.TeamID}); err != nil {
			return err
		}
		id, _, err := t.once(n.PersonID, n.Request, func() (string, error) { return t.reserve(n) })
		if err == nil {
			r, err = t.reservation(id)
		}
		return err
	})
	return r, err
}

func (t *tx) reserve(n NewReservation) (id string, err error) {
	b, err := t.bookingOf(&n)
	if err != nil {
		return "", err
	}
	if err := expected(term.Total([]term.Part{b.part.term()}), n.Expect); err != nil {
		return "", err
	}
	if err := t.move(b.moves); err != nil {
		return "", err
	}
	if err := t.displace(&b.lines, b.place.UUIDs, n.Start); err != nil {
		return "", err
	}
	return t.insertReservation(n, b)
}

// booking is how a reservation would be made.
type booking struct {
	plan  Plan
	part  ReservationPart
	place calendar.Place
	moves []calendar.Move
	lines timeline
}

// bookingOf works out how a reservation is made, without changing anything.
func (t *tx) bookingOf(n *NewReservation) (b booking, err error) {
	i, err := t.reservable(n.Start, n.End)
	if err != nil {
		return b, err
	}
	if b.plan, err = t.reservedPlan(n); err != nil {
		return b, err
	}
	list, ok, err := t.price(b.plan.ID, OnDemand)
	if err != nil {
		return b, err
	}
	if !ok {
		return b, &Error{Kind: Invalid, Field: "gpu_count", Message: "kind_not_offered", Args: map[string]string{"kind": string(Reserved)}}
	}
	if err := t.budgetsBlock(n.PersonID, n.TeamID, nil); err != nil {
		return b, err
	}
	if b.part, err = t.pricedPart(n.TeamID, b.plan.poolID, n.Start, n.Start, n.End, list); err != nil {
		return b, err
	}
	length := n.End.Sub(n.Start)
	if err := t.quotasAllow(quotaAsk{teamID: n.TeamID, personID: n.PersonID, poolID: b.plan.poolID, gpuCount: b.plan.GPUCount, rate: b.part.RateMicrosPerHour,
		term: &length, from: n.Start, to: &n.End, only: quotaOfReservation}); err != nil {
		return b, err
	}
	if b.lines, err = t.timelineOf(b.plan.poolID, n.Start); err != nil {
		return b, err
	}
	want := calendar.Want{Count: b.plan.GPUCount, Named: n.GPUs}
	if b.place, b.moves, ok = b.lines.find(want, i, t.now); !ok {
		return b, t.noRoom(b.plan.poolID, &b.lines, want, *n)
	}
	return b, nil
}

// reservable checks an interval against the clock.
func (t *tx) reservable(start, end time.Time) (calendar.Interval, error) {
	i, err := calendar.New(start, end)
	switch {
	case err != nil:
		return i, invalid("end", "end_before_start")
	case start.Before(t.now.Add(-time.Minute)):
		return i, invalid("start", "start_is_past")
	case end.Sub(start) < shortestReservation:
		return i, invalid("end", "reservation_too_short")
	case end.Sub(t.now) > furthestReservation:
		return i, invalid("end", "too_far_ahead")
	}
	return i, nil
}

// reservedPlan is the plan whose price and count a reservation has.
func (t *tx) reservedPlan(n *NewReservation) (Plan, error) {
	if len(n.GPUs) > 0 && n.GPUCount == 0 {
		n.GPUCount = len(n.GPUs)
	}
	if n.PlanID == "" && n.GPUModel == "" && n.GPUCount == 0 {
		return Plan{}, invalid("gpu_model", "required")
	}
	plans, err := t.findPlan(RentRequest{PlanID: n.PlanID, GPUModel: n.GPUModel, GPUCount: n.GPUCount, GPUs: n.GPUs})
	if err != nil {
		return Plan{}, err
	}
	offers := make([]priced, len(plans))
	for k, p := range plans {
		offers[k] = priced{plan: p}
	}
	if err := t.wantedExist(n.GPUs, &offers); err != nil {
		return Plan{}, err
	}
	p := offers[0].plan
	if p.poolID == "" {
		return Plan{}, invalid("plan", "only_gpus_are_reserved")
	}
	if len(n.GPUs) > 0 && len(n.GPUs) != p.GPUCount {
		return Plan{}, invalid("gpus", "gpu_count_wrong")
	}
	return p, nil
}

// noRoom says what is in the way, and where the nearest room is.
func (t *tx) noRoom(pool string, l *timeline, want calendar.Want, n NewReservation) error {
	e := &Error{Kind: Conflict, Field: "start", Message: "reservation_no_room", Args: map[string]string{}}
	overlaps, err := list(t, func(r scanner) (string, error) {
		var id string
		err := r.Scan(&id)
		return id, err
	}, `SELECT DISTINCT r.id FROM reservation_gpu h JOIN reservation r ON r.id = h.reservation_id JOIN gpu g ON g.uuid = h.gpu_uuid
		WHERE g.pool_id = ? AND h.from_at < ? AND h.to_at > ? ORDER BY r.seq LIMIT 20`,
		pool, micros(n.End), micros(n.Start))
	if err != nil {
		return err
	}
	e.Args["overlaps"] = strings.Join(overlaps, ", ")
	length := n.End.Sub(n.Start)
	if i, _, ok := calendar.Nearest(l.everything(t.now), want, length, n.Start, t.now); ok {
		end, _ := i.End()
		e.Message = "reservation_overlaps"
		e.Args["nearest_start"], e.Args["nearest_end"] = i.Start().Format(time.RFC3339), end.Format(time.RFC3339)
	}
	return e
}

// move gives bookings other GPUs of their pool; their times stay.
func (t *tx) move(moves []calendar.Move) error {
	type times struct{ from, to int64 }
	were := make([]times, len(moves))
	for k, m := range moves {
		if err := t.row("SELECT min(from_at), max(to_at) FROM reservation_gpu WHERE reservation_id = ?", m.ID).Scan(&were[k].from, &were[k].to); err != nil {
			return err
		}
		if _, err := t.exec("DELETE FROM reservation_gpu WHERE reservation_id = ?", m.ID); err != nil {
			return err
		}
	}
	for k, m := range moves {
		if err := t.holdGPUs(m.ID, m.UUIDs, were[k].from, were[k].to); err != nil {
			return err
		}
		t.emit("reservation", m.ID)
	}
	return nil
}

func (t *tx) holdGPUs(id string, uuids []string, from, to int64) error {
	for _, uuid := range uuids {
		if _, err := t.exec("INSERT INTO reservation_gpu (reservation_id, gpu_uuid, from_at, to_at) VALUES (?, ?, ?, ?)", id, uuid, from, to); err != nil {
			return err
		}
	}
	return nil
}

// displace gives the instances that hold these GPUs without a hard end one where the reservation begins.
func (t *tx) displace(l *timeline, uuids []string, start time.Time) error {
	done := map[string]bool{}
	for _, uuid := range uuids {
		id := l.openEnded[uuid]
		if id == "" || done[id] {
			continue
		}
		done[id] = true
		if _, err := t.exec("UPDATE instance SET ends_at = ?, ends_because = 'reservation' WHERE id = ?", micros(start), id); err != nil {
			return err
		}
		if err := t.instanceEvent(id, "reserved_after", "", map[string]string{"until": start.Format(time.RFC3339)}); err != nil {
			return err
		}
		t.emit("instance", id)
	}
	return nil
}

func (t *tx) insertReservation(n NewReservation, b booking) (id string, err error) {
	id = newID("r-")
	p := b.plan
	if n.Name == "" {
		n.Name = p.ID + "-" + id[2:6]
	}
	from, to := micros(n.Start), micros(n.End)
	if _, err := t.exec(`INSERT INTO reservation (id, name, team_id, person_id, plan_id, pool_id, gpu_model, gpu_count, named, simulated, start_at, end_at, state, created_at, booked_through)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'booked', ?, ?)`, id, n.Name, n.TeamID, n.PersonID, p.ID, p.poolID, p.GPUModel, p.GPUCount, len(n.GPUs) > 0, p.Simulated,
		from, to, micros(t.now), from); err != nil {
		return "", err
	}
	if err := t.writePart(id, b.part); err != nil {
		return "", err
	}
	if err := t.holdGPUs(id, b.place.UUIDs, from, to); err != nil {
		return "", err
	}
	t.emit("reservation", id)
	detail := fmt.Sprintf("%s %s – %s", p.ID, n.Start.Format(time.RFC3339), n.End.Format(time.RFC3339))
	return id, t.audit(AuditRecord{PersonID: n.PersonID, Action: "reservation_made", Target: id, Detail: detail})
}

// pricedPart prices a part [from, to) of a term that began at start: the term's discount is taken off what the team pays
// anyway.
func (t *tx) pricedPart(teamID, poolID string, start, from, to time.Time, list int64) (ReservationPart, error) {
	zone, err := t.siteZone()
	if err != nil {
		return ReservationPart{}, err
	}
	terms, err := t.terms()
	if err != nil {
		return ReservationPart{}, err
	}
	own, err := t.discount(teamID, poolID)
	discount := term.Together(term.Discount(terms, start, to, zone), own)
	return ReservationPart{From: from, To: to, ListMicrosPerHour: list, DiscountPPM: discount, RateMicrosPerHour: term.Rate(list, discount)}, err
}

func (t *tx) writePart(id string, p ReservationPart) error {
	_, err := t.exec("INSERT INTO reservation_part (reservation_id, from_at, to_at, list_rate, discount_ppm, rate) VALUES (?, ?, ?, ?, ?, ?)",
		id, micros(p.From), micros(p.To), p.ListMicrosPerHour, p.DiscountPPM, p.RateMicrosPerHour)
	return err
}

// term is a part as the rules of terms see it.
func (p ReservationPart) term() term.Part {
	return term.Part{From: p.From, To: p.To, RateMicrosPerHour: p.RateMicrosPerHour}
}

// termParts are a reservation's parts as the rules of terms see them.
func (r *Reservation) termParts() []term.Part {
	parts := make([]term.Part, len(r.Parts))
	for k, p := range r.Parts {
		parts[k] = p.term()
	}
	return parts
}

// ReservationFilter chooses reservations. Zero values choose all.
type ReservationFilter struct {
	TeamID   string
	From, To time.Time // with time in [From, To)
	Open     bool      // neither over nor cancelled
}

// Reservations returns reservations in the order in which they begin.
func (s *Store) Reservations(ctx context.Context, f ReservationFilter) (all []Reservation, err error) {
	where, args := "WHERE 1", []any{}
	add := func(condition string, arg ...any) { where, args = where+" AND "+condition, append(args, arg...) }
	if f.TeamID != "" {
		add("r.team_id = ?", f.TeamID)
	}
	if !f.From.IsZero() {
		add("r.end_at > ?", micros(f.From))
	}
	if !f.To.IsZero() {
		add("r.start_at < ?", micros(f.To))
	}
	if f.Open {
		add("r.state IN ('booked', 'released')")
	}
	err = s.read(ctx, func(t *tx) error {
		all, err = t.reservations(where+" ORDER BY r.start_at, r.seq", args...)
		return err
	})
	return all, err
}
