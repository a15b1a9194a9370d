package store

import "slices"

// Role is what a member may do in a team. What a role allows is said here alone: pages that offer and transactions that do
// ask the same.
type Role string

// The roles, from least to most.
const (
	Viewer  Role = "viewer"  // sees
	Member  Role = "member"  // rents, and stops what is their own
	Manager Role = "manager" // stops what is the team's, and sets its budgets
	Admin   Role = "admin"   // of the whole site
)

var roles = []Role{Viewer, Member, Manager, Admin}

// AtLeast reports whether a role allows all that another does. "", the role of who is not in the team, allows nothing.
func (r Role) AtLeast(other Role) bool {
	least := slices.Index(roles, other)
	return least >= 0 && slices.Index(roles, r) >= least
}

// Sees reports whether a team's things are the business of who has this role in it. What is not is as if it did not exist.
func (r Role) Sees() bool { return r.AtLeast(Viewer) }

// Acts reports whether who has this role in a team may change or enter what a person of the team has; own says that it is
// theirs.
func (r Role) Acts(own bool) bool {
	return r.AtLeast(Manager) || own && r.AtLeast(Member)
}

// RoleIn is the person's role in a team as far as their home team and the site tell: "" for another team.
func (p Person) RoleIn(teamID string) Role {
	if p.Admin {
		return Admin
	}
	if teamID != p.TeamID {
		return ""
	}
	return p.Role
}
