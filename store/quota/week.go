package quota

import "time"

// Week is the hours of a week in which something is allowed: bit h of day d is the hour h:00 to h:59 as the site's clocks
// show it. Day 0 is Sunday, as in package time.
type Week [7]uint32

// With returns the week with the hours [from, to) of a day besides.
func (w Week) With(day time.Weekday, from, to int) Week {
	for h := max(from, 0); h < min(to, 24); h++ {
		w[(day%7+7)%7] |= 1 << h
	}
	return w
}

// Allows reports whether the hour that the zone's clocks show is one of them. An hour that comes twice counts twice; one
// that is left out never comes.
func (w Week) Allows(at time.Time, zone *time.Location) bool {
	local := at.In(zone)
	return w[local.Weekday()]>>local.Hour()&1 == 1
}

// quarter divides every change of every zone's clocks, so that what they show is the same throughout.
const quarter = 15 * time.Minute

// Next returns the first moment, not before at, that is allowed; ok is false if none is within eight days.
func (w Week) Next(at time.Time, zone *time.Location) (next time.Time, ok bool) {
	for t := at; t.Before(at.Add(8 * 24 * time.Hour)); t = t.Truncate(quarter).Add(quarter) {
		if w.Allows(t, zone) {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}
