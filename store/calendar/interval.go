// Package calendar holds the rules of time on GPUs: which are free when, where the nearest gap is, which bookings can make
// room, and what a date and time on a wall is worth. It imports store/topology and the standard library, reads no clock and
// touches no database. The rule it keeps: intervals are half-open and never empty, and no GPU is ever in two of them.
package calendar

import (
	"errors"
	"slices"
	"sort"
	"time"
)

// ErrEmpty is what an interval that ends at or before its start is refused with.
var ErrEmpty = errors.New("an interval ends after it starts")

// Interval is a time [start, end). Only New and From make one, so that none is empty; the zero value is no interval.
type Interval struct {
	start, end time.Time
	open       bool
}

// New returns the interval [start, end), or ErrEmpty.
func New(start, end time.Time) (Interval, error) {
	if !start.Before(end) {
		return Interval{}, ErrEmpty
	}
	return Interval{start: start, end: end}, nil
}

// From returns an interval whose end nobody knows, such as the time of an instance that runs until it is stopped.
func From(start time.Time) Interval { return Interval{start: start, open: true} }

// Start returns where the interval starts.
func (i Interval) Start() time.Time { return i.start }

// End returns where it ends; ok is false if nobody knows.
func (i Interval) End() (end time.Time, ok bool) { return i.end, !i.open }

// Overlaps reports whether some moment is in both.
func (i Interval) Overlaps(o Interval) bool { return i.startsBeforeEnd(o) && o.startsBeforeEnd(i) }

func (i Interval) startsBeforeEnd(o Interval) bool { return o.open || i.start.Before(o.end) }

// Busy are the intervals in which a GPU is taken, in their order. Made by Add alone, they never overlap.
type Busy []Interval

// ErrTaken is what Add says of an interval that overlaps one that is there.
var ErrTaken = errors.New("the time is taken")

// Add returns the times with one more, or ErrTaken. It may change what it is called on.
func (b Busy) Add(i Interval) (Busy, error) {
	at := b.after(i.start)
	if at > 0 && b[at-1].Overlaps(i) || at < len(b) && b[at].Overlaps(i) {
		return b, ErrTaken
	}
	return slices.Insert(b, at, i), nil
}

// Cover returns the times with one more, which may overlap them: what touches or overlaps becomes one.
func (b Busy) Cover(i Interval) Busy {
	all := make(Busy, 0, len(b)+1)
	for _, o := range b {
		if !o.Overlaps(i) {
			all = append(all, o)
			continue
		}
		if o.start.Before(i.start) {
			i.start = o.start
		}
		if i.open = i.open || o.open; i.open {
			i.end = time.Time{}
		} else if o.end.After(i.end) {
			i.end = o.end
		}
	}
	all, _ = all.Add(i) // what overlapped is gone
	return all
}

// after returns the place of the first interval that starts after a moment.
func (b Busy) after(at time.Time) int {
	return sort.Search(len(b), func(k int) bool { return b[k].start.After(at) })
}

// Free reports whether the GPU is free in all of an interval.
func (b Busy) Free(i Interval) bool {
	at := b.after(i.start)
	return (at == 0 || !b[at-1].Overlaps(i)) && (at == len(b) || !b[at].Overlaps(i))
}

// Next returns when the first interval starts that does so at a moment or later; ok is false if none does.
func (b Busy) Next(at time.Time) (start time.Time, ok bool) {
	k := sort.Search(len(b), func(k int) bool { return !b[k].start.Before(at) })
	if k == len(b) {
		return time.Time{}, false
	}
	return b[k].start, true
}

// endless is longer than any gap between two bookings.
const endless = time.Duration(1<<63 - 1)

// around returns how long the gap is in which a free interval lies: of those without an end the one of a GPU that has a
// booking at all is the shorter.
func (b Busy) around(i Interval) time.Duration {
	at := b.after(i.start)
	switch {
	case len(b) == 0:
		return endless
	case at == 0 || at == len(b):
		return endless - 1
	}
	return b[at].start.Sub(b[at-1].end) // the one before ended, as it does not overlap
}

// Gaps returns the free intervals within a window, to be drawn. A window without an end has a last gap without one.
func (b Busy) Gaps(window Interval) []Interval {
	var gaps []Interval
	from := window.start
	for _, i := range b {
		if !i.startsBeforeEnd(window) {
			break
		}
		if gap, err := New(from, i.start); err == nil {
			gaps = append(gaps, gap)
		}
		if i.open {
			return gaps
		}
		if i.end.After(from) {
			from = i.end
		}
	}
	if window.open {
		return append(gaps, From(from))
	}
	if gap, err := New(from, window.end); err == nil {
		gaps = append(gaps, gap)
	}
	return gaps
}
