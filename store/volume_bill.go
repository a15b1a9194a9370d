package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/meterhouse/meterhouse/store/budget"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/meter"
)

// billed is the volume as the ledger sees it. An end adds nothing: there is neither minimum nor waiver.
func (v *Volume) billed() *billed {
	b := &billed{volumeID: v.ID, name: v.Name, teamID: v.TeamID, teamName: v.TeamName, personID: v.PersonID, personName: v.PersonName,
		item: Storage, bookedMicros: v.bookedMicros, terms: meter.Terms{StartedAt: v.ReadyAt, EndedAt: v.DeletedAt, Storage: true}}
	if v.bookedThrough != nil {
		b.bookedThrough = *v.bookedThrough
	}
	return b
}

// volumeSegments are what a volume's bill is folded from, its snapshots' beside its own. Rates are for all GiB and a
// meter.StorageMonth.
func (t *tx) volumeSegments(id string) ([]meter.Segment, error) {
	return list(t, func(r scanner) (meter.Segment, error) {
		g := meter.Segment{State: life.Running, Billable: true}
		var from int64
		var to sql.NullInt64
		err := r.Scan(&g.ID, &g.RateMicrosPerHour, &from, &to)
		g.From, g.To = fromMicros(from), timeOrNil(to)
		return g, err
	}, "SELECT id, gib * rate, from_at, to_at FROM volume_segment WHERE volume_id = ? ORDER BY from_at, id", id)
}

// VolumeBill explains what a volume and its snapshots cost, as of now. Rates are for a meter.StorageMonth.
func (s *Store) VolumeBill(ctx context.Context, id string) (bill meter.Bill, err error) {
	err = s.read(ctx, func(t *tx) error {
		v, err := t.volume(id)
		if err != nil {
			return err
		}
		segments, err := t.volumeSegments(id)
		bill = meter.Fold(segments, v.billed().terms, later(t.now, v.billed().bookedThrough))
		bill.BookedMicros = v.bookedMicros
		return err
	})
	return bill, err
}

func (t *tx) volumeCost(v *Volume) (int64, error) {
	segments, err := t.volumeSegments(v.ID)
	b := v.billed()
	return meter.Total(segments, b.terms, later(t.now, b.bookedThrough)), err
}

// openVolumeSegment begins to bill a volume, or one of its snapshots.
func (t *tx) openVolumeSegment(volumeID, snapshotID string, gib, rate int64, at time.Time) error {
	_, err := t.exec("INSERT INTO volume_segment (volume_id, snapshot_id, gib, rate, from_at) VALUES (?, ?, ?, ?, ?)", volumeID, nullIfEmpty(snapshotID), gib, rate, micros(at))
	return err
}

// closeVolumeSegment ends the open segment of a volume, or of one of its snapshots, and returns when: at, or its beginning if
// that is later, and then it never was.
func (t *tx) closeVolumeSegment(volumeID, snapshotID string, at time.Time) (time.Time, error) {
	var id, from int64
	err := t.row("SELECT id, from_at FROM volume_segment WHERE volume_id = ? AND snapshot_id IS ? AND to_at IS NULL", volumeID, nullIfEmpty(snapshotID)).Scan(&id, &from)
	if errors.Is(err, sql.ErrNoRows) {
		return at, nil
	}
	if err != nil {
		return at, err
	}
	if micros(at) <= from {
		_, err = t.exec("DELETE FROM volume_segment WHERE id = ?", id)
		return fromMicros(from), err
	}
	_, err = t.exec("UPDATE volume_segment SET to_at = ? WHERE id = ?", micros(at), id)
	return at, err
}

// bookVolume brings the ledger up to what a volume costs through a moment.
func (t *tx) bookVolume(id string, through time.Time) error {
	v, err := t.volume(id)
	if err != nil || v.bookedThrough == nil {
		return err
	}
	segments, err := t.volumeSegments(id)
	if err != nil {
		return err
	}
	return t.bookThrough(v.billed(), segments, later(through, *v.ReadyAt))
}

// dueVolumes returns volumes with a midnight that is not booked yet: what is stored is stored whether a console runs or not.
func (t *tx) dueVolumes() ([]string, error) {
	midnight, err := t.lastMidnight()
	if err != nil {
		return nil, err
	}
	return list(t, func(r scanner) (id string, err error) { return id, r.Scan(&id) },
		"SELECT id FROM volume WHERE deleted_at IS NULL AND booked_through < ?1 ORDER BY seq LIMIT ?2", micros(midnight), postDueBatch)
}

func (t *tx) postVolume(id string) (int, error) {
	v, err := t.volume(id)
	if err != nil || v.DeletedAt != nil || v.bookedThrough == nil {
		return 0, err
	}
	zone, err := t.siteZone()
	if err != nil {
		return 0, err
	}
	through, _ := budget.Day.Bounds(t.now, zone)
	if !through.After(*v.bookedThrough) {
		return 0, nil
	}
	return t.counted("volume_id", id, func() error { return t.bookVolume(id, through) })
}

// usedVolumes adds the volumes that have time in the query's interval.
func (t *tx) usedVolumes(u *usage, where string, args []any) error {
	all, err := list(t, scanVolume, volumeQuery+"WHERE v.ready_at <= ? AND (v.deleted_at IS NULL OR v.deleted_at >= ?)"+of(where, "v"), args...)
	if err != nil {
		return err
	}
	for k := range all {
		b := all[k].billed()
		segments, err := t.volumeSegments(b.volumeID)
		if err != nil {
			return err
		}
		u.add(b, segments)
	}
	return nil
}

// openVolumes are a team's volumes whose bills go on, every team's for "".
func (t *tx) openVolumes(teamID string) ([]openBill, error) {
	all, err := list(t, scanVolume, volumeQuery+"WHERE v.deleted_at IS NULL AND v.ready_at IS NOT NULL AND (?1 = '' OR v.team_id = ?1)", teamID)
	open := make([]openBill, 0, len(all))
	for k := range all {
		b := all[k].billed()
		segments, err := t.volumeSegments(b.volumeID)
		if err != nil {
			return nil, err
		}
		open = append(open, openBill{b, segments})
	}
	return open, err
}

func (t *tx) checkVolumes(result *CheckResult) error {
	postings, err := t.booked("volume_id")
	if err != nil {
		return err
	}
	all, err := list(t, scanVolume, volumeQuery+"WHERE v.booked_through IS NOT NULL ORDER BY v.seq")
	if err != nil {
		return err
	}
	for k := range all {
		result.Volumes++
		b := all[k].billed()
		segments, err := t.volumeSegments(b.volumeID)
		if err != nil {
			return err
		}
		if err := result.compare("volume", b, segments, postings); err != nil {
			return err
		}
	}
	return nil
}
