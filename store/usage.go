package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store/budget"
	"github.com/meterhouse/meterhouse/store/meter"
)

// UsageQuery asks what was used in [From, To).
type UsageQuery struct {
	From, To         time.Time // zero: from the beginning, until now
	GroupBy          string    // "team", "member", "label:KEY", "gpu_model", "instance", "day" (of the site's zone) or "kind"
	TeamID, PersonID string    // "": all
}

// UsageRow is one group's use. The rows' costs add up to the whole to the micro-unit, whatever the grouping.
type UsageRow struct {
	Key, Name  string // Key "": without that label, or CPU-only work
	CostMicros int64
	GPUSeconds int64 // billed time × GPUs, whole seconds
	Instances  int   // that were billed in it
}

// Usage returns what was used, open time up to now included: by Key for days, else the most expensive first.
func (s *Store) Usage(ctx context.Context, q UsageQuery) ([]UsageRow, error) {
	cuts, err := s.Usages(ctx, q)
	if err != nil {
		return nil, err
	}
	return cuts[0], nil
}

// Usages is Usage for several queries, answered by one look at one moment: what they have in common adds up to the same.
func (s *Store) Usages(ctx context.Context, queries ...UsageQuery) (cuts [][]UsageRow, err error) {
	for _, q := range queries {
		label, byLabel := strings.CutPrefix(q.GroupBy, "label:")
		if !byLabel && !slices.Contains([]string{"team", "member", "gpu_model", "instance", "day", "kind"}, q.GroupBy) || byLabel && label == "" {
			return nil, invalid("group_by", "group_by_wrong")
		}
	}
	err = s.read(ctx, func(t *tx) error {
		for _, q := range queries {
			rows, err := t.usage(q)
			if err != nil {
				return err
			}
			cuts = append(cuts, rows)
		}
		return nil
	})
	return cuts, err
}

func (t *tx) usage(q UsageQuery) ([]UsageRow, error) {
	zone, err := t.siteZone()
	if err != nil {
		return nil, err
	}
	if q.To.IsZero() {
		q.To = theEnd
	}
	q.From = earlier(q.From, q.To)
	label, _ := strings.CutPrefix(q.GroupBy, "label:")
	u := usage{query: q, label: label, zone: zone, now: t.now, rows: map[string]*usageSum{}}
	err = t.usedInstances(q, u.add)
	return u.sorted(), err
}

// theEnd is later than anything.
var theEnd = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// usedInstances visits every instance that has time in [q.From, q.To), with its segments.
func (t *tx) usedInstances(q UsageQuery, visit func(*Instance, []meter.Segment)) error {
	where, args := "i.started_at <= ? AND (i.ended_at IS NULL OR i.ended_at >= ?)", []any{micros(q.To), micros(q.From)}
	if q.TeamID != "" {
		where, args = where+" AND i.team_id = ?", append(args, q.TeamID)
	}
	if q.PersonID != "" {
		where, args = where+" AND i.person_id = ?", append(args, q.PersonID)
	}
	all, err := list(t, scanInstance, instanceQuery+"WHERE "+where+" ORDER BY i.seq", args...)
	if err != nil {
		return err
	}
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
			visit(&some[k], segments[some[k].ID])
		}
	}
	return nil
}

// usage gathers the rows of one query.
type usage struct {
	query UsageQuery
	label string
	zone  *time.Location
	now   time.Time
	rows  map[string]*usageSum
}

type usageSum struct {
	UsageRow
	gpuTime time.Duration
}

func (u *usage) add(i *Instance, segments []meter.Segment) {
	switch u.query.GroupBy {
	case "team":
		u.addPart(i.TeamID, i.TeamName, i, segments, u.query.From, u.query.To)
	case "member":
		u.addPart(i.PersonID, i.PersonName, i, segments, u.query.From, u.query.To)
	case "gpu_model":
		u.addPart(i.GPUModel, i.GPUModel, i, segments, u.query.From, u.query.To)
	case "instance":
		u.addPart(i.ID, i.Name, i, segments, u.query.From, u.query.To)
	case "kind":
		u.addPart(string(i.Kind), string(i.Kind), i, segments, u.query.From, u.query.To)
	case "day":
		u.addDays(i, segments)
	default:
		u.addPart(i.Labels[u.label], i.Labels[u.label], i, segments, u.query.From, u.query.To)
	}
}

// addDays cuts at midnights; the last part takes in what the end added.
func (u *usage) addDays(i *Instance, segments []meter.Segment) {
	from, end := later(u.query.From, *i.StartedAt), later(u.now, *i.StartedAt)
	for _, g := range segments {
		end = later(end, g.From)
	}
	if i.EndedAt != nil {
		end = *i.EndedAt
	}
	end = earlier(end, u.query.To)
	// A life that ended at the very moment it began, or that a midnight, still has its minimum.
	for first := true; first || from.Before(end); first = false {
		day := from.In(u.zone).Format(time.DateOnly)
		to := earlier(budget.NextMidnight(from, u.zone), end)
		begin := from
		if first {
			begin = u.query.From // nothing was used before it started
		}
		u.addPart(day, day, i, segments, begin, to)
		from = to
	}
}

func (u *usage) addPart(key, name string, i *Instance, segments []meter.Segment, from, to time.Time) {
	cost := meter.Cost(segments, i.terms(), to, u.now) - meter.Cost(segments, i.terms(), from, u.now)
	used := meter.Used(segments, from, to, u.now)
	if cost == 0 && used == 0 {
		return
	}
	row := u.rows[key]
	if row == nil {
		row = &usageSum{UsageRow: UsageRow{Key: key, Name: name}}
		u.rows[key] = row
	}
	row.CostMicros += cost
	row.gpuTime += used * time.Duration(i.GPUCount)
	row.Instances++
}

func (u *usage) sorted() []UsageRow {
	rows := make([]UsageRow, 0, len(u.rows))
	for _, row := range u.rows {
		row.GPUSeconds = int64(row.gpuTime / time.Second)
		rows = append(rows, row.UsageRow)
	}
	slices.SortFunc(rows, func(a, b UsageRow) int {
		if u.query.GroupBy != "day" && a.CostMicros != b.CostMicros {
			return cmp.Compare(b.CostMicros, a.CostMicros)
		}
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Key, b.Key))
	})
	return rows
}

// spent returns what the instances that a condition on "i" chooses cost in [from, to). What lies wholly inside is added up
// from what is booked; only what crosses a bound or goes on is folded.
func (t *tx) spent(from, to time.Time, where string, args ...any) (int64, error) {
	with := func(more ...any) []any { return append(slices.Clone(args), more...) }
	total, err := t.number("SELECT sum(i.booked_micros) FROM instance i WHERE "+where+" AND i.ended_at > ? AND i.ended_at <= ? AND i.started_at >= ?",
		with(micros(from), micros(to), micros(from))...)
	if err != nil {
		return 0, err
	}
	crossing := "SELECT i.id FROM instance i WHERE " + where + " AND i.ended_at IS NULL AND i.started_at < ? UNION ALL " +
		"SELECT i.id FROM instance i WHERE " + where + " AND i.ended_at > ? AND i.started_at < ? UNION ALL " +
		"SELECT i.id FROM instance i WHERE " + where + " AND i.ended_at > ? AND i.ended_at <= ? AND i.started_at < ?"
	params := slices.Concat(with(micros(to)), with(micros(to), micros(to)), with(micros(from), micros(to), micros(from)))
	some, err := list(t, scanTerms, "SELECT id, rate, started_at, ended_at, host_fault FROM instance WHERE id IN ("+crossing+")", params...)
	if err != nil || len(some) == 0 {
		return total, err
	}
	ids := make([]string, len(some))
	for k := range some {
		ids[k] = some[k].id
	}
	segments, err := t.segmentsOf(ids)
	if err != nil {
		return 0, err
	}
	for _, i := range some {
		total += meter.Cost(segments[i.id], i.terms, to, t.now) - meter.Cost(segments[i.id], i.terms, from, t.now)
	}
	return total, nil
}
