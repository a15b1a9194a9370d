package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

func admitted(t *testing.T, s *store.Store, key, secret, name string, want store.Key) store.Node {
	t.Helper()
	n, err := s.AdmitNode(ctx, []byte(key), secret, name)
	if got := messageOfNode(err); got != want {
		t.Errorf("%s as %q: %v, want %q", key, name, err, want)
	}
	return n
}

func messageOfNode(err error) store.Key {
	var e *store.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return ""
}

func join(t *testing.T, s *store.Store, name string) string {
	t.Helper()
	secret, err := s.NewJoin(ctx, "", name, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// A token is good once and in its time; a key is good until its node is removed, and never again.
func TestAMachineJoinsOnceAndIsKnownByItsKey(t *testing.T) {
	s, clock := storetest.Open(t)
	secret := join(t, s, "")
	admitted(t, s, "key-a", "", "rack-1", "join_refused")
	admitted(t, s, "key-a", "mhj_guessed", "rack-1", "join_refused")
	a := admitted(t, s, "key-a", secret, "rack-1", "")
	if a.Name != "rack-1" || a.Local || a.State != store.NodeLost {
		t.Errorf("it joined as %+v", a)
	}
	admitted(t, s, "key-b", secret, "rack-2", "join_refused")
	if again := admitted(t, s, "key-a", "", "renamed", ""); again.ID != a.ID || again.Name != "rack-1" {
		t.Errorf("it comes back as %+v", again)
	}
	late := join(t, s, "")
	clock.Advance(time.Hour)
	admitted(t, s, "key-b", late, "rack-2", "join_refused")
	named := join(t, s, "rack-1")
	admitted(t, s, "key-b", named, "rack-2", "node_name_taken")
	if err := s.RemoveNode(ctx, a.ID, ""); err != nil {
		t.Fatal(err)
	}
	admitted(t, s, "key-a", "", "rack-1", "node_removed")
	admitted(t, s, "key-a", join(t, s, ""), "rack-1", "node_removed")
	if b := admitted(t, s, "key-b", named, "rack-2", ""); b.ID != a.ID {
		t.Errorf("another machine in the removed node's place is %+v", b)
	}
	if err := s.RemoveNode(ctx, "n-nobody", ""); store.KindOf(err) != store.NotFound {
		t.Errorf("removing nobody: %v", err)
	}
}
