package store

import "context"

// PersonChange is what to change of a person; nil leaves as is.
type PersonChange struct {
	Name, Email, Lang *string
	Password          *string
	OldPassword       string // required with Password where the person has one
	KeepSession       string // a new password ends every session but this one (its public id)
}

// UpdatePerson changes a person. Unauthorized if the old password is wrong, Conflict if a name is taken.
func (s *Store) UpdatePerson(ctx context.Context, id string, change PersonChange) (p Person, err error) {
	var old, hash string
	if change.Password != nil {
		if old, err = s.passwordHash(ctx, id); err != nil {
			return Person{}, err
		}
		if old != "" {
			if err := s.throttled(ctx, "person:"+id, "", func() (bool, error) { return s.hashing.matches(ctx, change.OldPassword, old) }); err != nil {
				return Person{}, asField(err, "old_password", "old_password_wrong")
			}
		}
		if hash, err = s.hashNew(ctx, *change.Password); err != nil {
			return Person{}, err
		}
	}
	err = s.write(ctx, func(t *tx) error {
		if p, err = t.person(id); err != nil {
			return err
		}
		if err := t.changePerson(&p, change); err != nil {
			return err
		}
		if change.Password != nil {
			if err := t.changePassword(id, old, hash, change.KeepSession); err != nil {
				return err
			}
		}
		t.emit("person", id)
		p, err = t.person(id)
		return err
	})
	return p, err
}

func (t *tx) changePerson(p *Person, change PersonChange) (err error) {
	address := foldKey(p.Email)
	if change.Name != nil {
		if p.Name, err = cleanPersonName("name", *change.Name); err != nil {
			return err
		}
	}
	if change.Email != nil {
		if p.Email, err = cleanEmail("email", *change.Email); err != nil {
			return err
		}
	}
	if change.Lang != nil {
		if p.Lang, err = cleanLang("lang", *change.Lang, ""); err != nil {
			return err
		}
	}
	_, err = t.exec("UPDATE person SET name = ?, name_key = ?, email = ?, email_key = ?, lang = ? WHERE id = ?",
		p.Name, foldKey(p.Name), p.Email, foldKey(p.Email), p.Lang, p.ID)
	if err != nil {
		return nameTaken(err)
	}
	return t.moveMailPreference(address, foldKey(p.Email))
}

// changePassword compares and sets: two changes at once don't both win with the same old password.
func (t *tx) changePassword(id, old, hash, keep string) error {
	n, err := t.exec("UPDATE person SET password_hash = ? WHERE id = ? AND coalesce(password_hash, '') = ?", hash, id, old)
	if err != nil {
		return err
	}
	if n == 0 {
		return &Error{Kind: Conflict, Field: "password", Message: "password_changed_meanwhile"}
	}
	if err := t.endSignIns(id, keep); err != nil {
		return err
	}
	return t.audit(AuditRecord{PersonID: id, Action: "password_changed", Target: id})
}

// SetPassword gives a person another password, whatever it was, and ends all their sessions; "" as by is the console itself.
func (s *Store) SetPassword(ctx context.Context, by, id, password string) error {
	hash, err := s.hashNew(ctx, password)
	if err != nil {
		return err
	}
	return s.write(ctx, func(t *tx) error {
		if _, err := t.activePerson(id); err != nil {
			return err
		}
		if _, err := t.exec("UPDATE person SET password_hash = ? WHERE id = ?", hash, id); err != nil {
			return err
		}
		if err := t.endSignIns(id, ""); err != nil {
			return err
		}
		if _, err := t.exec("DELETE FROM throttle WHERE key = ?", "person:"+id); err != nil {
			return err
		}
		t.emit("person", id)
		return t.audit(AuditRecord{PersonID: by, Action: "password_set", Target: id})
	})
}

// endSignIns ends a person's sessions but one, and the links that could still begin another.
func (t *tx) endSignIns(id, keep string) error {
	if _, err := t.exec("DELETE FROM session WHERE person_id = ? AND id <> ?", id, keep); err != nil {
		return err
	}
	_, err := t.exec("DELETE FROM login_link WHERE person_id = ?", id)
	return err
}
