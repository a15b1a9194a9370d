package store

import (
	"context"
	"fmt"
	"time"

	"github.com/meterhouse/meterhouse/store/idle"
)

// idleBack is how far back a new time of being idle is looked for.
const idleBack = 24 * time.Hour

// idleStep is what is due for one instance.
type idleStep struct {
	instance Instance
	spell    idleSpell
	step     idle.Step
	since    time.Time
	stops    time.Time
	why      string
}

// TendIdle takes the steps that are due with instances that are idle, each with its event and its mail in one transaction:
// looking at them from several sides at once, or again after a kill, has one effect. It returns how many there were.
func (s *Store) TendIdle(ctx context.Context) (taken int, err error) {
	var due []idleStep
	err = s.read(ctx, func(t *tx) error {
		due, err = t.idleDue()
		return err
	})
	if err != nil || len(due) == 0 {
		return 0, err
	}
	err = s.write(ctx, func(t *tx) error {
		taken = 0
		due, err := t.idleDue() // again: somebody may have kept it since
		if err != nil {
			return err
		}
		for k := range due {
			if err := t.takeIdleStep(&due[k]); err != nil {
				return err
			}
		}
		taken = len(due)
		return nil
	})
	return taken, err
}

// idleDue finds what is due. Off, only what was told before is looked at.
func (t *tx) idleDue() (due []idleStep, err error) {
	set, err := t.idleSetting()
	if err != nil {
		return nil, err
	}
	all, err := t.instances(instanceQuery+`WHERE i.ended_at IS NULL AND i.gpu_count > 0 AND i.state IN ('running', 'suspended')
		AND (? OR EXISTS (SELECT 1 FROM idle_spell s WHERE s.instance_id = i.id AND s.over_at IS NULL)) ORDER BY i.seq`, set.On)
	for _, i := range all {
		if err != nil {
			break
		}
		d := idleStep{instance: i}
		if err = t.idleNext(&d, set.Settings); d.step != idle.Nothing {
			due = append(due, d)
		}
	}
	return due, err
}

func (t *tx) idleNext(d *idleStep, set idle.Settings) error {
	spell, open, err := t.openSpell(d.instance.ID)
	if err != nil {
		return err
	}
	since, told := t.now.Add(-idleBack), (*idle.Spell)(nil)
	if open {
		since, told, d.spell = t.now.Add(-idle.Window), &spell.Spell, spell
	}
	samples, err := t.samples(d.instance.ID, since)
	if err != nil {
		return err
	}
	about, err := t.idleInstance(&d.instance)
	v := idle.Judge(samples, t.now)
	d.since = later(v.Since, about.StartedAt)
	d.step, d.stops, d.why = set.Next(v, about, told, t.now)
	return err
}

// idleInstance is what the rules ask of an instance. A benchmark has its own end; what is reserved is paid for either way.
func (t *tx) idleInstance(i *Instance) (idle.Instance, error) {
	until, _, err := t.kept(i.ID)
	about := idle.Instance{KeptUntil: until, Exempt: i.BenchmarkID != "" || i.ReservationID != ""}
	if i.StartedAt != nil {
		about.StartedAt = *i.StartedAt
	}
	return about, err
}

func (t *tx) takeIdleStep(d *idleStep) error {
	i := &d.instance
	t.emit("instance", i.ID)
	switch d.step {
	case idle.Note:
		if _, err := t.exec("INSERT INTO idle_spell (instance_id, since_at, noted_at) VALUES (?, ?, ?)", i.ID, micros(d.since), micros(t.now)); err != nil {
			return err
		}
		return t.instanceEvent(i.ID, "idle_noted", "", map[string]string{"since": d.since.Format(time.RFC3339)})
	case idle.Mail:
		var warned any // this mail is the warning too, where it is the last
		if d.stops.Sub(t.now) <= idle.Warning {
			warned = micros(t.now)
		}
		if _, err := t.exec("UPDATE idle_spell SET told_at = ?, stops_at = ?, warned_at = ? WHERE id = ?", micros(t.now), micros(d.stops), warned, d.spell.id); err != nil {
			return err
		}
		return t.tellIdle(d, d.stops, "told")
	case idle.Warn:
		if _, err := t.exec("UPDATE idle_spell SET warned_at = ? WHERE id = ?", micros(t.now), d.spell.id); err != nil {
			return err
		}
		return t.tellIdle(d, d.spell.StopsAt, "warned")
	case idle.Stop:
		if err := t.requestStop(i, "", "idle"); err != nil {
			return err
		}
		return nil
	}
	return t.overSpell(i, &d.spell, d.why)
}

// tellIdle writes the event and the mail that say when an instance is stopped, with the link that keeps it.
func (t *tx) tellIdle(d *idleStep, stops time.Time, which string) error {
	i, at := &d.instance, stops.Format(time.RFC3339)
	if err := t.instanceEvent(i.ID, "idle_stops", "", map[string]string{"since": d.spell.Since.Format(time.RFC3339), "at": at}); err != nil {
		return err
	}
	p, err := t.person(i.PersonID)
	if err != nil || p.DisabledAt != nil {
		return err
	}
	keep, err := t.keepToken(d.spell.id, t.now.Add(idle.KeepTime))
	if err != nil {
		return err
	}
	return t.mail(Mail{MessageID: fmt.Sprintf("idle.%d.%s@meterhouse", d.spell.id, which), To: p.Email, Template: "idle_warning", Data: map[string]string{
		"instance": i.ID, "name": i.Name, "since": d.spell.Since.Format(time.RFC3339), "at": at, "keep": keep}})
}
