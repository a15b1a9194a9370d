package main

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
)

// dataWithPeople is a data directory with "ann lee", who has no password, and the admin "boss", who has one.
func dataWithPeople(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	inData(t, dir, func(*store.Store) {})
	for _, line := range [][]string{{"", "admin", "user", "add", "ann lee", "--email", "ann@example.com", "--team", "t"},
		{"correct horse battery\n", "admin", "user", "add", "boss", "--email", "boss@example.com", "--role", "admin", "--team", "t", "--password-stdin"}} {
		if code, _, errOut := typed(t, nil, line[0], append(line[1:], "--data", dir)...); code != exitDone {
			t.Fatalf("%v: %s", line, errOut)
		}
	}
	return dir
}

func inData(t *testing.T, dir string, do func(*store.Store)) {
	t.Helper()
	s, err := store.Open(context.Background(), store.Config{Path: dir, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	do(s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAddingAPersonSaysHowTheySignIn(t *testing.T) {
	dir := dataWithPeople(t)
	inData(t, dir, func(s *store.Store) {
		if err := s.UpdateSite(context.Background(), store.Site{URL: "https://gpu.example.com"}); err != nil {
			t.Fatal(err)
		}
	})
	_, out, _ := typed(t, nil, "", "admin", "user", "add", "o'neil x", "--email", "o@example.com", "--team", "t", "--data", dir)
	if !strings.Contains(out, `meterhouse admin login-link --user 'o'\''neil x' --data `+dir+"\n") {
		t.Errorf("without a password: %s", out)
	}
	_, out, _ = typed(t, nil, "a long password\n", "admin", "user", "add", "max", "--email", "max@example.com", "--team", "t", "--password-stdin", "--data", dir)
	if !strings.Contains(out, "https://gpu.example.com/login as max@example.com") {
		t.Errorf("with a password: %s", out)
	}
}

func TestALoginLinkLeadsToWhereTheConsoleServedLast(t *testing.T) {
	dir := dataWithPeople(t)
	link := regexp.MustCompile(`^(.*)/login/link\?code=\w{40}\n$`)
	for _, c := range []struct{ served, flag, want string }{
		{"", "", "http://127.0.0.1:8080"}, {"http://localhost:9999", "", "http://localhost:9999"}, {"https://gpu.example.com", "", "https://gpu.example.com"},
		{"https://gpu.example.com", "http://10.0.0.1:80/", "http://10.0.0.1:80"},
	} {
		inData(t, dir, func(s *store.Store) {
			if err := s.UpdateSite(context.Background(), store.Site{URL: c.served}); err != nil {
				t.Fatal(err)
			}
		})
		_, out, errOut := typed(t, nil, "", "admin", "login-link", "--user", "ann lee", "--url="+c.flag, "--data", dir)
		if m := link.FindStringSubmatch(out); m == nil || m[1] != c.want {
			t.Errorf("%+v: %q %s", c, out, errOut)
		}
	}
}

func TestAnAdminGivesAPersonAnotherPassword(t *testing.T) {
	dir, ctx := dataWithPeople(t), context.Background()
	var session string
	inData(t, dir, func(s *store.Store) {
		var err error
		if session, _, err = s.Login(ctx, "boss", "correct horse battery", "192.0.2.1", ""); err != nil {
			t.Fatal(err)
		}
	})
	for stdin, want := range map[string]string{"short\n": "at least 10 characters", "": "stdin is empty"} {
		if code, _, errOut := typed(t, nil, stdin, "admin", "user", "password", "boss", "--password-stdin", "--data", dir); code != exitFailed || !strings.Contains(errOut, want) {
			t.Errorf("%q: %d %s", stdin, code, errOut)
		}
	}
	if code, _, errOut := typed(t, nil, "x", "admin", "user", "password", "boss", "--data", dir); code != exitUsage || !strings.Contains(errOut, "--password-stdin") {
		t.Errorf("without a terminal: %d %s", code, errOut)
	}
	if code, _, errOut := typed(t, nil, "x", "admin", "user", "password", "nobody", "--password-stdin", "--data", dir); code != exitFailed || !strings.Contains(errOut, "nobody") {
		t.Errorf("nobody: %d %s", code, errOut)
	}
	if code, out, errOut := typed(t, nil, "another password\n", "admin", "user", "password", "boss", "--password-stdin", "--data", dir); code != exitDone || !strings.Contains(out, "boss has a new password") {
		t.Fatalf("%d %s", code, errOut)
	}
	inData(t, dir, func(s *store.Store) {
		if _, _, err := s.Session(ctx, session); store.KindOf(err) != store.Unauthorized {
			t.Errorf("the session of before: %v", err)
		}
		if _, _, err := s.Login(ctx, "boss", "another password", "192.0.2.1", ""); err != nil {
			t.Errorf("the new password: %v", err)
		}
		log, _, err := s.AuditLog(ctx, 10, "")
		if err != nil || log[1].Action != "password_set" {
			t.Errorf("%+v %v", log, err)
		}
	})
}
