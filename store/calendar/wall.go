package calendar

import (
	"fmt"
	"time"
)

// wallText is how a page's field for a date and a time gives it.
const wallText = "2006-01-02T15:04"

// Wall is what a date and time on a zone's wall clocks stands for.
type Wall struct {
	// At is the moment, in UTC. There are two of them, the earlier first, where the hour comes twice: a person has to say
	// which is meant.
	At []time.Time
	// Moved is set where the clocks jump over the time: At is as much later as they jump, and the page has to say so.
	Moved bool
}

// ParseWall reads a local date and time such as "2026-03-29T02:30".
func ParseWall(text string, zone *time.Location) (Wall, error) {
	t, err := time.Parse(wallText, text)
	if err != nil {
		return Wall{}, fmt.Errorf("%q is no date and time such as %s", text, wallText)
	}
	return WallAt(t, zone), nil
}

// WallAt returns what the date and time of a time stand for in a zone; the time's own zone does not matter.
func WallAt(t time.Time, zone *time.Location) Wall {
	y, m, d := t.Date()
	local := time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	before := local.Add(-offset(local.Add(-day), zone)) // by the offset before a change, and by the one after
	after := local.Add(-offset(local.Add(day), zone))
	var at []time.Time
	if shows(before, local, zone) {
		at = append(at, before)
	}
	if !after.Equal(before) && shows(after, local, zone) {
		at = append(at, after)
	}
	switch {
	case len(at) == 0:
		return Wall{At: []time.Time{before}, Moved: true}
	case len(at) == 2 && at[1].Before(at[0]):
		at[0], at[1] = at[1], at[0]
	}
	return Wall{At: at}
}

// day is more than any zone's offset from UTC, so that a time and its neighbours a day away see both sides of a change.
const day = 24 * time.Hour

func offset(at time.Time, zone *time.Location) time.Duration {
	_, seconds := at.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}

// shows reports whether a zone's clocks show a local time, written as if in UTC, at a moment.
func shows(at, local time.Time, zone *time.Location) bool {
	return at.Add(offset(at, zone)).Equal(local)
}
