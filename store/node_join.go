package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
)

const (
	joinPrefix = "mhj_" // so that a leaked one is recognised
	joinMax    = 30 * 24 * time.Hour
)

// NewJoin makes a secret by which one machine may become a node, once, within ttl (at most 30 days). name is what the node
// will be called, "": as the machine calls itself. Of the secret only the hash is kept. personID is "" where it is asked for
// at the console's own machine.
func (s *Store) NewJoin(ctx context.Context, personID, name string, ttl time.Duration) (secret string, err error) {
	if ttl <= 0 || ttl > joinMax {
		return "", invalid("ttl", "out_of_range")
	}
	if name != "" {
		if name, err = cleanText("name", name, 1, 100); err != nil {
			return "", err
		}
	}
	secret = joinPrefix + randomText(tokenLetters)
	return secret, s.write(ctx, func(t *tx) error {
		if _, err := t.exec("INSERT INTO node_join (hash, name, person_id, created_at, expires_at) VALUES (?, ?, ?, ?, ?)",
			secretHash(secret), name, nullIfEmpty(personID), micros(t.now), micros(t.now.Add(ttl))); err != nil {
			return err
		}
		return t.audit(AuditRecord{PersonID: personID, Action: "node_join_created", Target: name})
	})
}

// AdmitNode returns the node of a machine that has proven to have a key. A key that is not known becomes one by a join
// secret: that of a new node, or of one whose last key was removed. Unauthorized where neither is good.
func (s *Store) AdmitNode(ctx context.Context, key []byte, secret, name string) (n Node, err error) {
	err = s.write(ctx, func(t *tx) error {
		var id string
		var removed sql.NullInt64
		err := t.row("SELECT node_id, removed_at FROM node_key WHERE key = ?", key).Scan(&id, &removed)
		switch {
		case err == nil && removed.Valid:
			return &Error{Kind: Unauthorized, Message: "node_removed"}
		case errors.Is(err, sql.ErrNoRows):
			id, err = t.joinNode(key, secret, name)
		}
		if err != nil {
			return err
		}
		n, err = t.node(id)
		return err
	})
	return n, err
}

func (t *tx) joinNode(key []byte, secret, name string) (id string, err error) {
	var called string
	err = t.row("SELECT name FROM node_join WHERE hash = ? AND used_at IS NULL AND expires_at > ?", secretHash(secret), micros(t.now)).Scan(&called)
	if errors.Is(err, sql.ErrNoRows) || !strings.HasPrefix(secret, joinPrefix) {
		return "", &Error{Kind: Unauthorized, Message: "join_refused"}
	}
	if err != nil {
		return "", err
	}
	if called != "" {
		name = called
	}
	if name, err = cleanText("name", name, 1, 100); err != nil {
		return "", err
	}
	if id, err = t.nodeToJoin(name); err != nil {
		return "", err
	}
	if _, err := t.exec("INSERT INTO node_key (key, node_id, created_at) VALUES (?, ?, ?)", key, id, micros(t.now)); err != nil {
		return "", err
	}
	if _, err := t.exec("UPDATE node_join SET used_at = ?, node_id = ? WHERE hash = ?", micros(t.now), id, secretHash(secret)); err != nil {
		return "", err
	}
	t.emit("node", id)
	return id, t.audit(AuditRecord{Action: "node_joined", Target: id, Detail: name})
}

// nodeToJoin returns the node of a name that nobody is any more, or a new one. It is lost until its first look says more, so
// that nothing is offered there before.
func (t *tx) nodeToJoin(name string) (id string, err error) {
	var taken bool
	err = t.row("SELECT id, local OR EXISTS (SELECT 1 FROM node_key k WHERE k.node_id = n.id AND k.removed_at IS NULL) FROM node n WHERE name = ?", name).Scan(&id, &taken)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		id = newID("n-")
		_, err = t.exec("INSERT INTO node (id, name, local, state, executor, seen_at, created_at) VALUES (?, ?, 0, 'lost', '', ?, ?)", id, name, micros(t.now), micros(t.now))
	case err == nil && taken:
		err = &Error{Kind: Conflict, Message: "node_name_taken", Args: map[string]string{"name": name}}
	}
	return id, err
}

// RemoveNode refuses a node's key from now on. What it ran stays in the books; it comes back only by another join. NotFound
// where no machine has joined as this node, Conflict for the console's own.
func (s *Store) RemoveNode(ctx context.Context, id, personID string) error {
	return s.write(ctx, func(t *tx) error {
		if local, err := t.number("SELECT count(*) FROM node WHERE id = ? AND local", id); err != nil || local > 0 {
			return cmp.Or(err, error(&Error{Kind: Conflict, Message: "node_is_local"}))
		}
		n, err := t.exec("UPDATE node_key SET removed_at = ? WHERE node_id = ? AND removed_at IS NULL", micros(t.now), id)
		if err != nil {
			return err
		}
		if n == 0 {
			return notFound("node", id)
		}
		if _, err := t.exec("UPDATE node SET state = 'lost' WHERE id = ?", id); err != nil {
			return err
		}
		t.emit("node", id)
		return t.audit(AuditRecord{PersonID: personID, Action: "node_removed", Target: id})
	})
}

// RemovedNodes returns the ids of the nodes whose machine's key was removed, and that no other has joined as since.
func (s *Store) RemovedNodes(ctx context.Context) (ids []string, err error) {
	err = s.read(ctx, func(t *tx) error {
		ids, err = list(t, func(r scanner) (id string, err error) { return id, r.Scan(&id) },
			"SELECT id FROM node WHERE NOT local AND id NOT IN (SELECT node_id FROM node_key WHERE removed_at IS NULL) ORDER BY id")
		return err
	})
	return ids, err
}

func (t *tx) node(id string) (Node, error) {
	all, err := t.nodes()
	if err != nil {
		return Node{}, err
	}
	for _, n := range all {
		if n.ID == id {
			return n, nil
		}
	}
	return Node{}, notFound("node", id)
}
