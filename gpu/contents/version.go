package contents

import (
	"cmp"
	"strconv"
	"strings"
)

// compare orders versions by their numbers; what is "" comes first, and what comes before a release before it.
func compare(a, b string) int {
	for a != "" && b != "" {
		var x, y int
		var early, late string
		x, early, a = first(a)
		y, late, b = first(b)
		if c := cmp.Compare(x, y); c != 0 {
			return c
		}
		if c := cmp.Compare(rank(early), rank(late)); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// first takes the number that a version begins with, and the letters behind it.
func first(v string) (n int, letters, rest string) {
	end := strings.IndexFunc(v, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(v)
	}
	n, _ = strconv.Atoi(v[:end]) // "" is 0
	rest = v[end:]
	next := strings.IndexFunc(rest, func(r rune) bool { return r >= '0' && r <= '9' })
	if next < 0 {
		next = len(rest)
	}
	return n, strings.Trim(rest[:next], "."), rest[next:]
}

// rank is where letters stand to a release (PEP 440).
func rank(letters string) int {
	switch letters {
	case "dev":
		return -4
	case "a":
		return -3
	case "b":
		return -2
	case "rc":
		return -1
	case "post":
		return 1
	}
	return 0
}
