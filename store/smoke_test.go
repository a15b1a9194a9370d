package store

import (
	"context"
	"testing"
	"time"
)

func TestSmoke(t *testing.T) {
	s, err := Open(context.Background(), Config{Path: t.TempDir(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p, err := s.AddPerson(context.Background(), NewPerson{Name: "lead", Email: "lead@example.org", Password: "0123456789", Role: Admin, Team: "research"})
	if err != nil {
		t.Fatal(err)
	}
	sec, _, err := s.Login(context.Background(), "LEAD", "0123456789", "1.2.3.4", "x")
	if err != nil {
		t.Fatal(err)
	}
	n, q, err := s.Session(context.Background(), sec)
	if err != nil || q != p && n.CSRF == "" {
		t.Fatal(n, q, p, err)
	}
	t.Log(s.DataVersion(context.Background()))
}
