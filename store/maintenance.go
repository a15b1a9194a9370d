package store

import (
	"context"
	"errors"
	"time"
)

// Maintenance is a window [Start, End) in which nothing is on a node.
type Maintenance struct {
	ID, NodeID  string
	Start, End  time.Time
	Reason      string
	ByName      string // "": at the console's own machine
	CancelledAt *time.Time
}

// windows runs a query for the rest after the tables' names.
func (t *tx) windows(where string, args ...any) ([]Maintenance, error) {
	return list(t, func(r scanner) (Maintenance, error) {
		var m Maintenance
		var start, end int64
		var who *string
		var cancelled *int64
		err := r.Scan(&m.ID, &m.NodeID, &start, &end, &m.Reason, &who, &cancelled)
		m.Start, m.End = fromMicros(start), fromMicros(end)
		if who != nil {
			m.ByName = *who
		}
		if cancelled != nil {
			at := fromMicros(*cancelled)
			m.CancelledAt = &at
		}
		return m, err
	}, `SELECT m.id, m.node_id, m.start_at, m.end_at, m.reason, p.name, m.cancelled_at FROM maintenance m LEFT JOIN person p ON p.id = m.person_id `+where+` ORDER BY m.start_at, m.id`, args...)
}

// CancelMaintenance gives a window up, or ends one that has begun: its node is used again, and what had its hard end by it goes
// on. One that is over or cancelled stays as it is. NotFound if the node has no such window.
func (s *Store) CancelMaintenance(ctx context.Context, nodeID, id, by string) error {
	return s.write(ctx, func(t *tx) error {
		found, err := t.windows("WHERE m.id = ? AND m.node_id = ?", id, nodeID)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return notFound("maintenance", id)
		}
		m := found[0]
		if m.CancelledAt != nil || !t.now.Before(m.End) {
			return nil
		}
		if _, err := t.exec("UPDATE maintenance SET cancelled_at = ? WHERE id = ?", micros(t.now), id); err != nil {
			return err
		}
		if err := t.restoreEnds(nodeID, "maintenance", m.Start); err != nil {
			return err
		}
		return errors.Join(t.emitNode(nodeID), t.audit(AuditRecord{PersonID: by, Action: "maintenance_cancelled", Target: nodeID, Detail: m.detail()}))
	})
}

func (m *Maintenance) detail() string {
	return m.Start.Format(time.RFC3339) + " – " + m.End.Format(time.RFC3339) + " " + m.Reason
}
