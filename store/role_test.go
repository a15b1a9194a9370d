package store

import "testing"

func TestARoleAllowsWhatTheRolesBelowItDoAndItsOwnThings(t *testing.T) {
	for _, c := range []struct {
		role                       Role
		sees, own, others, manager bool
	}{
		{"", false, false, false, false}, {Viewer, true, false, false, false}, {Member, true, true, false, false},
		{Manager, true, true, true, true}, {Admin, true, true, true, true}, {"boss", false, false, false, false},
	} {
		if c.role.Sees() != c.sees || c.role.Acts(true) != c.own || c.role.Acts(false) != c.others || c.role.AtLeast(Manager) != c.manager {
			t.Errorf("%q: sees %v, own %v, others' %v, as manager %v", c.role, c.role.Sees(), c.role.Acts(true), c.role.Acts(false), c.role.AtLeast(Manager))
		}
	}
	member := Person{ID: "p-1", TeamID: "t-1", Role: Member}
	admin := Person{ID: "p-2", TeamID: "t-1", Role: Admin, Admin: true}
	for _, c := range []struct {
		p    Person
		team string
		want Role
	}{{member, "t-1", Member}, {member, "t-2", ""}, {admin, "t-1", Admin}, {admin, "t-2", Admin}, {Person{}, "t-1", ""}} {
		if got := c.p.RoleIn(c.team); got != c.want {
			t.Errorf("%s in %s: %q, want %q", c.p.ID, c.team, got, c.want)
		}
	}
}
