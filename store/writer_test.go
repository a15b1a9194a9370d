package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

func open(t testing.TB) *Store {
	t.Helper()
	s, err := Open(context.Background(), Config{Path: t.TempDir(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func addTeam(name string) func(*tx) error {
	return func(t *tx) error {
		_, err := t.ensureTeam(name)
		return err
	}
}

func teamCount(t *testing.T, s *Store) int {
	t.Helper()
	teams, err := s.Teams(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return len(teams)
}

// hold keeps the writer busy until release is called, so that what is queued meanwhile forms one group.
func hold(t *testing.T, s *Store) (release func()) {
	t.Helper()
	began, wait, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- s.write(context.Background(), func(*tx) error { close(began); <-wait; return nil })
	}()
	<-began
	return func() {
		close(wait)
		if err := <-done; err != nil {
			t.Errorf("holding: %v", err)
		}
	}
}

func TestAFailedWriteLeavesItsNeighboursAlone(t *testing.T) {
	s := open(t)
	before := teamCount(t, s)
	release := hold(t, s)
	wrong := errors.New("wrong")
	var wg sync.WaitGroup
	for k := range 40 {
		wg.Go(func() {
			err := s.write(context.Background(), func(t *tx) error {
				if err := addTeam(fmt.Sprintf("team %d", k))(t); err != nil {
					return err
				}
				switch k % 4 {
				case 0:
					return wrong
				case 1:
					_, err := t.exec("INSERT INTO node_limit VALUES ('nowhere', 'x', 2, '')") // breaks a rule
					return err
				}
				return nil
			})
			if k%4 == 0 && !errors.Is(err, wrong) || k%4 == 1 && err == nil || k%4 > 1 && err != nil {
				t.Errorf("%d: %v", k, err)
			}
		})
	}
	release()
	wg.Wait()
	if got := teamCount(t, s) - before; got != 20 {
		t.Errorf("%d teams were added, want 20", got)
	}
}

func TestManyWritersShareACommit(t *testing.T) {
	s := open(t)
	release := hold(t, s)
	var wg sync.WaitGroup
	for k := range 64 {
		wg.Go(func() {
			if err := s.write(context.Background(), addTeam(fmt.Sprintf("team %d", k))); err != nil {
				t.Errorf("%d: %v", k, err)
			}
		})
	}
	release()
	wg.Wait()
	if got := teamCount(t, s); got != 64 {
		t.Errorf("%d teams", got)
	}
	if s.writer.commits >= 64 {
		t.Errorf("%d commits for 64 writers", s.writer.commits)
	}
}

func TestACancelledWriteIsNotRun(t *testing.T) {
	s := open(t)
	release := hold(t, s)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.write(ctx, addTeam("late")) }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	release()
	if err := s.write(ctx, addTeam("later")); KindOf(err) != Unavailable {
		t.Errorf("already cancelled: %v", err)
	}
	if got := teamCount(t, s); got != 0 {
		t.Errorf("%d teams were added", got)
	}
}

// A full disk fails all that is in the group, in words, and the store works again when there is room.
func TestAFullDiskLosesNothingAndPasses(t *testing.T) {
	s := open(t)
	ctx := context.Background()
	if err := s.write(ctx, addTeam("before")); err != nil {
		t.Fatal(err)
	}
	limit := func(pages string) {
		t.Helper()
		if err := s.write(ctx, func(t *tx) error { _, err := t.number("PRAGMA max_page_count = " + pages); return err }); err != nil {
			t.Fatal(err)
		}
	}
	limit("1") // which means: as many as there are
	big := strings.Repeat("x", 1<<20)
	var wg sync.WaitGroup
	var full int
	var mu sync.Mutex
	for k := range 8 {
		wg.Go(func() {
			err := s.write(ctx, func(t *tx) error {
				for range 20 {
					if err := t.audit(AuditRecord{Action: "a", Detail: big[:detailMax]}); err != nil {
						return err
					}
				}
				_, err := t.ensureTeam(fmt.Sprintf("team %d", k))
				return err
			})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				return
			}
			full++
			var e *Error
			if !errors.As(err, &e) || e.Kind != Unavailable || e.Message != "disk_full" {
				t.Errorf("%d: %v", k, err)
			}
		})
	}
	wg.Wait()
	if full == 0 {
		t.Fatal("the disk was never full")
	}
	if got := teamCount(t, s); got != 1+8-full {
		t.Errorf("%d teams, %d writes failed", got, full)
	}
	limit("1000000")
	if err := s.write(ctx, addTeam("after")); err != nil {
		t.Errorf("with room: %v", err)
	}
}

func TestAClosedStoreSaysSo(t *testing.T) {
	s := open(t)
	events, cancel := s.Subscribe()
	defer cancel()
	var wg sync.WaitGroup
	for k := range 20 {
		wg.Go(func() {
			if err := s.write(context.Background(), addTeam(fmt.Sprintf("team %d", k))); err != nil && KindOf(err) != Unavailable {
				t.Errorf("%d: %v", k, err)
			}
		})
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	wg.Wait()
	for range events {
	}
	if _, err := s.Teams(context.Background()); KindOf(err) != Unavailable {
		t.Errorf("read after close: %v", err)
	}
	if err := s.write(context.Background(), addTeam("late")); KindOf(err) != Unavailable {
		t.Errorf("write after close: %v", err)
	}
	if late, _ := s.Subscribe(); late != nil {
		if _, ok := <-late; ok {
			t.Error("an event after close")
		}
	}
}

func TestEventsComeAfterTheCommitAndSlowReadersAreTold(t *testing.T) {
	s := open(t)
	events, cancel := s.Subscribe()
	slow, cancelSlow := s.Subscribe()
	defer cancelSlow()
	failed := errors.New("failed")
	if err := s.write(context.Background(), func(t *tx) error { t.emit("gpu", "never"); return failed }); !errors.Is(err, failed) {
		t.Fatal(err)
	}
	for k := range 2 * feedBuffer {
		if err := s.write(context.Background(), func(t *tx) error { t.emit("gpu", fmt.Sprint(k)); return nil }); err != nil {
			t.Fatal(err)
		}
		if e := <-events; e.ID != fmt.Sprint(k) {
			t.Fatalf("event %d: %+v", k, e)
		}
	}
	var last Event
	for range feedBuffer {
		last = <-slow
	}
	if last.Kind != "missed" || len(slow) != 0 {
		t.Errorf("the slow one got %+v last, %d wait", last, len(slow))
	}
	s.feed.publish([]Event{{Kind: "gpu", ID: "again"}})
	if e := <-slow; e.ID != "again" {
		t.Errorf("after catching up: %+v", e)
	}
	cancel()
	cancel()
	for e := range events { // closed
		if e.ID != "again" {
			t.Errorf("late event %+v", e)
		}
	}
}

func TestAnotherProcessesChangesAreSeen(t *testing.T) {
	dir := t.TempDir()
	both := [2]*Store{}
	for k := range both {
		s, err := Open(context.Background(), Config{Path: dir, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		both[k] = s
	}
	version := func() int64 {
		v, err := both[0].DataVersion(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	before := version()
	if err := both[0].write(context.Background(), addTeam("own")); err != nil {
		t.Fatal(err)
	}
	if version() != before {
		t.Error("its own change moved the version")
	}
	if err := both[1].write(context.Background(), addTeam("other")); err != nil {
		t.Fatal(err)
	}
	if version() == before {
		t.Error("the other's change did not move the version")
	}
	var wg sync.WaitGroup // both write at once, and both get their turn
	for k := range 40 {
		wg.Go(func() {
			if err := both[k%2].write(context.Background(), addTeam(fmt.Sprintf("team %d", k))); err != nil {
				t.Errorf("%d: %v", k, err)
			}
		})
	}
	wg.Wait()
	if got := teamCount(t, both[0]); got != 42 {
		t.Errorf("%d teams", got)
	}
}

func BenchmarkWritesAtOnce(b *testing.B) {
	s := open(b)
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := s.write(context.Background(), func(t *tx) error { return t.audit(AuditRecord{Action: "a"}) }); err != nil {
				b.Fatal(err)
			}
		}
	})
}
