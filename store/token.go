package store

import "time"

// Token lets a program act as a person.
type Token struct {
	ID, PersonID, Name string
	CreatedAt          time.Time
	UsedAt, RevokedAt  *time.Time
}
