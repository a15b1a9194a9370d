package store

import (
	"context"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

const sshKeyMax = 16 << 10 // bytes; the longest RSA key in use takes a tenth of it

// SSHKey is a person's public key.
type SSHKey struct {
	ID, PersonID, Name string
	Key                string // type and base64, as in authorized_keys, without options and comment
	Fingerprint        string // SHA256:…
	CreatedAt          time.Time
}

const sshKeyColumns = "id, person_id, name, key, fingerprint, created_at"

func scanSSHKey(r scanner) (SSHKey, error) {
	var k SSHKey
	var created int64
	err := r.Scan(&k.ID, &k.PersonID, &k.Name, &k.Key, &k.Fingerprint, &created)
	k.CreatedAt = fromMicros(created)
	return k, err
}

// AddSSHKey adds a public key, as one line of authorized_keys. "" as its name takes the line's comment. Conflict if the
// person has it already; the same request again returns what it added.
func (s *Store) AddSSHKey(ctx context.Context, personID, name, authorizedKey string, r Request) (k SSHKey, err error) {
	if len(authorizedKey) > sshKeyMax {
		return SSHKey{}, invalid("key", "ssh_key_wrong")
	}
	public, comment, options, rest, err := ssh.ParseAuthorizedKey([]byte(strings.TrimSpace(authorizedKey)))
	if err != nil || len(options) > 0 || len(rest) > 0 {
		return SSHKey{}, &Error{Kind: Invalid, Field: "key", Message: "ssh_key_wrong", Err: err}
	}
	fingerprint := ssh.FingerprintSHA256(public)
	if name == "" {
		name = clipped(comment, nameMax)
	}
	if name == "" {
		name = public.Type()
	}
	if name, err = cleanText("name", name, 1, nameMax); err != nil {
		return SSHKey{}, err
	}
	err = s.write(ctx, func(t *tx) error {
		if _, err := t.activePerson(personID); err != nil {
			return err
		}
		id, made, err := t.once(personID, r, func() (string, error) {
			k = SSHKey{ID: newID("s-"), PersonID: personID, Name: name, Fingerprint: fingerprint, CreatedAt: t.now,
				Key: strings.TrimSpace(string(ssh.MarshalAuthorizedKey(public)))}
			return k.ID, t.insertSSHKey(k)
		})
		if err == nil && !made {
			k, err = scanSSHKey(t.row("SELECT "+sshKeyColumns+" FROM ssh_key WHERE id = ?", id))
			return orNotFound(err, "ssh_key", id)
		}
		return err
	})
	return k, err
}

func (t *tx) insertSSHKey(k SSHKey) error {
	_, err := t.exec("INSERT INTO ssh_key ("+sshKeyColumns+") VALUES (?, ?, ?, ?, ?, ?)", k.ID, k.PersonID, k.Name, k.Key, k.Fingerprint, micros(k.CreatedAt))
	if violates(err, "ssh_key.fingerprint") {
		return &Error{Kind: Conflict, Field: "key", Message: "ssh_key_taken"}
	}
	t.emit("person", k.PersonID)
	return err
}

// SSHKeys returns a person's keys, oldest first.
func (s *Store) SSHKeys(ctx context.Context, personID string) (all []SSHKey, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, scanSSHKey, "SELECT "+sshKeyColumns+" FROM ssh_key WHERE person_id = ? ORDER BY created_at, id", personID)
		return err
	})
	return all, err
}

// DeleteSSHKey removes a key. NotFound if it is not the person's.
func (s *Store) DeleteSSHKey(ctx context.Context, personID, id string) error {
	return s.write(ctx, func(t *tx) error {
		n, err := t.exec("DELETE FROM ssh_key WHERE id = ? AND person_id = ?", id, personID)
		if err == nil && n == 0 {
			return notFound("ssh_key", id)
		}
		t.emit("person", personID)
		return err
	})
}

// SSHKeysByFingerprint returns who may sign in with a key: the same one may be several people's. Nobody who is disabled.
func (s *Store) SSHKeysByFingerprint(ctx context.Context, fingerprint string) (all []SSHKey, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, scanSSHKey, "SELECT "+sshKeyColumns+` FROM ssh_key WHERE fingerprint = ?
			AND person_id IN (SELECT id FROM person WHERE disabled_at IS NULL) ORDER BY created_at, id`, fingerprint)
		return err
	})
	return all, err
}

// SSHKeyPerson returns whose key it is. NotFound once it was removed, Forbidden when its person is disabled.
func (s *Store) SSHKeyPerson(ctx context.Context, id string) (p Person, err error) {
	err = s.read(ctx, func(t *tx) error {
		k, err := scanSSHKey(t.row("SELECT "+sshKeyColumns+" FROM ssh_key WHERE id = ?", id))
		if err != nil {
			return orNotFound(err, "ssh_key", id)
		}
		p, err = t.activePerson(k.PersonID)
		return err
	})
	return p, err
}
