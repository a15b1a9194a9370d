package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store/budget"
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
}

// groupings are what use is grouped by besides labels.
var groupings = []string{"team", "member", "gpu_model", "instance", "day", "kind"}

// Usage returns what was used, open time up to now included: by Key for days, else the most expensive first. Whole days are
// taken from the totals that the ledger keeps, the rest is folded from segments: both give the same to the micro-unit.
func (s *Store) Usage(ctx context.Context, q UsageQuery) ([]UsageRow, error) {
	cuts, err := s.Usages(ctx, q)
	if err != nil {
		return nil, err
	}
	return cuts[0], nil
}

// Usages is Usage for several queries, answered by one look at one moment: what they have in common adds up to the same.
func (s *Store) Usages(ctx context.Context, queries ...UsageQuery) (cuts [][]UsageRow, err error) {
	err = s.read(ctx, func(t *tx) error {
		for _, q := range queries {
			rows, err := t.usage(q, false)
			if err != nil {
				return err
			}
			cuts = append(cuts, rows)
		}
		return nil
	})
	return cuts, err
}

// UsageFolded is Usage without the totals: every bill is folded from its segments. It is what the totals are held against.
func (s *Store) UsageFolded(ctx context.Context, q UsageQuery) (rows []UsageRow, err error) {
	err = s.read(ctx, func(t *tx) error {
		rows, err = t.usage(q, true)
		return err
	})
	return rows, err
}

func (t *tx) usage(q UsageQuery, folded bool) ([]UsageRow, error) {
	label, byLabel := strings.CutPrefix(q.GroupBy, "label:")
	if !byLabel && !slices.Contains(groupings, q.GroupBy) || byLabel && label == "" {
		return nil, invalid("group_by", "group_by_wrong")
	}
	zone, err := t.siteZone()
	if err != nil {
		return nil, err
	}
	if q.To.IsZero() {
		q.To = theEnd
	}
	q.From = earlier(q.From, q.To)
	u := usage{query: q, label: label, zone: zone, now: t.now, rows: map[string]*usageSum{}}
	switch {
	case !folded && (!byLabel || q.PersonID == "") && q.GroupBy != "instance" && wholeDays(q, zone):
		err = t.usageOfDays(&u)
	default:
		err = t.usageOfSegments(&u)
	}
	return u.sorted(), err
}

// theEnd is later than anything.
var theEnd = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// wholeDays reports whether a query begins and ends at midnights.
func wholeDays(q UsageQuery, zone *time.Location) bool {
	midnight := func(at time.Time) bool {
		start, _ := budget.Day.Bounds(at, zone)
		return start.Equal(at)
	}
	return (q.From.IsZero() || midnight(q.From)) && (q.To.Equal(theEnd) || midnight(q.To))
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

// group returns the key and the name of the row that something of a bill belongs to.
func (u *usage) group(b *billed, day string) (key, name string) {
	switch u.query.GroupBy {
	case "team":
		return b.teamID, b.teamName
	case "member":
		return b.personID, b.personName
	case "gpu_model":
		return b.gpuModel, b.gpuModel
	case "instance":
		return b.id(), b.name
	case "kind":
		return string(b.item), string(b.item)
	case "day":
		return day, day
	}
	return b.labels[u.label], b.labels[u.label]
}

func (u *usage) count(key, name string, cost int64, used time.Duration) {
	if cost == 0 && used == 0 {
		return
	}
	row := u.rows[key]
	if row == nil {
		row = &usageSum{UsageRow: UsageRow{Key: key, Name: name}}
		u.rows[key] = row
	}
	row.CostMicros += cost
	row.gpuTime += used
}

func (u *usage) sorted() []UsageRow {
	rows := make([]UsageRow, 0, len(u.rows))
	for _, row := range u.rows {
		if row.CostMicros == 0 && row.gpuTime == 0 {
			continue // one put the other right
		}
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
