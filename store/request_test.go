package store_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// keyedEffects are the calls that take a Request; each returns how many effects it has had so far.
func keyedEffects(t *testing.T, s *store.Store, seed storetest.Seeded) map[string]func(store.Request) (effects int, err error) {
	t.Helper()
	i, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, CPUOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ3D3vUJtXk2OyQ5r5Qe2yEw0Y1w1rjJtCk5xq0mM3cT me@laptop"
	return map[string]func(store.Request) (int, error){
		"budget": func(r store.Request) (int, error) {
			_, err := s.CreateBudget(ctx, seed.Admin.ID, store.NewBudget{Name: "b", TeamID: seed.Team.ID, LimitMicros: 1, Request: r})
			all, listErr := s.Budgets(ctx, "")
			return len(all), firstOf(err, listErr)
		},
		"ssh key": func(r store.Request) (int, error) {
			_, err := s.AddSSHKey(ctx, seed.Admin.ID, "", key, r)
			all, listErr := s.SSHKeys(ctx, seed.Admin.ID)
			return len(all), firstOf(err, listErr)
		},
		"extend": func(r store.Request) (int, error) {
			until := s.Now().Add(time.Hour)
			_, err := s.Extend(ctx, i.ID, seed.Admin.ID, &until, r)
			events, listErr := s.InstanceEvents(ctx, i.ID, 0)
			n := 0
			for _, e := range events {
				if e.Kind == "extended" {
					n++
				}
			}
			return n, firstOf(err, listErr)
		},
		"token": func(r store.Request) (int, error) {
			_, _, err := s.CreateToken(ctx, seed.Admin.ID, "ci", r)
			var e *store.Error
			if errors.As(err, &e) && e.Message == "token_shown_before" {
				err = nil // the one answer to a second time
			}
			all, listErr := s.Tokens(ctx, seed.Admin.ID)
			return len(all), firstOf(err, listErr)
		},
	}
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestTheSameRequestHasOneEffectAlsoAfterARestart(t *testing.T) {
	dir, clock := t.TempDir(), storetest.NewClock()
	s := storetest.OpenDir(t, dir, clock)
	seed := storetest.SeedQuick(t, s)
	effects := keyedEffects(t, s, seed)
	for name, do := range effects {
		r := store.NewRequest(name, "POST", "/x", "body")
		for range 2 {
			if n, err := do(r); n != 1 || err != nil {
				t.Errorf("%s: %d effects, %v", name, n, err)
			}
		}
		_, err := do(store.NewRequest(name, "POST", "/x", "other body"))
		kind(t, err, store.Conflict, "idempotency_key")
		_, err = do(store.NewRequest(name, "POST", "/xbody", ""))
		kind(t, err, store.Conflict, "idempotency_key")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = storetest.OpenDir(t, dir, clock)
	again, err := s.CreateBudget(ctx, seed.Admin.ID, store.NewBudget{Name: "b", TeamID: seed.Team.ID, LimitMicros: 1, Request: store.NewRequest("budget", "POST", "/x", "body")})
	all, listErr := s.Budgets(ctx, "")
	if err != nil || listErr != nil || len(all) != 1 || all[0].ID != again.ID {
		t.Errorf("after a restart: %v, %v %v", all, err, listErr)
	}
	_, _, err = s.CreateToken(ctx, seed.Admin.ID, "ci", store.NewRequest("token", "POST", "/x", "body"))
	kind(t, err, store.Conflict, "")
}

func TestARequestIsKeptForADayAndIsThePersonsOwn(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	r := store.NewRequest("k", "POST", "/x", "body")
	token := func(personID string, r store.Request) error {
		_, _, err := s.CreateToken(ctx, personID, "ci", r)
		return err
	}
	if err := firstOf(token(seed.Admin.ID, r), token(seed.Member.ID, r)); err != nil {
		t.Fatalf("the same key of another person is another: %v", err)
	}
	clock.Advance(24*time.Hour - time.Microsecond)
	kind(t, token(seed.Admin.ID, r), store.Conflict, "")
	clock.Advance(time.Microsecond)
	if err := token(seed.Admin.ID, r); err != nil {
		t.Errorf("after a day: %v", err)
	}
	for _, key := range []string{strings.Repeat("k", 201), "a\nb", "\xff"} {
		kind(t, token(seed.Admin.ID, store.NewRequest(key)), store.Invalid, "idempotency_key")
	}
	_, _, err := s.CreateToken(ctx, seed.Admin.ID, "", store.NewRequest("failed"))
	kind(t, err, store.Invalid, "name")
	if err := token(seed.Admin.ID, store.NewRequest("failed")); err != nil {
		t.Errorf("what failed may be sent again: %v", err)
	}
}

func TestThirtyTwoOfOneRequestAtOnceHaveOneEffect(t *testing.T) {
	s, _ := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	for name, do := range keyedEffects(t, s, seed) {
		var all sync.WaitGroup
		for range 32 {
			all.Go(func() {
				if n, err := do(store.NewRequest(name, "POST", "/x")); n != 1 || err != nil {
					t.Errorf("%s: %d effects, %v", name, n, err)
				}
			})
		}
		all.Wait()
	}
}

func TestNoSecretIsOnTheDisk(t *testing.T) {
	dir := t.TempDir()
	s := storetest.OpenDir(t, dir, storetest.NewClock())
	seed := storetest.Seed(t, s)
	token, _, err := s.CreateToken(ctx, seed.Member.ID, "ci", store.NewRequest("k", "POST", "/settings/tokens", "name=ci"))
	link, linkErr := s.LoginLink(ctx, seed.Member.ID)
	session, _, loginErr := s.Login(ctx, seed.Member.Name, seed.Password, "192.0.2.1", "")
	if err := firstOf(err, linkErr, loginErr); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "meterhouse.db*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for name, secret := range map[string]string{"token": token, "link": link, "session": session, "password": seed.Password} {
			if bytes.Contains(text, []byte(secret)) {
				t.Errorf("%s: the %s stands in it", file, name)
			}
		}
	}
}
