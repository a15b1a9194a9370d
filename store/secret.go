package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
	"unicode/utf8"
)

const (
	secretMax  = 16 << 10 // bytes
	secretsMax = 200      // of a person or a team
)

// Secret is a value that instances are given by its name. The value itself can't be read back.
type Secret struct {
	ID, Name             string
	TeamID, TeamName     string
	PersonID, PersonName string // whose it is; "": the whole team's
	ChangedBy            string
	ChangedAt            time.Time
}

const secretQuery = `SELECT s.id, s.name, s.team_id, t.name, coalesce(s.person_id, ''), coalesce(p.name, ''), b.name, s.changed_at
	FROM secret s JOIN team t ON t.id = s.team_id LEFT JOIN person p ON p.id = s.person_id JOIN person b ON b.id = s.changed_by `

func scanSecret(r scanner) (Secret, error) {
	var s Secret
	var changed int64
	err := r.Scan(&s.ID, &s.Name, &s.TeamID, &s.TeamName, &s.PersonID, &s.PersonName, &s.ChangedBy, &changed)
	s.ChangedAt = fromMicros(changed)
	return s, err
}

// Secrets returns those that a person can use in their team: their own and the team's, by name.
func (s *Store) Secrets(ctx context.Context, personID string) (all []Secret, err error) {
	err = s.read(ctx, func(t *tx) error {
		p, err := t.activePerson(personID)
		if err == nil {
			all, err = list(t, scanSecret, secretQuery+"WHERE s.team_id = ? AND s.removed_at IS NULL AND (s.person_id IS NULL OR s.person_id = ?) ORDER BY s.name, s.person_id IS NULL", p.TeamID, p.ID)
		}
		return err
	})
	return all, err
}

// SetSecret sets a person's own secret, or with shared their team's, which takes a manager. One of that name gets the new value:
// what runs keeps the old.
func (s *Store) SetSecret(ctx context.Context, by, name, value string, shared bool) (made Secret, err error) {
	switch {
	case !envKey.MatchString(name):
		return made, invalid("name", "secret_name_wrong")
	case value == "":
		return made, invalid("value", "required")
	case len(value) > secretMax:
		return made, tooLong("value", secretMax)
	case !utf8.ValidString(value) || !withoutNUL(value):
		return made, invalid("value", "not_allowed_characters")
	}
	key, err := s.secretKey(true) // outside of the transaction: it writes a file
	if err != nil {
		return made, err
	}
	err = s.write(ctx, func(t *tx) error {
		p, err := t.activePerson(by)
		if err != nil {
			return err
		}
		least, owner := Member, any(by)
		if shared {
			least, owner = Manager, nil
		}
		if !p.RoleIn(p.TeamID).AtLeast(least) {
			return &Error{Kind: Forbidden, Message: "secret_needs_manager"}
		}
		var id string
		err = t.row("SELECT id FROM secret WHERE team_id = ? AND person_id IS ? AND name = ? AND removed_at IS NULL", p.TeamID, owner, name).Scan(&id)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			id, err = t.insertSecret(p, owner, name)
		}
		if err != nil {
			return err
		}
		sealed, err := seal(key, id, value)
		if err != nil {
			return err
		}
		if _, err := t.exec("UPDATE secret SET sealed = ?, changed_by = ?, changed_at = ? WHERE id = ?", sealed, by, micros(t.now), id); err != nil {
			return err
		}
		if made, err = scanSecret(t.row(secretQuery+"WHERE s.id = ?", id)); err != nil {
			return err
		}
		return t.audit(AuditRecord{PersonID: by, Action: "secret_set", Target: id, Detail: name})
	})
	return made, err
}

func (t *tx) insertSecret(p Person, owner any, name string) (id string, err error) {
	n, err := t.number("SELECT count(*) FROM secret WHERE team_id = ? AND person_id IS ? AND removed_at IS NULL", p.TeamID, owner)
	if err != nil {
		return "", err
	}
	if n >= secretsMax {
		return "", &Error{Kind: Conflict, Message: "too_many_secrets"}
	}
	id = newID("se-")
	_, err = t.exec("INSERT INTO secret (id, name, team_id, person_id, sealed, changed_by, changed_at) VALUES (?, ?, ?, ?, x'', ?, ?)", id, name, p.TeamID, owner, p.ID, micros(t.now))
	return id, err
}

// RemoveSecret deletes a secret's value; what runs keeps it, what starts later fails. NotFound for one that is not the person's
// business, Forbidden for a team's without being its manager.
func (s *Store) RemoveSecret(ctx context.Context, by, id string) error {
	return s.write(ctx, func(t *tx) error {
		found, err := scanSecret(t.row(secretQuery+"WHERE s.id = ? AND s.removed_at IS NULL", id))
		if err != nil {
			return orNotFound(err, "secret", id)
		}
		role, err := t.roleIn(by, found.TeamID)
		switch {
		case err != nil:
			return err
		case !role.Sees() || found.PersonID != "" && found.PersonID != by:
			return notFound("secret", id)
		case found.PersonID == "" && !role.AtLeast(Manager):
			return &Error{Kind: Forbidden, Message: "secret_needs_manager"}
		}
		if _, err := t.exec("UPDATE secret SET removed_at = ?, sealed = x'' WHERE id = ?", micros(t.now), id); err != nil {
			return err
		}
		return t.audit(AuditRecord{PersonID: by, Action: "secret_removed", Target: id, Detail: found.Name})
	})
}

// usableSecret finds a secret by its name: the person's own before the team's.
func (t *tx) usableSecret(personID, teamID, name string) (id string, err error) {
	err = t.row("SELECT id FROM secret WHERE team_id = ? AND name = ? AND removed_at IS NULL AND (person_id IS NULL OR person_id = ?) ORDER BY person_id IS NULL LIMIT 1",
		teamID, name, personID).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		err = &Error{Kind: Invalid, Field: "secrets", Message: "secret_not_here", Args: map[string]string{"name": clipped(name, 100)}}
	}
	return id, err
}
