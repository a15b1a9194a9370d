package store

import (
	"context"
	"time"
)

// setupCodeLife is how long a setup code works: a working day and the night after it.
const setupCodeLife = 24 * time.Hour

// SetupRequest is what the first person says about themselves and the site.
type SetupRequest struct {
	Code                              string // from SetupCode
	Site                              Site   // Name, Currency, TimeZone, Lang; what is "" stays as it is
	Name, Email, Password, Team, Lang string
}

// SetupCode makes a new one-time code, in the place of an older one. Conflict once an admin exists.
func (s *Store) SetupCode(ctx context.Context) (code string, err error) {
	code = randomText(20)
	err = s.write(ctx, func(t *tx) error {
		if err := t.notSetUp(); err != nil {
			return err
		}
		_, err := t.exec("INSERT OR REPLACE INTO setup_code (id, hash, expires_at) VALUES (1, ?, ?)",
			secretHash(code), micros(t.now.Add(setupCodeLife)))
		return err
	})
	return code, err
}

// Setup makes the first admin and names the site, in one transaction that works once: Conflict when an admin exists,
// Unauthorized when the code is wrong or too old.
func (s *Store) Setup(ctx context.Context, r SetupRequest) (p Person, err error) {
	n := NewPerson{Name: r.Name, Email: r.Email, Password: r.Password, Role: Admin, Team: r.Team, Lang: r.Lang}
	if r.Password == "" {
		return Person{}, invalid("password", "required")
	}
	hash, err := s.hashNew(ctx, r.Password)
	if err != nil {
		return Person{}, err
	}
	err = s.write(ctx, func(t *tx) error {
		if err := t.notSetUp(); err != nil {
			return err
		}
		used, err := t.exec("DELETE FROM setup_code WHERE hash = ? AND expires_at > ?", secretHash(r.Code), micros(t.now))
		if err != nil {
			return err
		}
		if used == 0 {
			return &Error{Kind: Unauthorized, Field: "code", Message: "setup_code_wrong"}
		}
		if err := t.updateSite(r.Site); err != nil {
			return err
		}
		if p, err = t.addPerson(n, hash); err != nil {
			return err
		}
		return t.audit(AuditRecord{PersonID: p.ID, Action: "setup", Target: p.ID})
	})
	return p, err
}

func (t *tx) notSetUp() error {
	admins, err := t.number("SELECT count(*) FROM person WHERE admin = 1")
	if err == nil && admins > 0 {
		return &Error{Kind: Conflict, Message: "setup_done"}
	}
	return err
}
