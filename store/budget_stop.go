package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store/budget"
)

// BudgetStop says that what runs on a budget that is used up will be stopped.
type BudgetStop struct {
	BudgetID, Name, TeamID string
	ToldAt, StopsAt        time.Time
	Instances              []string // ids

	version int
	start   time.Time
}

// stopDecision is what is to be done about instances that a budget stops.
type stopDecision int

const (
	stopNothing stopDecision = iota
	stopTell
	stopNow
	stopCallOff
)

const stopColumns = "s.budget_id, b.name, b.team_id, s.version, s.period_start, s.told_at, s.stops_at"

func scanStop(r scanner) (BudgetStop, error) {
	var p BudgetStop
	var start, told, stops int64
	err := r.Scan(&p.BudgetID, &p.Name, &p.TeamID, &p.version, &start, &told, &stops)
	p.start, p.ToldAt, p.StopsAt = fromMicros(start), fromMicros(told), fromMicros(stops)
	return p, err
}

const openStops = "FROM budget_stop s JOIN budget b ON b.id = s.budget_id WHERE s.called_off_at IS NULL AND s.done_at IS NULL"

// BudgetStops returns what was told and has not come yet, the next first: of a team, of all for "".
func (s *Store) BudgetStops(ctx context.Context, teamID string) (all []BudgetStop, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, scanStop, "SELECT "+stopColumns+" "+openStops+" AND (b.team_id = ?1 OR ?1 = '') ORDER BY s.stops_at, s.budget_id", teamID)
		if err != nil {
			return err
		}
		for k := range all {
			b, err := scanBudget(t.row(budgetQuery+"AND b.id = ?", all[k].BudgetID))
			if err != nil {
				return err
			}
			stopped, err := t.stoppable(&b)
			if err != nil {
				return err
			}
			for _, i := range stopped {
				all[k].Instances = append(all[k].Instances, i.ID)
			}
		}
		return nil
	})
	return all, err
}

// openStop returns the stop of a budget that was told and has not come yet.
func (t *tx) openStop(budgetID string) (stop BudgetStop, ok bool, err error) {
	stop, err = scanStop(t.row("SELECT "+stopColumns+" "+openStops+" AND s.budget_id = ?", budgetID))
	if errors.Is(err, sql.ErrNoRows) {
		return stop, false, nil
	}
	return stop, err == nil, err
}

// stoppable returns the instances that a budget stops. What waits costs nothing, and what is reserved is paid for.
func (t *tx) stoppable(b *Budget) ([]Instance, error) {
	where, args := b.chooses()
	return t.instances(instanceQuery+"WHERE "+where+" AND i.ended_at IS NULL AND i.reservation_id IS NULL AND i.state NOT IN ('queued', 'stopping', 'stopped', 'failed') ORDER BY i.seq", args...)
}

// stopDue decides what is to be done about a budget by now. A stop stands for one version of it, so that raising the limit
// calls it off and what is still above the new one is told again.
func (s *spending) stopDue(b *Budget) (stopDecision, error) {
	open, told, err := s.openStop(b.ID)
	if err != nil || b.Action != string(budget.Stop) && !told {
		return stopNothing, err
	}
	start, end := b.bounds(s.now, s.zone)
	spent, err := s.of(b, start, end)
	if err != nil {
		return stopNothing, err
	}
	b.PeriodStart, b.PeriodEnd, b.SpentMicros = start, end, spent
	force := b.inForce(spent) == budget.Stop
	switch {
	case told && (!force || open.version != b.Version):
		return stopCallOff, nil
	case told && open.StopsAt.After(s.now), !force:
		return stopNothing, nil
	case told:
		return stopNow, nil
	}
	some, err := s.stoppable(b)
	if err != nil || len(some) == 0 {
		return stopNothing, err
	}
	return stopTell, nil
}

// tendStop decides again, where nothing can come between, and acts.
func (t *tx) tendStop(budgetID string) error {
	for {
		b, err := scanBudget(t.row(budgetQuery+"AND b.id = ?", budgetID))
		if errors.Is(err, sql.ErrNoRows) {
			return nil // deleted since: that called it off
		}
		if err != nil {
			return err
		}
		spent, err := t.spending()
		if err != nil {
			return err
		}
		due, err := spent.stopDue(&b)
		if err != nil {
			return err
		}
		switch due {
		case stopTell:
			return t.tellStop(&b)
		case stopNow:
			return t.stopAll(&b)
		case stopCallOff:
			if err := t.callOffStop(&b); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// tellStop gives notice: with a mail to who has instances and to the budget's readers, and an event of each instance.
func (t *tx) tellStop(b *Budget) error {
	at, ok := budget.Action(b.Action).StopsAt(t.now)
	if !ok {
		return nil
	}
	_, err := t.exec(`INSERT INTO budget_stop (budget_id, version, period_start, told_at, stops_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET told_at = excluded.told_at, stops_at = excluded.stops_at, called_off_at = NULL, done_at = NULL`,
		b.ID, b.Version, micros(b.PeriodStart), micros(t.now), micros(at))
	if err != nil {
		return err
	}
	t.emit("budget", b.ID)
	stopped, err := t.stoppable(b)
	if err != nil {
		return err
	}
	to, err := t.budgetReaders(b)
	if err != nil {
		return err
	}
	var names []string
	for k := range stopped {
		i := &stopped[k]
		names = append(names, i.Name)
		if err := t.instanceEvent(i.ID, "budget_stops", "", map[string]string{"budget": b.Name, "at": at.Format(time.RFC3339)}); err != nil {
			return err
		}
		t.emit("instance", i.ID)
		owner, err := t.person(i.PersonID)
		if err != nil {
			return err
		}
		if owner.DisabledAt == nil {
			to = append(to, owner.Email)
		}
	}
	data, err := t.budgetData(b, b.PeriodStart, b.PeriodEnd, b.SpentMicros)
	if err != nil {
		return err
	}
	data["instances"], data["at"] = strings.Join(names, "\n"), at.Format(time.RFC3339)
	for _, address := range slices.Compact(slices.Sorted(slices.Values(to))) {
		id := fmt.Sprintf("budget-stop.%s.%d.%d.%s@meterhouse", b.ID, b.Version, t.now.Unix(), shortHash(foldKey(address)))
		if err := t.mail(Mail{MessageID: id, To: address, Template: "budget_stop_notice", Data: data}); err != nil {
			return err
		}
	}
	return t.audit(AuditRecord{Action: "budget_stop_told", Target: b.ID, Detail: b.Name})
}

// stopAll ends the notice: what runs is asked to stop, gracefully as by anybody else.
func (t *tx) stopAll(b *Budget) error {
	stopped, err := t.stoppable(b)
	if err != nil {
		return err
	}
	for k := range stopped {
		if err := t.requestStop(&stopped[k], "", "budget"); err != nil {
			return err
		}
	}
	t.emit("budget", b.ID)
	_, err = t.exec("UPDATE budget_stop SET done_at = ? WHERE budget_id = ? AND called_off_at IS NULL AND done_at IS NULL", micros(t.now), b.ID)
	return firstError(err, t.audit(AuditRecord{Action: "budget_stopped", Target: b.ID, Detail: fmt.Sprintf("%s: %d", b.Name, len(stopped))}))
}

// callOffStop takes a notice back, if there is one.
func (t *tx) callOffStop(b *Budget) error {
	n, err := t.exec("UPDATE budget_stop SET called_off_at = ? WHERE budget_id = ? AND called_off_at IS NULL AND done_at IS NULL", micros(t.now), b.ID)
	if err != nil || n == 0 {
		return err
	}
	spared, err := t.stoppable(b)
	if err != nil {
		return err
	}
	for _, i := range spared {
		if err := t.instanceEvent(i.ID, "budget_stop_off", "", map[string]string{"budget": b.Name}); err != nil {
			return err
		}
		t.emit("instance", i.ID)
	}
	t.emit("budget", b.ID)
	return t.audit(AuditRecord{Action: "budget_stop_called_off", Target: b.ID, Detail: b.Name})
}
