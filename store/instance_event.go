package store

import "time"

// InstanceEvent is one thing that happened to an instance.
type InstanceEvent struct {
	ID         int64
	At         time.Time
	Kind       string // key that web/lang has words for
	Args       map[string]string
	PersonName string // who did it; "": the console
}
