package lang

// errorsOfCalendar are about reservations that are made or changed on the calendar, and the feeds of it.
var errorsOfCalendar = map[string]pair{
	"notice_stays": refusedByRule,
}
