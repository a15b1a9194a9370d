package views

import "time"

// zone is the site's zone, UTC if none is set.
func (f Format) zone() *time.Location {
	if f.Zone == nil {
		return time.UTC
	}
	return f.Zone
}

// Clock writes a time of day, "18:00".
func (f Format) Clock(t time.Time) string { return t.In(f.zone()).Format("15:04") }

// ClockSeconds writes a time of day to the second, "10:38:02".
func (f Format) ClockSeconds(t time.Time) string { return t.In(f.zone()).Format("15:04:05") }

// Day writes a date, "Wed 2 Dec" or "12月2日 周三".
func (f Format) Day(t time.Time) string {
	t = t.In(f.zone())
	return f.T.Day(t.Weekday(), t.Day(), t.Month())
}

// ShortDay writes a date without weekday and year, "2 Dec".
func (f Format) ShortDay(t time.Time) string {
	t = t.In(f.zone())
	return f.T.ShortDay(t.Day(), t.Month())
}

// Date writes a date with its year.
func (f Format) Date(t time.Time) string {
	t = t.In(f.zone())
	return f.T.Date(t.Day(), t.Month(), t.Year())
}

// Month writes a month with its year.
func (f Format) Month(t time.Time) string {
	t = t.In(f.zone())
	return f.T.MonthYear(t.Month(), t.Year())
}

// DateTime writes a date and a time of day.
func (f Format) DateTime(t time.Time) string { return f.Date(t) + " " + f.Clock(t) }

// Near writes a time as shortly as it is still clear on the day of now: "18:00" today, "Thu 3 Dec 18:00" else.
func (f Format) Near(t, now time.Time) string {
	a, b := t.In(f.zone()), now.In(f.zone())
	switch {
	case a.Year() == b.Year() && a.YearDay() == b.YearDay():
		return f.Clock(t)
	case a.Year() == b.Year():
		return f.Day(t) + " " + f.Clock(t)
	}
	return f.DateTime(t)
}

// ZoneName writes the site's zone as people know it, "Europe/Berlin (CET)".
func (f Format) ZoneName(now time.Time) string {
	name, abbr := f.zone().String(), f.ZoneAbbr(now)
	if name == abbr {
		return name
	}
	return name + " (" + abbr + ")"
}

// ZoneAbbr writes the zone's short name at a moment, "CET".
func (f Format) ZoneAbbr(t time.Time) string { return t.In(f.zone()).Format("MST") }

// MonthOf writes a month as addresses name it, "2026-12".
func (f Format) MonthOf(t time.Time) string { return t.In(f.zone()).Format(monthForm) }

// ParseMonth reads what MonthOf wrote: the midnight with which the month begins.
func (f Format) ParseMonth(text string) (time.Time, error) {
	return time.ParseInLocation(monthForm, text, f.zone())
}

const monthForm = "2006-01"

// DayOf writes a date as the ledger's cuts by day name it, "2026-12-02".
func (f Format) DayOf(t time.Time) string { return t.In(f.zone()).Format(time.DateOnly) }

// ISO writes a time as machines read it, in UTC.
func ISO(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// periodEnd is the last day of a half-open period, for "to 31 Dec".
func (f Format) periodEnd(to time.Time) time.Time { return to.Add(-time.Second) }

// ago is how long t lies before now, never negative.
func ago(t, now time.Time) time.Duration { return max(0, now.Sub(t)) }

// nearOrEmpty is Near of the page's now, and nothing for no time.
func (p Page) nearOrEmpty(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return p.Near(t, p.Now)
}
