package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"
)

// The states of a node: whether it is heard of.
const (
	NodeUp   = "up"
	NodeLost = "lost"
)

// Node is a machine with GPUs, run by one agent.
type Node struct {
	ID, Name  string
	Local     bool // the console's own machine
	Joined    bool // another machine has a key by which it is this node
	State     string
	SeenAt    time.Time
	Executor  string
	Build     string        // the version of its agent; "": not known
	Limits    []NodeLimit   // by name
	Instances int           // that have their place there
	Windows   []Maintenance // that are not over, the next first
	NodeService
}

// NodeLimit says whether a node enforces one limit, and how or why not.
type NodeLimit struct {
	Name     string
	Enforced bool
	Detail   string
}

// EnsureNode returns the node of that name, made if missing, with its executor and limits brought up to date.
func (s *Store) EnsureNode(ctx context.Context, name string, local bool, executor string, limits []NodeLimit) (n Node, err error) {
	if name, err = cleanText("name", name, 1, 100); err != nil {
		return Node{}, err
	}
	limits = slices.Clone(limits)
	slices.SortFunc(limits, func(a, b NodeLimit) int { return compareText(a.Name, b.Name) })
	err = s.write(ctx, func(t *tx) error {
		var id, old string
		err := t.row("SELECT id, executor FROM node WHERE name = ?", name).Scan(&id, &old)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			id = newID("n-")
			_, err = t.exec("INSERT INTO node (id, name, local, state, executor, seen_at, created_at) VALUES (?, ?, ?, 'up', ?, ?, ?)",
				id, name, local, executor, micros(t.now), micros(t.now))
		case err == nil:
			_, err = t.exec("UPDATE node SET executor = ?, local = ?, seen_at = ?, state = CASE state WHEN 'lost' THEN 'up' ELSE state END WHERE id = ?",
				executor, local, micros(t.now), id)
		}
		if err != nil {
			return err
		}
		if _, err := t.exec("DELETE FROM node_limit WHERE node_id = ?", id); err != nil {
			return err
		}
		for _, l := range limits {
			if _, err := t.exec("INSERT OR REPLACE INTO node_limit (node_id, name, enforced, detail) VALUES (?, ?, ?, ?)", id, l.Name, l.Enforced, l.Detail); err != nil {
				return err
			}
		}
		t.emit("node", id)
		all, err := t.nodes()
		if err != nil {
			return err
		}
		n = all[slices.IndexFunc(all, func(n Node) bool { return n.ID == id })]
		return nil
	})
	return n, err
}

func compareText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Nodes returns every node, the local one first, then by name.
func (s *Store) Nodes(ctx context.Context) (all []Node, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = t.nodes()
		return err
	})
	return all, err
}

func (t *tx) nodes() ([]Node, error) {
	limits := map[string][]NodeLimit{}
	err := t.each(func(r scanner) error {
		var id string
		var l NodeLimit
		err := r.Scan(&id, &l.Name, &l.Enforced, &l.Detail)
		limits[id] = append(limits[id], l)
		return err
	}, "SELECT node_id, name, enforced, detail FROM node_limit ORDER BY node_id, name")
	if err != nil {
		return nil, err
	}
	windows, err := t.windows("WHERE m.cancelled_at IS NULL AND m.end_at > ?", micros(t.now))
	if err != nil {
		return nil, err
	}
	return list(t, func(r scanner) (Node, error) {
		var n Node
		var seen int64
		var at, by sql.NullInt64
		var who sql.NullString
		err := r.Scan(&n.ID, &n.Name, &n.Local, &n.Joined, &n.State, &seen, &n.Executor, &n.Build, &n.Instances, &n.Service, &n.Reason, &who, &at, &by)
		n.SeenAt, n.Limits, n.ByName, n.Since, n.DrainBy = fromMicros(seen), limits[n.ID], who.String, timeOrNil(at), timeOrNil(by)
		for _, w := range windows {
			if w.NodeID == n.ID {
				n.Windows = append(n.Windows, w)
			}
		}
		n.settle(t.now)
		return n, err
	}, `SELECT n.id, n.name, n.local, EXISTS (SELECT 1 FROM node_key k WHERE k.node_id = n.id AND k.removed_at IS NULL), n.state, n.seen_at, n.executor, n.build,
		(SELECT count(*) FROM instance i WHERE i.node_id = n.id AND i.state IN (`+placed+`)), n.service, n.service_reason, p.name, n.service_at, n.drain_by
		FROM node n LEFT JOIN person p ON p.id = n.service_by ORDER BY n.local DESC, n.name`)
}

// NodeSeen says that a node was heard of; a lost one is up again.
func (s *Store) NodeSeen(ctx context.Context, id string, at time.Time) error {
	return s.write(ctx, func(t *tx) error {
		back, err := t.exec("UPDATE node SET state = 'up' WHERE id = ? AND state = 'lost'", id)
		if err != nil {
			return err
		}
		if back > 0 {
			t.emit("node", id)
		}
		n, err := t.exec("UPDATE node SET seen_at = max(seen_at, ?) WHERE id = ?", micros(earlier(at, t.now)), id)
		if err == nil && n == 0 {
			return notFound("node", id)
		}
		return err
	})
}

// NodeLost says that a node has not been heard of for too long, as of a moment: who was heard of later is not lost. What an
// admin said of it stays.
func (s *Store) NodeLost(ctx context.Context, id string, at time.Time) error {
	return s.write(ctx, func(t *tx) error {
		n, err := t.exec("UPDATE node SET state = 'lost' WHERE id = ? AND state <> 'lost' AND seen_at <= ?", id, micros(at))
		if n > 0 {
			t.emit("node", id)
		}
		return err
	})
}

// NodeBuild says which version a node's agent is.
func (s *Store) NodeBuild(ctx context.Context, id, build string) error {
	return s.write(ctx, func(t *tx) error {
		n, err := t.exec("UPDATE node SET build = ?1 WHERE id = ?2 AND build <> ?1", clipped(build, 100), id)
		if n > 0 {
			t.emit("node", id)
		}
		return err
	})
}
