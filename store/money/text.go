package money

import (
	"errors"
	"strconv"
	"strings"
)

// ErrNotAnAmount is what Parse says of a text that is none.
var ErrNotAnAmount = errors.New("not an amount")

// Format writes micro-units as a plain decimal: 1857500000 is "1857.50". At least two decimals, at most six, none lost.
func Format(micros int64) string {
	v := magnitude(micros)
	fraction := strconv.FormatUint(v%uint64(Unit)+uint64(Unit), 10)[1:]
	for len(fraction) > 2 && fraction[len(fraction)-1] == '0' {
		fraction = fraction[:len(fraction)-1]
	}
	text := strconv.FormatUint(v/uint64(Unit), 10) + "." + fraction
	if micros < 0 {
		return "-" + text
	}
	return text
}

// Parse reads a plain decimal such as "12", "12.5" or "-0.000001": digits, one ".", no more than six decimals, nothing
// else. ErrNotAnAmount for any other text, and for what no int64 of micro-units can hold.
func Parse(text string) (int64, error) {
	digits, negative := strings.CutPrefix(text, "-")
	whole, fraction, dotted := strings.Cut(digits, ".")
	if whole == "" || len(whole) > 13 || len(fraction) > 6 || dotted && fraction == "" {
		return 0, ErrNotAnAmount
	}
	for _, r := range whole + fraction {
		if r < '0' || r > '9' {
			return 0, ErrNotAnAmount
		}
	}
	v, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", 6-len(fraction)), 10, 64)
	if err != nil {
		return 0, ErrNotAnAmount
	}
	if negative {
		v = -v
	}
	return v, nil
}
