package store

import (
	"database/sql"
	"time"

	"github.com/meterhouse/meterhouse/store/budget"
	"github.com/meterhouse/meterhouse/store/meter"
)

// forecast returns what a budget's period is expected to come to; of a rolling one what as many days from now are. ok is
// false where too little is known.
func (s *spending) forecast(b *Budget) (micros int64, ok bool, err error) {
	known, err := s.elapsed(b)
	if err != nil || known < budget.Enough {
		return 0, false, err
	}
	start, end := b.bounds(s.now, s.zone)
	sum := budget.Spending{Elapsed: known}
	if b.rolls() {
		end = s.now.AddDate(0, 0, b.RollingDays)
	} else if sum.ActualMicros, err = s.of(b, start, end); err != nil {
		return 0, false, err
	}
	if sum.RecentMicros, sum.RecentReservedMicros, err = s.since(b, s.now.Add(-known)); err != nil {
		return 0, false, err
	}
	if sum.ReservedMicros, err = s.reservedUntil(b, end); err != nil {
		return 0, false, err
	}
	micros, ok = budget.Forecast(sum, s.now, end)
	return micros, ok, nil
}

// crossedForecast looks at the thresholds of what is expected. That of a rolling budget is told again only after as many
// days as it has: the same money is not told of each morning.
func (s *spending) crossedForecast(b *Budget) (found []crossing, err error) {
	if len(b.Forecasts) == 0 {
		return nil, nil
	}
	start, end := b.bounds(s.now, s.zone)
	due, err := s.due(b, fireForecast, start, b.Forecasts)
	if err != nil || len(due) == 0 {
		return nil, err
	}
	expected, ok, err := s.forecast(b)
	if err != nil || !ok {
		return nil, err
	}
	for _, threshold := range budget.Crossed(due, expected, b.LimitMicros) {
		found = append(found, crossing{budget: *b, kind: fireForecast, start: start, end: end, threshold: threshold, spent: expected})
	}
	return found, err
}

// elapsed is for how long it is known what a budget's scope spends, at most budget.Recent.
func (s *spending) elapsed(b *Budget) (time.Duration, error) {
	table, args := b.totals()
	var day sql.NullString
	if err := s.row("SELECT min(day) FROM "+table, args...).Scan(&day); err != nil {
		return 0, err
	}
	from := s.now.Add(-budget.Recent)
	if day.Valid && day.String < s.day(from) {
		return budget.Recent, nil
	}
	midnight, _ := budget.Day.Bounds(from, s.zone)
	bills, err := s.billsSince(b, midnight, s.now) // what was over before would have its day
	if err != nil {
		return 0, err
	}
	began := s.now
	for _, o := range bills {
		if o.terms.StartedAt != nil {
			began = earlier(began, *o.terms.StartedAt)
		}
	}
	return min(s.now.Sub(began), budget.Recent), nil
}

// since returns what a budget's scope spent from a moment until now, and how much of it reservations cost: the totals of
// the days, less what the bills of the first one come to before that moment. What was put right by hand counts for its day.
func (s *spending) since(b *Budget, from time.Time) (spent, reserved int64, err error) {
	midnight, _ := budget.Day.Bounds(from, s.zone)
	_, tomorrow := budget.Day.Bounds(s.now, s.zone)
	if spent, err = s.of(b, midnight, tomorrow); err != nil {
		return 0, 0, err
	}
	if b.Scope != "label" { // a reservation has no labels
		reserved, err = s.number("SELECT sum(amount) FROM cost_day WHERE day >= ? AND day < ? AND team_id = ? AND (? = '' OR person_id = ?) AND item = 'reserved'",
			s.day(midnight), s.day(tomorrow), b.TeamID, b.PersonID, b.PersonID)
		if err != nil {
			return 0, 0, err
		}
	}
	open, err := s.openOf(b.TeamID)
	if err != nil {
		return 0, 0, err
	}
	for _, o := range open {
		if o.reservationID != "" && b.applies(o.personID, o.teamID, o.labels) {
			reserved += o.costs(midnight, tomorrow, s.now)
		}
	}
	bills, err := s.billsSince(b, midnight, from)
	for _, o := range bills {
		before := meter.Cost(o.segments, o.terms, from, s.now) - meter.Cost(o.segments, o.terms, midnight, s.now)
		spent -= before
		if o.reservationID != "" {
			reserved -= before
		}
	}
	return spent, reserved, err
}

// billsSince returns the bills of a budget's scope that go on or were over only after a moment, and began before another.
func (s *spending) billsSince(b *Budget, after, before time.Time) ([]openBill, error) {
	open, err := s.openOf(b.TeamID)
	if err != nil {
		return nil, err
	}
	var bills []openBill
	for _, o := range open {
		if b.applies(o.personID, o.teamID, o.labels) {
			bills = append(bills, o)
		}
	}
	where, args := b.chooses()
	ended, err := s.instances(instanceQuery+"WHERE +"+where+" AND i.ended_at >= ? AND i.started_at < ? ORDER BY +i.seq", append(args, micros(after), micros(before))...)
	if err != nil {
		return nil, err
	}
	err = s.eachWithSegments(ended, func(i *Instance, segments []meter.Segment) error {
		bills = append(bills, openBill{i.billed(), segments})
		return nil
	})
	if err != nil || b.Scope == "label" {
		return bills, err
	}
	over, err := list(s.tx, scanReservation, reservationQuery+`WHERE r.team_id = ? AND (? = '' OR r.person_id = ?) AND r.settled_at IS NOT NULL AND r.state <> 'cancelled'
		AND r.end_at > ? AND r.start_at < ? ORDER BY r.seq`, b.TeamID, b.PersonID, b.PersonID, micros(after), micros(before))
	if err != nil {
		return nil, err
	}
	for k := range over {
		bill := over[k].billed()
		segments, err := s.segmentsOfBilled(bill)
		if err != nil {
			return nil, err
		}
		bills = append(bills, openBill{bill, segments})
	}
	return bills, nil
}

// reservedUntil is what the reservations known now still cost in a budget's scope until end.
func (s *spending) reservedUntil(b *Budget, end time.Time) (sum int64, err error) {
	if b.Scope == "label" {
		return 0, nil
	}
	all, err := list(s.tx, scanReservation, reservationQuery+`WHERE r.settled_at IS NULL AND r.state = 'booked' AND r.start_at < ? AND r.end_at > ? AND r.team_id = ?
		AND (? = '' OR r.person_id = ?) ORDER BY r.seq`, micros(end), micros(s.now), b.TeamID, b.PersonID, b.PersonID)
	if err != nil {
		return 0, err
	}
	for k := range all {
		parts, err := s.parts(all[k].ID)
		if err != nil {
			return 0, err
		}
		bill, segments := all[k].billed(), segmentsOfParts(parts, end)
		sum += meter.Cost(segments, bill.terms, end, end) - meter.Cost(segments, bill.terms, s.now, end)
	}
	return sum, nil
}
