package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/meterhouse/meterhouse/store/idle"
)

// IdleSetting is how the site deals with what is idle, and where that comes from.
type IdleSetting struct {
	idle.Settings
	SetAt *time.Time // nil: these are the defaults
	SetBy string     // name; "": the console itself
}

// IdleSetting returns what holds.
func (s *Store) IdleSetting(ctx context.Context) (set IdleSetting, err error) {
	err = s.read(ctx, func(t *tx) error {
		set, err = t.idleSetting()
		return err
	})
	return set, err
}

func (t *tx) idleSetting() (IdleSetting, error) {
	var set IdleSetting
	var mail, stop, minimum, at int64
	var by sql.NullString
	err := t.row("SELECT is_on, mail, stop, minimum, set_at, p.name FROM idle_setting LEFT JOIN person p ON p.id = set_by").Scan(&set.On, &mail, &stop, &minimum, &at, &by)
	if errors.Is(err, sql.ErrNoRows) {
		return IdleSetting{Settings: idle.Defaults}, nil
	}
	set.Mail, set.Stop, set.Minimum, set.SetBy = microseconds(mail), microseconds(stop), microseconds(minimum), by.String
	when := fromMicros(at)
	set.SetAt = &when
	return set, err
}

// SetIdle changes how the site deals with what is idle; it takes an admin, or the console itself as "". Invalid names what
// can't be. What was told already holds as it was told, unless it is switched off.
func (s *Store) SetIdle(ctx context.Context, by string, set idle.Settings) error {
	if err := checkIdle(set); err != nil {
		return err
	}
	return s.pricing(ctx, by, Request{}, func(t *tx) error {
		if _, err := t.exec(`INSERT INTO idle_setting (id, is_on, mail, stop, minimum, set_at, set_by) VALUES (1, ?, ?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET is_on = excluded.is_on, mail = excluded.mail, stop = excluded.stop, minimum = excluded.minimum, set_at = excluded.set_at, set_by = excluded.set_by`,
			set.On, set.Mail.Microseconds(), set.Stop.Microseconds(), set.Minimum.Microseconds(), micros(t.now), nullIfEmpty(by)); err != nil {
			return err
		}
		t.emit("idle", "")
		state := map[bool]string{true: "on", false: "off"}[set.On]
		return t.audit(AuditRecord{PersonID: by, Action: "idle_set", Detail: fmt.Sprintf("%s, mail %v, stop %v, minimum %v", state, set.Mail, set.Stop, set.Minimum)})
	})
}

// checkIdle says which setting can't be.
func checkIdle(set idle.Settings) error {
	switch set.Wrong() {
	case "mail":
		return invalid("mail", "idle_mail_wrong")
	case "stop":
		return invalid("stop", "idle_stop_wrong")
	case "minimum":
		return invalid("minimum", "idle_minimum_wrong")
	}
	return nil
}
