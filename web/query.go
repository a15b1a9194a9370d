package web

import (
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	defaultPage = 50
	maxPage     = 500
	maxCursor   = 200 // bytes
)

// paging reads cursor and limit.
func paging(c *call) (cursor string, limit int, err error) {
	cursor = c.QueryParam("cursor")
	if len(cursor) > maxCursor || !printable(cursor) {
		return "", 0, invalid("cursor", "wrong_cursor")
	}
	limit = defaultPage
	if text := c.QueryParam("limit"); text != "" {
		limit, err = strconv.Atoi(text)
		if err != nil || limit < 1 || limit > maxPage {
			return "", 0, invalid("limit", "wrong_limit")
		}
	}
	return cursor, limit, nil
}

// printable reports whether a text is valid and has no control characters.
func printable(text string) bool {
	if !utf8.ValidString(text) {
		return false
	}
	for _, r := range text {
		if unicode.IsControl(r) {
			return false
		}
	}
	return true
}

// interval reads from and to, half-open. A date alone is its midnight in the site's zone.
func (s *Server) interval(c *call, from, to time.Time) (time.Time, time.Time, error) {
	zone, err := s.zone(c)
	if err != nil {
		return from, to, err
	}
	if from, err = moment("from", c.QueryParam("from"), zone, from); err != nil {
		return from, to, err
	}
	if to, err = moment("to", c.QueryParam("to"), zone, to); err != nil {
		return from, to, err
	}
	if !from.Before(to) {
		return from, to, invalid("to", "from_not_before_to")
	}
	return from, to, nil
}

func moment(field, text string, zone *time.Location, otherwise time.Time) (time.Time, error) {
	if text == "" {
		return otherwise, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		at, err = time.ParseInLocation(time.DateOnly, text, zone)
	}
	if err != nil || at.Year() < 2000 || at.Year() > 2200 {
		return otherwise, invalid(field, "wrong_time")
	}
	return at.UTC(), nil
}
