package store

import "time"

// Role is what a member may do in a team.
type Role string

// The roles, from least to most.
const (
	Viewer  Role = "viewer"
	Member  Role = "member"
	Manager Role = "manager"
	Admin   Role = "admin"
)

// Person is someone who can sign in.
type Person struct {
	ID, Name, Email, Lang string
	Admin                 bool   // of the whole site
	TeamID, TeamName      string // home team: pays unless another is named
	Role                  Role   // in the home team; Admin if Admin
	CreatedAt             time.Time
	DisabledAt            *time.Time // nil: may sign in
}

// NewPerson is a person to be added.
type NewPerson struct {
	Name, Email string
	Password    string // "": none yet, sign in by link
	Role        Role   // "": Member
	Team        string // by name; made if missing
	Lang        string // "": the site's
}

// PersonChange is what to change; nil leaves as is.
type PersonChange struct {
	Name, Email, Lang *string
	Password          *string
	OldPassword       string // required with Password where the person has one
}
