package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	// clockTolerance is how far wall and billing time may drift apart before it is called a jump: time servers correct
	// milliseconds, people and suspended laptops change minutes.
	clockTolerance = 2 * time.Second
	clockInterval  = time.Second
	clockFile      = "clock.json"
)

// clock is the billing clock: it starts at the wall's time and goes on by the machine's monotonic clock, so that it never
// runs backwards and a change of the wall's time is never billed. How far the two are apart is kept in the data directory,
// because a restart must not bill the jump either.
type clock struct {
	wall func() time.Time
	mono func() time.Duration // since any fixed moment
	log  *slog.Logger

	mu     sync.Mutex
	anchor time.Time // billing time at the monotonic time since
	since  time.Duration
	ahead  time.Duration // wall minus billing time, as last agreed on
}

// newClock starts at the wall's time, less what the last console found the wall to be ahead.
func newClock(wall func() time.Time, mono func() time.Duration, ahead time.Duration, log *slog.Logger) *clock {
	return &clock{wall: wall, mono: mono, log: log, anchor: wall().Round(0).UTC().Add(-ahead), since: mono(), ahead: ahead}
}

// systemClock is the clock of this machine.
func systemClock(ahead time.Duration, log *slog.Logger) *clock {
	start := time.Now()
	return newClock(time.Now, func() time.Duration { return time.Since(start) }, ahead, log)
}

// Now returns the billing time, in UTC.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *clock) now() time.Time { return c.anchor.Add(c.mono() - c.since) }

// raise moves the clock forward to the newest time that the database knows, if it is behind: the wall was set back while
// no console ran.
func (c *clock) raise(floor time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if !now.Before(floor) {
		return
	}
	c.log.Warn("the machine's clock is behind the newest time in the database; billing goes on from there",
		"behind", floor.Sub(now), "from", floor)
	c.anchor, c.since = floor.UTC(), c.mono()
	c.ahead = c.wall().Sub(floor)
}

// follow gives up the difference and takes the wall's time. Only allowed while nothing is billed, and before raise.
func (c *clock) follow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.anchor, c.since, c.ahead = c.wall().Round(0).UTC(), c.mono(), 0
}

// difference is how far the wall is ahead, as last agreed on.
func (c *clock) difference() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ahead
}

// check compares wall and billing time, and returns how far the wall is ahead and whether that is news.
func (c *clock) check() (ahead time.Duration, jumped bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ahead = c.wall().Round(0).Sub(c.now())
	moved := ahead - c.ahead
	if moved.Abs() <= clockTolerance {
		return c.ahead, false
	}
	c.ahead = ahead
	c.log.Warn("the machine's clock was changed; the jump is not billed", "jump", moved, "ahead", ahead)
	return ahead, true
}

// watch notices jumps and keeps them in dir, until ctx ends. What can't be kept, on a full disk for one, is tried again: the
// next start would bill the jump.
func (c *clock) watch(ctx context.Context, dir string) error {
	ticker := time.NewTicker(clockInterval)
	defer ticker.Stop()
	kept, said := c.difference(), ""
	for {
		if ahead, _ := c.check(); ahead != kept {
			err := saveClock(dir, ahead)
			switch {
			case err == nil:
				kept, said = ahead, ""
			case err.Error() != said:
				said = err.Error()
				c.log.Error("the clock's jump can't be kept for the next start yet", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// clockState is what clock.json holds.
type clockState struct {
	AheadMicros int64 `json:"wall_ahead_micros"`
}

// loadClock returns how far the last console found the wall to be ahead; 0 where there was none.
func loadClock(dir string) (time.Duration, error) {
	text, err := os.ReadFile(filepath.Join(dir, clockFile))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var state clockState
	if err := json.Unmarshal(text, &state); err != nil {
		return 0, fmt.Errorf("%s: %w (it may be removed: only a change of the machine's clock is then forgotten)", filepath.Join(dir, clockFile), err)
	}
	return time.Duration(state.AheadMicros) * time.Microsecond, nil
}

// saveClock writes it down so that a loss of power leaves the old file or the new one: a console does not start on an empty one.
func saveClock(dir string, ahead time.Duration) error {
	text, err := json.Marshal(clockState{ahead.Microseconds()})
	if err != nil {
		return err
	}
	name := filepath.Join(dir, clockFile)
	f, err := os.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}
