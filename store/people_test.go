package store_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

func TestSetupWorksOnce(t *testing.T) {
	s, _ := storetest.Open(t)
	if site, err := s.Site(ctx); err != nil || site.SetUp || site.Currency != "USD" {
		t.Fatalf("site: %+v %v", site, err)
	}
	old, err := s.SetupCode(ctx)
	if err != nil {
		t.Fatal(err)
	}
	code, err := s.SetupCode(ctx)
	if err != nil {
		t.Fatal(err)
	}
	r := store.SetupRequest{Code: old, Site: store.Site{Name: "Lab", Currency: "EUR", TimeZone: "Europe/Berlin", Lang: "zh-CN"},
		Name: "lead", Email: "lead@example.org", Password: "0123456789", Team: "research"}
	_, err = s.Setup(ctx, r)
	kind(t, err, store.Unauthorized, "code")
	r.Code = code
	wrong := r
	wrong.Site.TimeZone = "Mars/Olympus"
	_, err = s.Setup(ctx, wrong)
	kind(t, err, store.Invalid, "time_zone") // and the code still works
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range 3 {
		wg.Go(func() {
			_, err := s.Setup(ctx, r)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				done++
			} else if store.KindOf(err) != store.Conflict {
				t.Errorf("setup: %v", err)
			}
		})
	}
	wg.Wait()
	if done != 1 {
		t.Errorf("set up %d times", done)
	}
	site, err := s.Site(ctx)
	if err != nil || !site.SetUp || site.Name != "Lab" || site.Currency != "EUR" || site.TimeZone != "Europe/Berlin" || site.Lang != "zh" {
		t.Errorf("site: %+v %v", site, err)
	}
	if _, err := s.SetupCode(ctx); store.KindOf(err) != store.Conflict {
		t.Errorf("another code: %v", err)
	}
	if p, err := s.PersonByName(ctx, "LEAD@example.org"); err != nil || !p.Admin || p.Role != store.Admin || p.TeamName != "research" || p.Lang != "" {
		t.Errorf("person: %+v %v", p, err)
	}
}

func TestASetupCodeGetsOld(t *testing.T) {
	s, clock := storetest.Open(t)
	code, err := s.SetupCode(ctx)
	if err != nil {
		t.Fatal(err)
	}
	clock.Advance(24 * time.Hour)
	_, err = s.Setup(ctx, store.SetupRequest{Code: code, Name: "lead", Email: "lead@example.org", Password: "0123456789"})
	kind(t, err, store.Unauthorized, "code")
}

func TestNamesThatAreNoneAreRefused(t *testing.T) {
	s, _ := storetest.Open(t)
	good := store.NewPerson{Name: "Zoë O'Neil", Email: "zoe@example.org", Team: "research"}
	if _, err := s.AddPerson(ctx, good); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		field string
		n     store.NewPerson
	}{
		{"name", store.NewPerson{Name: "", Email: "a@example.org"}},
		{"name", store.NewPerson{Name: "a\r\nBcc: b@example.org", Email: "a@example.org"}},
		{"name", store.NewPerson{Name: strings.Repeat("a", 61), Email: "a@example.org"}},
		{"name", store.NewPerson{Name: "a\u202eb", Email: "a@example.org"}},
		{"name", store.NewPerson{Name: "a@b", Email: "a@example.org"}},
		{"name", store.NewPerson{Name: "ZOE\u0308 O'NEIL", Email: "a@example.org"}}, // taken, written otherwise
		{"email", store.NewPerson{Name: "a", Email: ""}},
		{"email", store.NewPerson{Name: "a", Email: "a"}},
		{"email", store.NewPerson{Name: "a", Email: "a@example.org\r\nBcc: b@example.org"}},
		{"email", store.NewPerson{Name: "a", Email: "A <a@example.org>"}},
		{"email", store.NewPerson{Name: "a", Email: "a@example.org, b@example.org"}},
		{"email", store.NewPerson{Name: "a", Email: strings.Repeat("a", 250) + "@example.org"}},
		{"email", store.NewPerson{Name: "a", Email: "Zoe@Example.org"}}, // taken
		{"password", store.NewPerson{Name: "a", Email: "a@example.org", Password: "123456789"}},
		{"password", store.NewPerson{Name: "a", Email: "a@example.org", Password: strings.Repeat("a", 201)}},
		{"role", store.NewPerson{Name: "a", Email: "a@example.org", Role: "root"}},
		{"lang", store.NewPerson{Name: "a", Email: "a@example.org", Lang: "xx"}},
		{"team", store.NewPerson{Name: "a", Email: "a@example.org", Team: "a<b>"}},
	} {
		_, err := s.AddPerson(ctx, c.n)
		var e *store.Error
		if !errors.As(err, &e) || e.Field != c.field {
			t.Errorf("%+v: %v, want the field %s", c.n, err, c.field)
		}
	}
	if people, err := s.People(ctx); err != nil || len(people) != 1 {
		t.Errorf("people: %v %v", people, err)
	}
	if teams, err := s.Teams(ctx); err != nil || len(teams) != 1 {
		t.Errorf("teams: %v %v", teams, err)
	}
}

func TestASessionLastsAsLongAsItMay(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.Seed(t, s)
	secret, p, err := s.Login(ctx, "Member", storetest.Password, "192.0.2.7", "a browser\r\n")
	if err != nil || p.ID != seed.Member.ID {
		t.Fatalf("login: %+v %v", p, err)
	}
	valid := func(want bool) {
		t.Helper()
		n, p, err := s.Session(ctx, secret)
		if (err == nil) != want || err != nil && store.KindOf(err) != store.Unauthorized {
			t.Fatalf("session: %v", err)
		}
		if want && (p.ID != seed.Member.ID || n.CSRF == "" || n.CSRF == secret || strings.ContainsAny(n.Agent, "\r\n")) {
			t.Fatalf("session: %+v of %+v", n, p)
		}
	}
	for range 4 { // used every 7 days, less a moment
		clock.Advance(7*24*time.Hour - time.Second)
		valid(true)
	}
	clock.Advance(3 * 24 * time.Hour) // but not older than 30
	valid(false)
	if secret, _, err = s.Login(ctx, "member@example.org", storetest.Password, "192.0.2.7", ""); err != nil {
		t.Fatal(err)
	}
	clock.Advance(7 * 24 * time.Hour)
	valid(false)
	if secret, _, err = s.Login(ctx, "member@example.org", storetest.Password, "192.0.2.7", ""); err != nil {
		t.Fatal(err)
	}
	n, _, err := s.Session(ctx, secret)
	if err != nil {
		t.Fatal(err)
	}
	kind(t, s.EndSession(ctx, seed.Admin.ID, n.ID), store.NotFound, "")
	valid(true)
	if err := s.EndSession(ctx, seed.Member.ID, n.ID); err != nil {
		t.Fatal(err)
	}
	valid(false)
}

func TestGuessingIsSlowedDownWhoeverIsGuessed(t *testing.T) {
	s, clock := storetest.Open(t)
	storetest.Seed(t, s)
	for _, name := range []string{"member", "nobody"} {
		try := func(password string) error {
			_, _, err := s.Login(ctx, name, password, "192.0.2."+name, "")
			return err
		}
		for range 5 {
			kind(t, try("wrong wrong"), store.Unauthorized, "")
		}
		if e := kind(t, try("wrong wrong"), store.TooMany, ""); e.RetryAfter != 30*time.Second {
			t.Errorf("%s: wait %v", name, e.RetryAfter)
		}
		kind(t, try(storetest.Password), store.TooMany, "") // the right one, too
		clock.Advance(30 * time.Second)
		kind(t, try("wrong wrong"), store.Unauthorized, "")
		if e := kind(t, try("wrong wrong"), store.TooMany, ""); e.RetryAfter != time.Minute {
			t.Errorf("%s: wait %v", name, e.RetryAfter)
		}
		clock.Advance(time.Minute)
		if err := try(storetest.Password); (err == nil) != (name == "member") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAStormOfParallelGuessesGetsNoMoreOfThem(t *testing.T) {
	s, _ := storetest.Open(t)
	storetest.Seed(t, s)
	var wg sync.WaitGroup
	var mu sync.Mutex
	looked := 0
	for range 40 {
		wg.Go(func() {
			_, _, err := s.Login(ctx, "admin", "wrong wrong", "198.51.100.1", "")
			mu.Lock()
			defer mu.Unlock()
			switch store.KindOf(err) {
			case store.Unauthorized:
				looked++
			case store.TooMany:
			default:
				t.Errorf("login: %v", err)
			}
		})
	}
	wg.Wait()
	if looked != 5 {
		t.Errorf("%d guesses were looked at", looked)
	}
	for k := range 40 { // one address, many names
		_, _, err := s.Login(ctx, strings.Repeat("x", k+1), "wrong wrong", "198.51.100.2", "")
		if want := map[bool]store.Kind{true: store.Unauthorized, false: store.TooMany}[k < 20]; store.KindOf(err) != want {
			t.Errorf("guess %d: %v", k, err)
		}
	}
}

func TestLinksTicketsAndTokens(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	code, err := s.LoginLink(ctx, seed.Member.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, p, err := s.LoginByLink(ctx, code, "192.0.2.1", ""); err != nil || p.ID != seed.Member.ID {
		t.Errorf("by link: %+v %v", p, err)
	}
	_, _, err = s.LoginByLink(ctx, code, "192.0.2.1", "")
	kind(t, err, store.Unauthorized, "")
	if code, err = s.LoginLink(ctx, seed.Member.ID); err != nil {
		t.Fatal(err)
	}
	clock.Advance(15 * time.Minute)
	_, _, err = s.LoginByLink(ctx, code, "192.0.2.1", "")
	kind(t, err, store.Unauthorized, "")

	ticket, err := s.NewTicket(ctx, seed.Member.ID, "terminal:i-1", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.UseTicket(ctx, ticket, "terminal:i-2")
	kind(t, err, store.Unauthorized, "")
	if id, err := s.UseTicket(ctx, ticket, "terminal:i-1"); err != nil || id != seed.Member.ID {
		t.Errorf("ticket: %s %v", id, err)
	}
	_, err = s.UseTicket(ctx, ticket, "terminal:i-1")
	kind(t, err, store.Unauthorized, "")

	secret, token, err := s.CreateToken(ctx, seed.Member.ID, "laptop", store.Request{})
	if err != nil || !strings.HasPrefix(secret, "mh_") || len(secret) != 43 {
		t.Fatalf("token: %q %v", secret, err)
	}
	if p, k, err := s.TokenPerson(ctx, secret); err != nil || p.ID != seed.Member.ID || k.ID != token.ID {
		t.Errorf("token: %+v %+v %v", p, k, err)
	}
	kind(t, s.RevokeToken(ctx, seed.Admin.ID, token.ID), store.NotFound, "")
	if err := s.DisablePerson(ctx, seed.Admin.ID, seed.Member.ID, true); err != nil {
		t.Fatal(err)
	}
	_, _, err = s.TokenPerson(ctx, secret)
	kind(t, err, store.Unauthorized, "")
	if err := s.DisablePerson(ctx, seed.Admin.ID, seed.Member.ID, false); err != nil {
		t.Fatal(err)
	}
	if err := s.RevokeToken(ctx, seed.Member.ID, token.ID); err != nil {
		t.Fatal(err)
	}
	_, _, err = s.TokenPerson(ctx, secret)
	kind(t, err, store.Unauthorized, "")
	kind(t, s.DisablePerson(ctx, seed.Admin.ID, seed.Admin.ID, true), store.Conflict, "") // the last one
}

func TestSSHKeysAreParsed(t *testing.T) {
	s, _ := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ3D3vUJtXk2OyQ5r5Qe2yEw0Y1w1rjJtCk5xq0mM3cT me@laptop"
	k, err := s.AddSSHKey(ctx, seed.Member.ID, "", key, store.Request{})
	if err != nil || k.Name != "me@laptop" || !strings.HasPrefix(k.Fingerprint, "SHA256:") || k.Key != key[:80] {
		t.Fatalf("key: %+v %v", k, err)
	}
	_, err = s.AddSSHKey(ctx, seed.Member.ID, "again", key, store.Request{})
	kind(t, err, store.Conflict, "key")
	for _, wrong := range []string{"", "ssh-ed25519", "ssh-ed25519 AAAA", `command="rm" ` + key, key + "\n" + key, strings.Repeat("x", 1<<20), "-----BEGIN OPENSSH PRIVATE KEY-----"} {
		_, err := s.AddSSHKey(ctx, seed.Admin.ID, "x", wrong, store.Request{})
		kind(t, err, store.Invalid, "key")
	}
	kind(t, s.DeleteSSHKey(ctx, seed.Admin.ID, k.ID), store.NotFound, "")
	if err := s.DeleteSSHKey(ctx, seed.Member.ID, k.ID); err != nil {
		t.Fatal(err)
	}
}

func TestANewPasswordEndsOtherSessions(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.Seed(t, s)
	var secrets [2]string
	for k := range secrets {
		var err error
		if secrets[k], _, err = s.Login(ctx, "member", storetest.Password, "192.0.2.1", ""); err != nil {
			t.Fatal(err)
		}
	}
	mine, _, err := s.Session(ctx, secrets[0])
	if err != nil {
		t.Fatal(err)
	}
	password := "a new password"
	_, err = s.UpdatePerson(ctx, seed.Member.ID, store.PersonChange{Password: &password, OldPassword: "wrong wrong", KeepSession: mine.ID})
	kind(t, err, store.Unauthorized, "old_password")
	clock.Advance(time.Minute)
	name, lang := "Renamed", "zh"
	p, err := s.UpdatePerson(ctx, seed.Member.ID, store.PersonChange{Name: &name, Lang: &lang, Password: &password, OldPassword: storetest.Password, KeepSession: mine.ID})
	if err != nil || p.Name != name || p.Lang != "zh" {
		t.Fatalf("person: %+v %v", p, err)
	}
	if _, _, err := s.Session(ctx, secrets[0]); err != nil {
		t.Errorf("the kept session: %v", err)
	}
	_, _, err = s.Session(ctx, secrets[1])
	kind(t, err, store.Unauthorized, "")
	if _, _, err := s.Login(ctx, "renamed", password, "192.0.2.1", ""); err != nil {
		t.Errorf("with the new password: %v", err)
	}
	if log, _, err := s.AuditLog(ctx, 0, ""); err != nil || len(log) == 0 || log[0].Action != "signed_in" || log[0].PersonName != "Renamed" {
		t.Errorf("audit: %+v %v", log, err)
	}
}
