package store

import "time"

// SSHKey is a person's public key.
type SSHKey struct {
	ID, PersonID, Name string
	Key                string // type and base64, without comment
	Fingerprint        string // SHA256:…
	CreatedAt          time.Time
}
