package store

import "time"

// Team is who pays.
type Team struct {
	ID, Name  string
	CreatedAt time.Time
}
