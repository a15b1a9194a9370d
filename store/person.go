package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Person is someone who can sign in.
type Person struct {
	ID, Name, Email  string
	Lang             string // "": no choice
	Admin            bool   // of the whole site
	TeamID, TeamName string // home team: pays unless another is named
	Role             Role   // in the home team (TeamMembers: in that team); Admin if Admin
	HasPassword      bool
	CreatedAt        time.Time
	DisabledAt       *time.Time // nil: may sign in
}

// NewPerson is a person to be added.
type NewPerson struct {
	Name, Email string
	Password    string // "": none yet, sign in by link
	Role        Role   // "": Member
	Team        string // by name, made if missing; "": the oldest
	Lang        string // "": no choice: as the browser asks for, and mail in the site's
}

const personColumns = "p.id, p.name, p.email, p.lang, p.admin, p.team_id, h.name, m.role, p.password_hash IS NOT NULL, p.created_at, p.disabled_at"

const personFrom = ` FROM person p JOIN team h ON h.id = p.team_id LEFT JOIN member m ON m.person_id = p.id AND m.team_id = p.team_id `

func scanPerson(r scanner) (Person, error) {
	var p Person
	var role sql.NullString
	var created int64
	var disabled sql.NullInt64
	err := r.Scan(&p.ID, &p.Name, &p.Email, &p.Lang, &p.Admin, &p.TeamID, &p.TeamName, &role, &p.HasPassword, &created, &disabled)
	p.Role, p.CreatedAt, p.DisabledAt = Role(role.String), fromMicros(created), timeOrNil(disabled)
	if p.Admin {
		p.Role = Admin
	}
	return p, err
}

// Person returns one person.
func (s *Store) Person(ctx context.Context, id string) (p Person, err error) {
	err = s.read(ctx, func(t *tx) error {
		p, err = t.person(id)
		return err
	})
	return p, err
}

func (t *tx) person(id string) (Person, error) {
	p, err := scanPerson(t.row("SELECT "+personColumns+personFrom+"WHERE p.id = ?", id))
	return p, orNotFound(err, "person", id)
}

// activePerson is a person who may act: Forbidden for one who is disabled.
func (t *tx) activePerson(id string) (Person, error) {
	p, err := t.person(id)
	if err == nil && p.DisabledAt != nil {
		return p, &Error{Kind: Forbidden, Message: "person_disabled"}
	}
	return p, err
}

// PersonByName returns the person of that name or e-mail address, whatever the case.
func (s *Store) PersonByName(ctx context.Context, nameOrEmail string) (p Person, err error) {
	err = s.read(ctx, func(t *tx) error {
		p, err = t.personByName(nameOrEmail)
		return orNotFound(err, "person", nameOrEmail)
	})
	return p, err
}

func (t *tx) personByName(nameOrEmail string) (Person, error) {
	key := foldKey(nameOrEmail)
	return scanPerson(t.row("SELECT "+personColumns+personFrom+"WHERE p.name_key = ? OR p.email_key = ?", key, key))
}

// People returns everyone by name.
func (s *Store) People(ctx context.Context) (people []Person, err error) {
	err = s.read(ctx, func(t *tx) error {
		people, err = list(t, scanPerson, "SELECT "+personColumns+personFrom+"ORDER BY p.name_key")
		return err
	})
	return people, err
}

// AddPerson adds a person and, if missing, their team. Conflict when the name or the address is taken.
func (s *Store) AddPerson(ctx context.Context, n NewPerson) (p Person, err error) {
	hash := ""
	if n.Password != "" {
		if hash, err = s.hashNew(ctx, n.Password); err != nil {
			return Person{}, err
		}
	}
	err = s.write(ctx, func(t *tx) error {
		if p, err = t.addPerson(n, hash); err != nil {
			return err
		}
		return t.audit(AuditRecord{Action: "person_added", Target: p.ID, Detail: p.Name})
	})
	return p, err
}

func (t *tx) addPerson(n NewPerson, hash string) (Person, error) {
	name, err := cleanPersonName("name", n.Name)
	if err != nil {
		return Person{}, err
	}
	email, err := cleanEmail("email", n.Email)
	if err != nil {
		return Person{}, err
	}
	role, memberRole := n.Role, n.Role
	switch n.Role {
	case "":
		role, memberRole = Member, Member
	case Admin:
		memberRole = Manager
	case Viewer, Member, Manager:
	default:
		return Person{}, invalid("role", "role_unknown")
	}
	lang, err := cleanLang("lang", n.Lang, "")
	if err != nil {
		return Person{}, err
	}
	team, err := t.ensureTeam(n.Team)
	if err != nil {
		return Person{}, err
	}
	id := newID("p-")
	_, err = t.exec(`INSERT INTO person (id, name, name_key, email, email_key, lang, admin, team_id, password_hash, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, id, name, foldKey(name), email, foldKey(email), lang, role == Admin, team.ID, nullIfEmpty(hash), micros(t.now))
	if err != nil {
		return Person{}, nameTaken(err)
	}
	if _, err := t.exec("INSERT INTO member (team_id, person_id, role) VALUES (?, ?, ?)", team.ID, id, memberRole); err != nil {
		return Person{}, err
	}
	t.emit("person", id)
	return t.person(id)
}

func nameTaken(err error) error {
	switch {
	case violates(err, "person.name_key"):
		return &Error{Kind: Conflict, Field: "name", Message: "name_taken"}
	case violates(err, "person.email_key"):
		return &Error{Kind: Conflict, Field: "email", Message: "email_taken"}
	}
	return err
}

// DisablePerson keeps a person from signing in, or lets them again, and ends their sessions. The last admin stays.
func (s *Store) DisablePerson(ctx context.Context, by, id string, disabled bool) error {
	return s.write(ctx, func(t *tx) error {
		p, err := t.person(id)
		if err != nil || (p.DisabledAt != nil) == disabled {
			return err
		}
		if disabled && p.Admin {
			others, err := t.number("SELECT count(*) FROM person WHERE admin = 1 AND disabled_at IS NULL AND id <> ?", id)
			if err != nil {
				return err
			}
			if others == 0 {
				return &Error{Kind: Conflict, Message: "last_admin"}
			}
		}
		var at any
		if disabled {
			at = micros(t.now)
			if _, err := t.exec("DELETE FROM session WHERE person_id = ?", id); err != nil {
				return err
			}
		}
		if _, err := t.exec("UPDATE person SET disabled_at = ? WHERE id = ?", at, id); err != nil {
			return err
		}
		t.emit("person", id)
		return t.audit(AuditRecord{PersonID: by, Action: map[bool]string{true: "person_disabled", false: "person_enabled"}[disabled], Target: id})
	})
}

// managers returns who looks after a team: its managers and, where it has none, the site's admins.
func (t *tx) managers(teamID string) ([]Person, error) {
	people, err := list(t, scanPerson, `SELECT `+personColumns+` FROM member m JOIN person p ON p.id = m.person_id
		JOIN team h ON h.id = p.team_id WHERE m.team_id = ? AND m.role = 'manager' AND p.disabled_at IS NULL ORDER BY p.id`, teamID)
	if err != nil || len(people) > 0 {
		return people, err
	}
	return t.admins()
}

func (t *tx) admins() ([]Person, error) {
	return list(t, scanPerson, "SELECT "+personColumns+personFrom+"WHERE p.admin = 1 AND p.disabled_at IS NULL ORDER BY p.id")
}

// errNoPerson reports whether a look for a person found none.
func errNoPerson(err error) bool { return errors.Is(err, sql.ErrNoRows) }
