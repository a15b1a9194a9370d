package store

import "time"

// Session is one signed-in browser.
type Session struct {
	ID                           string // public; the secret is not kept
	PersonID                     string
	CreatedAt, SeenAt, ExpiresAt time.Time
	Addr, Agent                  string
	CSRF                         string // belongs to this session alone, derived from its secret
}
