package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"
)

// InstanceEvent is one thing that happened to an instance.
type InstanceEvent struct {
	ID         int64
	At         time.Time
	Kind       string // key that web/lang has words for
	Args       map[string]string
	PersonName string // who did it; "": the console
}

// InstanceEvents returns the newest first, at most limit (0: 100).
func (s *Store) InstanceEvents(ctx context.Context, id string, limit int) (all []InstanceEvent, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, scanInstanceEvent, `SELECT e.id, e.at, e.kind, e.args, p.name FROM instance_event e LEFT JOIN person p ON p.id = e.person_id
			WHERE e.instance_id = ? ORDER BY e.id DESC LIMIT ?`, id, pageLimit(limit, 100, 1000))
		return err
	})
	return all, err
}

func scanInstanceEvent(r scanner) (InstanceEvent, error) {
	var e InstanceEvent
	var at int64
	var args string
	var name sql.NullString
	if err := r.Scan(&e.ID, &at, &e.Kind, &args, &name); err != nil {
		return e, err
	}
	e.At, e.PersonName = fromMicros(at), name.String
	return e, json.Unmarshal([]byte(args), &e.Args)
}

// AddInstanceEvent notes something that the store itself does not see, such as an image being fetched.
func (s *Store) AddInstanceEvent(ctx context.Context, id, kind string, args map[string]string) error {
	return s.write(ctx, func(t *tx) error {
		if _, err := t.instance(id); err != nil {
			return err
		}
		t.emit("instance", id)
		return t.instanceEvent(id, kind, "", args)
	})
}

func (t *tx) instanceEvent(id, kind, by string, args map[string]string) error {
	if args == nil {
		args = map[string]string{}
	}
	text, err := json.Marshal(args)
	if err != nil {
		return err
	}
	_, err = t.exec("INSERT INTO instance_event (instance_id, at, kind, args, person_id) VALUES (?, ?, ?, ?, ?)", id, micros(t.now), clipped(kind, 100), string(text), nullIfEmpty(by))
	return err
}
