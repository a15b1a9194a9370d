package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// fakeClocks are a wall clock that people set and a monotonic one that nobody can.
type fakeClocks struct {
	wall time.Time
	mono time.Duration
}

func (f *fakeClocks) pass(d time.Duration) { f.wall, f.mono = f.wall.Add(d), f.mono+d }

func (f *fakeClocks) clock(ahead time.Duration) *clock {
	return newClock(func() time.Time { return f.wall }, func() time.Duration { return f.mono }, ahead, slog.New(slog.DiscardHandler))
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestBillingClockGoesOnWhateverHappensToTheWall(t *testing.T) {
	for name, jump := range map[string]time.Duration{"forward": 5 * time.Hour, "back": -5 * time.Hour, "by a year": 365 * 24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			f := &fakeClocks{wall: noon, mono: time.Hour}
			c := f.clock(0)
			f.pass(10 * time.Second)
			f.wall = f.wall.Add(jump)
			f.pass(10 * time.Second)
			if got, want := c.Now(), noon.Add(20*time.Second); !got.Equal(want) {
				t.Errorf("after 20 s and a jump it is %v, want %v", got, want)
			}
			if ahead, jumped := c.check(); !jumped || ahead != jump {
				t.Errorf("check = %v, %v; want the jump of %v told", ahead, jumped, jump)
			}
			if _, jumped := c.check(); jumped {
				t.Error("the same jump was told twice")
			}
		})
	}
}

func TestASmallCorrectionIsNoJump(t *testing.T) {
	f := &fakeClocks{wall: noon}
	c := f.clock(0)
	f.wall = f.wall.Add(clockTolerance)
	if _, jumped := c.check(); jumped {
		t.Error("a correction within tolerance was told as a jump")
	}
}

func TestAJumpIsNotBilledAfterARestartEither(t *testing.T) {
	dir := t.TempDir()
	f := &fakeClocks{wall: noon}
	c := f.clock(0)
	f.wall = f.wall.Add(3 * time.Hour)
	ahead, _ := c.check()
	if err := saveClock(dir, ahead); err != nil {
		t.Fatal(err)
	}
	before := c.Now()
	f.pass(time.Minute)
	kept, err := loadClock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.clock(kept).Now().Sub(before); got != time.Minute {
		t.Errorf("a minute over the restart counts as %v", got)
	}
}

func TestAJumpThatCanNotBeKeptAtOnceIsKeptLater(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	f := &fakeClocks{wall: noon}
	c := f.clock(0)
	f.wall = f.wall.Add(3 * time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- c.watch(ctx, dir) }()
	for c.difference() == 0 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(clockInterval / 10) // it has tried, where nothing can be written
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	kept := time.Duration(0)
	for deadline := time.Now().Add(5 * clockInterval); kept == 0 && time.Now().Before(deadline); time.Sleep(clockInterval / 10) {
		var err error
		if kept, err = loadClock(dir); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if err := <-ended; err != nil || kept != 3*time.Hour {
		t.Errorf("kept %v, %v", kept, err)
	}
}

func TestBillingClockNeverRunsBackwardsAcrossARestart(t *testing.T) {
	f := &fakeClocks{wall: noon.Add(-time.Hour)}
	c := f.clock(0)
	c.raise(noon)
	if got := c.Now(); !got.Equal(noon) {
		t.Errorf("with noon in the database it is %v", got)
	}
	f.pass(time.Second)
	if got := c.Now(); !got.Equal(noon.Add(time.Second)) {
		t.Errorf("a second later it is %v", got)
	}
	if _, jumped := c.check(); jumped {
		t.Error("what raise found was told again as a jump")
	}
	c.raise(noon.Add(-time.Minute))
	if got := c.Now(); got.Before(noon) {
		t.Errorf("an older time moved it back to %v", got)
	}
}

func TestWhereNothingIsBilledTheClockTakesTheWallsTimeButNeverBeforeWhatIsKnown(t *testing.T) {
	for name, ahead := range map[string]time.Duration{"wall ahead": 2 * time.Hour, "wall behind": -2 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			f := &fakeClocks{wall: noon}
			c := f.clock(ahead)
			if got := c.Now(); !got.Equal(noon.Add(-ahead)) {
				t.Fatalf("it goes on at %v, want %v", got, noon.Add(-ahead))
			}
			c.follow()
			c.raise(noon.Add(-time.Minute))
			if got := c.Now(); !got.Equal(noon) || c.difference() != 0 {
				t.Errorf("it is %v with a difference of %v, want the wall's time", got, c.difference())
			}
			c.follow()
			c.raise(noon.Add(time.Minute))
			if got := c.Now(); !got.Equal(noon.Add(time.Minute)) {
				t.Errorf("it is %v, before what is known", got)
			}
		})
	}
}

func TestNoClockFileIsNoDifference(t *testing.T) {
	if ahead, err := loadClock(t.TempDir()); ahead != 0 || err != nil {
		t.Errorf("loadClock = %v, %v", ahead, err)
	}
}
