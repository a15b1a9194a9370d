package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/meterhouse/meterhouse/store/idle"
	"github.com/meterhouse/meterhouse/store/life"
)

// InstanceIdle is what its person is told of an instance that is idle.
type InstanceIdle struct {
	State     idle.State
	Since     *time.Time // idle since then and noted; nil: it is not, or nobody was told yet
	StopsAt   *time.Time // the one moment at which it is stopped; nil: none was told
	KeptUntil *time.Time // somebody said that it is needed; nil: nobody, or that is past
	KeptBy    string     // who; "": by the link in the mail
}

// InstanceIdle returns what is told of an instance.
func (s *Store) InstanceIdle(ctx context.Context, id string) (told InstanceIdle, err error) {
	err = s.read(ctx, func(t *tx) error {
		told, err = t.instanceIdle(id)
		return err
	})
	return told, err
}

func (t *tx) instanceIdle(id string) (InstanceIdle, error) {
	told := InstanceIdle{State: idle.Unknown}
	samples, err := t.samples(id, t.now.Add(-idle.Window))
	if err != nil {
		return told, err
	}
	told.State = idle.Judge(samples, t.now).State
	spell, open, err := t.openSpell(id)
	if err != nil {
		return told, err
	}
	if open {
		told.Since = &spell.Since
		if !spell.StopsAt.IsZero() {
			told.StopsAt = &spell.StopsAt
		}
	}
	until, by, err := t.kept(id)
	if until.After(t.now) {
		told.KeptUntil, told.KeptBy = &until, by
	}
	return told, err
}

// idleSpell is a time of being idle with its number.
type idleSpell struct {
	idle.Spell
	id int64
}

// openSpell returns what an instance's person was told and still holds.
func (t *tx) openSpell(id string) (spell idleSpell, open bool, err error) {
	var since int64
	var stops sql.NullInt64
	err = t.row("SELECT id, since_at, stops_at, warned_at IS NOT NULL FROM idle_spell WHERE instance_id = ? AND over_at IS NULL", id).Scan(&spell.id, &since, &stops, &spell.Warned)
	if errors.Is(err, sql.ErrNoRows) {
		return spell, false, nil
	}
	spell.Since = fromMicros(since)
	if stops.Valid {
		spell.StopsAt = fromMicros(stops.Int64)
	}
	return spell, err == nil, err
}

// overSpell ends what was told, and says why.
func (t *tx) overSpell(i *Instance, spell *idleSpell, why string) error {
	if _, err := t.exec("UPDATE idle_spell SET over_at = ?, over_why = ? WHERE id = ?", micros(t.now), why, spell.id); err != nil {
		return err
	}
	t.emit("instance", i.ID)
	if spell.StopsAt.IsZero() || why == "kept" {
		return nil // nobody was told of a stop, or who kept it is an event of its own
	}
	return t.instanceEvent(i.ID, "idle_over", "", map[string]string{"why": why})
}

// kept returns until when somebody said that an instance is needed, and who; zero for nobody.
func (t *tx) kept(id string) (until time.Time, by string, err error) {
	var us int64
	var name sql.NullString
	err = t.row("SELECT k.until_at, p.name FROM idle_keep k LEFT JOIN person p ON p.id = k.person_id WHERE k.instance_id = ?", id).Scan(&us, &name)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, "", nil
	}
	return fromMicros(us), name.String, err
}

// Keep says that an instance is needed: it is not stopped for being idle in the next 24 hours, and what was told of that is
// over. Doing it again within the hour changes nothing. by as with RequestStop; Conflict if it ends already.
func (s *Store) Keep(ctx context.Context, id, by string) (told InstanceIdle, err error) {
	err = s.write(ctx, func(t *tx) error {
		i, err := t.instance(id)
		if err != nil {
			return err
		}
		if err := t.mayAct(by, &i); err != nil {
			return err
		}
		if err := t.keep(&i, by); err != nil {
			return err
		}
		told, err = t.instanceIdle(id)
		return err
	})
	return told, err
}

// keptAgain is how much later a further keep must reach to be one.
const keptAgain = time.Hour

func (t *tx) keep(i *Instance, by string) error {
	if i.EndedAt != nil || i.State == life.Queued || i.State == life.Stopping {
		return &Error{Kind: Conflict, Message: "cannot_keep", Args: map[string]string{"state": string(i.State)}}
	}
	until, _, err := t.kept(i.ID)
	if err != nil {
		return err
	}
	spell, open, err := t.openSpell(i.ID)
	if err != nil {
		return err
	}
	next := t.now.Add(idle.KeepTime)
	if !open && next.Sub(until) < keptAgain {
		return nil
	}
	if open {
		if err := t.overSpell(i, &spell, "kept"); err != nil {
			return err
		}
	}
	if _, err := t.exec(`INSERT INTO idle_keep (instance_id, until_at, person_id, at) VALUES (?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET until_at = excluded.until_at, person_id = excluded.person_id, at = excluded.at`, i.ID, micros(next), nullIfEmpty(by), micros(t.now)); err != nil {
		return err
	}
	t.emit("instance", i.ID)
	return t.instanceEvent(i.ID, "kept", by, map[string]string{"until": next.Format(time.RFC3339)})
}
