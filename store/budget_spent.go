package store

import (
	"database/sql"
	"time"

	"github.com/meterhouse/meterhouse/store/budget"
	"github.com/meterhouse/meterhouse/store/meter"
)

// spending is one look at what is spent: the bills of a team that go on are read once, however many budgets they count into.
type spending struct {
	*tx
	zone *time.Location
	open map[string][]openBill // by team
}

func (t *tx) spending() (*spending, error) {
	zone, err := t.siteZone()
	return &spending{tx: t, zone: zone, open: map[string][]openBill{}}, err
}

func (s *spending) openOf(teamID string) ([]openBill, error) {
	if open, ok := s.open[teamID]; ok {
		return open, nil
	}
	open, err := s.openBills(teamID)
	s.open[teamID] = open
	return open, err
}

// totals is where what a budget's scope has spent is kept by day.
func (b *Budget) totals() (table string, args []any) {
	switch b.Scope {
	case "member":
		return "cost_member_day WHERE team_id = ? AND person_id = ?", []any{b.TeamID, b.PersonID}
	case "label":
		return "cost_label_day WHERE team_id = ? AND key = ? AND value = ?", []any{b.TeamID, b.labelKey, b.labelValue}
	}
	return "cost_team_day WHERE team_id = ?", []any{b.TeamID}
}

// of returns what a budget's scope has spent in [from, to), which begins and ends at midnights of the site's zone: what is
// booked from the totals, and what is open by now.
func (s *spending) of(b *Budget, from, to time.Time) (int64, error) {
	table, args := b.totals()
	booked, err := s.number("SELECT sum(amount) FROM "+table+" AND day >= ? AND day < ?", append(args, s.day(from), s.day(to))...)
	if err != nil {
		return 0, err
	}
	open, err := s.opened(b, from, to)
	return booked + open, err
}

// opened is the part of it that is not booked yet.
func (s *spending) opened(b *Budget, from, to time.Time) (sum int64, err error) {
	open, err := s.openOf(b.TeamID)
	for _, o := range open {
		if b.applies(o.personID, o.teamID, o.labels) {
			sum += o.costs(from, to, s.now)
		}
	}
	return sum, err
}

// withRate is of for the period that runs, and the rate of all that runs and counts into the budget: one look at the
// database where nothing is open, as it is made each time before something is rented.
func (s *spending) withRate(b *Budget) (spent, rate int64, err error) {
	table, args := b.totals()
	where, of := b.chooses()
	args = append(append(append(args, s.day(b.PeriodStart), s.day(b.PeriodEnd)), of...), b.TeamID, b.TeamID, micros(s.now), b.TeamID)
	var booked, running sql.NullInt64
	var open, aside bool
	err = s.row("SELECT (SELECT sum(amount) FROM "+table+" AND day >= ? AND day < ?), (SELECT sum(i.rate) FROM instance i WHERE "+where+` AND i.ended_at IS NULL
		AND i.state IN ('starting', 'running', 'suspended', 'reclaiming')), EXISTS (SELECT 1 FROM instance i WHERE i.team_id = ? AND i.ended_at IS NULL AND i.started_at IS NOT NULL),
		EXISTS (SELECT 1 FROM reservation WHERE team_id = ? AND settled_at IS NULL AND start_at <= ?)
		OR EXISTS (SELECT 1 FROM volume WHERE team_id = ? AND deleted_at IS NULL AND ready_at IS NOT NULL)`, args...).Scan(&booked, &running, &open, &aside)
	if err != nil {
		return 0, 0, err
	}
	if _, known := s.open[b.TeamID]; !known && !aside {
		s.open[b.TeamID] = nil
		if open {
			if s.open[b.TeamID], err = s.openInstances(b.TeamID); err != nil {
				return 0, 0, err
			}
		}
	}
	spent, err = s.opened(b, b.PeriodStart, b.PeriodEnd)
	return booked.Int64 + spent, running.Int64, err
}

// day is the site's date at a moment.
func (s *spending) day(at time.Time) string { return at.In(s.zone).Format(time.DateOnly) }

// costs is the part of an open bill in [from, to) that is not booked yet.
func (o *openBill) costs(from, to, now time.Time) int64 {
	from = later(from, o.bookedThrough)
	if !from.Before(to) {
		return 0
	}
	return meter.Cost(o.segments, o.terms, to, now) - meter.Cost(o.segments, o.terms, from, now)
}

// days returns what a budget's scope has spent on each day from the first one to today.
func (s *spending) days(b *Budget, first time.Time) ([]int64, error) {
	table, args := b.totals()
	booked := map[string]int64{}
	err := s.each(func(r scanner) error {
		var day string
		var amount int64
		err := r.Scan(&day, &amount)
		booked[day] = amount
		return err
	}, "SELECT day, amount FROM "+table+" AND day >= ?", append(args, s.day(first))...)
	if err != nil {
		return nil, err
	}
	open, err := s.openOf(b.TeamID)
	if err != nil {
		return nil, err
	}
	var days []int64
	for from := first; !from.After(s.now); {
		to := budget.NextMidnight(from, s.zone)
		spent := booked[s.day(from)]
		for _, o := range open {
			if b.applies(o.personID, o.teamID, o.labels) {
				spent += o.costs(from, to, s.now)
			}
		}
		days, from = append(days, spent), to
	}
	return days, nil
}

// standing fills in what depends on the moment.
func (s *spending) standing(b *Budget) (err error) {
	b.PeriodStart, b.PeriodEnd = b.bounds(s.now, s.zone)
	if b.SpentMicros, err = s.of(b, b.PeriodStart, b.PeriodEnd); err != nil {
		return err
	}
	if b.Fired, err = s.fired(b, fireActual, b.PeriodStart); err != nil {
		return err
	}
	if b.ForecastFired, err = s.fired(b, fireForecast, b.PeriodStart); err != nil {
		return err
	}
	forecast, ok, err := s.forecast(b)
	if ok {
		b.ForecastMicros = &forecast
	}
	if err != nil {
		return err
	}
	stop, ok, err := s.openStop(b.ID)
	if ok {
		b.StopsAt = &stop.StopsAt
	}
	return err
}

// fired returns the thresholds that a budget's version has told in the period that begins at start; of a rolling one those
// that were told on a day of it.
func (s *spending) fired(b *Budget, kind string, start time.Time) ([]Fire, error) {
	from, to := start, start
	if b.rolls() {
		from, _ = budget.RollingBounds(b.RollingDays, start, s.zone)
	}
	return list(s.tx, func(r scanner) (Fire, error) {
		var f Fire
		var at int64
		err := r.Scan(&f.Threshold, &at, &f.SpentMicros, &f.Mail)
		f.At = fromMicros(at)
		return f, err
	}, firesQuery, b.ID, b.Version, kind, micros(from), micros(to))
}

// firesQuery is the last firing of each threshold, with what became of its mails: to several people, the worst.
const firesQuery = `SELECT f.threshold, f.at, f.spent_micros,
	(SELECT CASE WHEN count(dead_at) > 0 THEN 'dead' WHEN count(*) FILTER (WHERE ` + unsent + `) > 0 THEN 'waiting' WHEN count(sent_at) > 0 THEN 'sent' ELSE '' END
	FROM outbox WHERE message_id BETWEEN f.mail AND f.mail || '~')
	FROM (SELECT threshold, max(at) AS at, spent_micros, printf('` + fireMail + `', budget_id, version, period_start / 1000000, kind, threshold) AS mail
	FROM budget_fire WHERE budget_id = ? AND version = ? AND kind = ? AND period_start BETWEEN ? AND ? GROUP BY threshold) f ORDER BY f.threshold`
