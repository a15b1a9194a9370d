package life

import "testing"

func TestEveryStateIsReachedAndEveryLifeCanEnd(t *testing.T) {
	reached := map[State]bool{}
	var walk func(State)
	walk = func(s State) {
		if reached[s] {
			return
		}
		reached[s] = true
		for _, next := range Steps[s] {
			walk(next)
		}
	}
	for _, s := range Initial {
		walk(s)
	}
	for _, s := range States {
		if !reached[s] {
			t.Errorf("nothing leads to %s", s)
		}
		if s.Ended() != (len(Steps[s]) == 0) {
			t.Errorf("%s: ended %v with steps %v", s, s.Ended(), Steps[s])
		}
		if Allowed(s, s) {
			t.Errorf("%s may follow itself", s)
		}
		if s.Billable() && !s.HoldsGPUs() {
			t.Errorf("%s is billed for nothing", s)
		}
		for _, next := range Steps[s] {
			if !Known(next) {
				t.Errorf("%s leads to %s, which is no state", s, next)
			}
		}
	}
	if len(Steps) != len(States) || Known("") || State("gone").Live() {
		t.Error("the table and the list of states differ")
	}
}

func TestNothingIsBilledAfterTheStop(t *testing.T) {
	for _, s := range []State{Queued, Starting, Stopping, Stopped, Failed, Unreachable} {
		if s.Billable() {
			t.Errorf("%s is billed", s)
		}
	}
}
