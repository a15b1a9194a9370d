package store

import "time"

// Mail is one mail to be sent.
type Mail struct {
	ID                   int64
	MessageID            string // fixed: a resend is the same mail
	To, Lang             string
	Template             string // "budget_threshold", "budget_reached", "instance_stopped", "invitation", "gpu_quarantined"
	Data                 map[string]string
	Tries                int
	CreatedAt, NextTryAt time.Time
	SentAt, DeadAt       *time.Time
	LastError            string
}
