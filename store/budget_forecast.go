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
	expected, ok, err := s.forecast(b)
	if err != nil || !ok {
		return nil, err
	}
	start, end := b.bounds(s.now, s.zone)
	due, err := s.due(b, fireForecast, start, budget.Crossed(b.Forecasts, expected, b.LimitMicros))
	for _, threshold := range due {
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
	if day.Valid && day.String < s.day(s.now.Add(-budget.Recent)) {
		return budget.Recent, nil
	}
	where, args := b.chooses()
	from := s.now.Add(-budget.Recent - 48*time.Hour) // what ended before would have had its day
	first, err := s.number("SELECT min(i.started_at) FROM instance i WHERE "+where+" AND (i.ended_at IS NULL OR i.ended_at >= ?)", append(args, micros(from))...)
	if err != nil {
		return 0, err
	}
	began := s.now
	if first > 0 {
		began = fromMicros(first)
	}
	if b.Scope != "label" {
		first, err := s.number("SELECT min(start_at) FROM reservation WHERE team_id = ? AND (? = '' OR person_id = ?) AND state <> 'cancelled' AND end_at >= ?", b.TeamID, b.PersonID, b.PersonID, micros(from))
		if err != nil {
			return 0, err
		}
		if first > 0 {
			began = earlier(began, fromMicros(first))
		}
	}
	return min(s.now.Sub(began), budget.Recent), nil
}

// since returns what a budget's scope spent from a moment until now, and how much of it reservations cost: the day in which
// that moment lies is folded from segments, the others are taken from their totals.
func (s *spending) since(b *Budget, from time.Time) (spent, reserved int64, err error) {
	midnight := budget.NextMidnight(from, s.zone)
	_, tomorrow := budget.Day.Bounds(s.now, s.zone)
	if spent, err = s.of(b, midnight, tomorrow); err != nil {
		return 0, 0, err
	}
	q := UsageQuery{From: from, To: midnight, GroupBy: "kind", TeamID: b.TeamID, PersonID: b.PersonID}
	if b.Scope == "label" {
		q.GroupBy = "label:" + b.labelKey
	}
	part, err := s.usage(q, true)
	if err != nil {
		return 0, 0, err
	}
	for _, row := range part {
		if b.Scope != "label" || row.Key == b.labelValue {
			spent += row.CostMicros
		}
	}
	if b.Scope == "label" {
		return spent, 0, nil // a reservation has no labels
	}
	q.From, q.To = midnight, tomorrow
	rest, err := s.usage(q, false)
	for _, row := range append(part, rest...) {
		if row.Key == string(Reserved) {
			reserved += row.CostMicros
		}
	}
	return spent, reserved, err
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
