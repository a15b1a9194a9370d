package store

import (
	"math"
	"strconv"
)

// Lists are paged newest first by a growing number; a cursor is that number of the last row seen, as text. What is added
// meanwhile moves nothing.

func beforeCursor(cursor string) (int64, error) {
	if cursor == "" {
		return math.MaxInt64, nil
	}
	n, err := strconv.ParseInt(cursor, 10, 64)
	if err != nil || n < 1 {
		return 0, invalid("cursor", "cursor_wrong")
	}
	return n, nil
}

func pageLimit(asked, otherwise, most int) int {
	if asked <= 0 {
		return otherwise
	}
	return min(asked, most)
}

// page cuts the one row too many off that says whether there is a next page.
func page[T any](rows []T, limit int, number func(T) int64) ([]T, string) {
	if len(rows) <= limit {
		return rows, ""
	}
	rows = rows[:limit]
	return rows, strconv.FormatInt(number(rows[limit-1]), 10)
}
