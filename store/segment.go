package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/meter"
)

// Bill explains what an instance costs, as of now: its lines add up to TotalMicros to the micro-unit.
func (s *Store) Bill(ctx context.Context, instanceID string) (bill meter.Bill, err error) {
	err = s.read(ctx, func(t *tx) error {
		i, err := t.instance(instanceID)
		if err != nil {
			return err
		}
		segments, err := t.segments(instanceID)
		if err != nil {
			return err
		}
		bill = meter.Fold(segments, i.terms(), t.now)
		bill.BookedMicros = i.bookedMicros
		return nil
	})
	return bill, err
}

const segmentColumns = "instance_id, id, state, billable, rate, from_at, to_at"

func scanSegment(r scanner) (id string, g meter.Segment, err error) {
	var from int64
	var to sql.NullInt64
	err = r.Scan(&id, &g.ID, &g.State, &g.Billable, &g.RateMicrosPerHour, &from, &to)
	g.From, g.To = fromMicros(from), timeOrNil(to)
	return id, g, err
}

// segments returns an instance's segments in order.
func (t *tx) segments(id string) ([]meter.Segment, error) {
	var all []meter.Segment
	err := t.each(func(r scanner) error {
		_, g, err := scanSegment(r)
		all = append(all, g)
		return err
	}, "SELECT "+segmentColumns+" FROM segment WHERE instance_id = ? ORDER BY from_at", id)
	return all, err
}

// segmentsOf returns the segments of many instances, each in order.
func (t *tx) segmentsOf(ids []string) (map[string][]meter.Segment, error) {
	chosen, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	all := make(map[string][]meter.Segment, len(ids))
	err = t.each(func(r scanner) error {
		id, g, err := scanSegment(r)
		all[id] = append(all[id], g)
		return err
	}, "SELECT "+segmentColumns+" FROM segment WHERE instance_id IN (SELECT value FROM json_each(?)) ORDER BY instance_id, from_at", string(chosen))
	return all, err
}

// billBatch is how many instances' segments are held in memory at once.
const billBatch = 1000

// eachWithSegments visits instances with their segments, read for many at a time.
func (t *tx) eachWithSegments(all []Instance, visit func(*Instance, []meter.Segment) error) error {
	for some := range slices.Chunk(all, billBatch) {
		ids := make([]string, len(some))
		for k := range some {
			ids[k] = some[k].ID
		}
		segments, err := t.segmentsOf(ids)
		if err != nil {
			return err
		}
		for k := range some {
			if err := visit(&some[k], segments[some[k].ID]); err != nil {
				return err
			}
		}
	}
	return nil
}

// openSegment begins a segment, at the end of the last one if that is later.
func (t *tx) openSegment(i *Instance, state life.State, at time.Time) error {
	last, err := t.number("SELECT max(to_at) FROM segment WHERE instance_id = ?", i.ID)
	if err != nil {
		return err
	}
	_, err = t.exec("INSERT INTO segment (instance_id, state, billable, rate, from_at) VALUES (?, ?, ?, ?, ?)",
		i.ID, string(state), state.Billable(), i.RateMicrosPerHour, max(micros(at), last))
	return err
}

// closeSegment ends the open segment and returns when: at, or its own beginning if that is later, and then it never was;
// also at if none is open. proven bills a time out of reach, now that the instance is known to have run on.
func (t *tx) closeSegment(id string, at time.Time, proven bool) (closed time.Time, err error) {
	var seg, from int64
	err = t.row("SELECT id, from_at FROM segment WHERE instance_id = ? AND to_at IS NULL", id).Scan(&seg, &from)
	if errors.Is(err, sql.ErrNoRows) {
		return at, nil
	}
	if err != nil {
		return at, err
	}
	if micros(at) <= from {
		_, err = t.exec("DELETE FROM segment WHERE id = ?", seg)
		return fromMicros(from), err
	}
	_, err = t.exec("UPDATE segment SET to_at = ?, billable = max(billable, ?) WHERE id = ?", micros(at), proven, seg)
	return at, err
}
