package views

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Dash stands for what is unknown; it never stands for 0.
const Dash = "–"

// minus is the sign of what is below zero, as wide as the plus: a hyphen is none.
const minus = "−"

// nbsp keeps a number and its unit on one line.
const nbsp = "\u00a0"

// Signs of currencies that are written before the number without a space; the others are written with their code.
var signs = map[string]string{"USD": "$", "EUR": "€", "GBP": "£", "CNY": "¥", "JPY": "¥", "INR": "₹", "KRW": "₩"}

// money writes micro-units with a number of decimal places, rounded half away from zero as postings are.
func (f Format) money(micros int64, places int) string {
	sign := f.sign()
	number := decimal(micros, places)
	if rest, negative := strings.CutPrefix(number, minus); negative {
		return minus + sign + rest
	}
	return sign + number
}

// currency is the site's currency code.
func (f Format) currency() string {
	if f.Currency == "" {
		return "USD"
	}
	return f.Currency
}

// sign is what stands before an amount.
func (f Format) sign() string {
	if sign, ok := signs[f.currency()]; ok {
		return sign
	}
	return f.currency() + nbsp
}

// Rate writes a price an hour, e.g. "$2.5000".
func (f Format) Rate(micros int64) string { return f.money(micros, 4) }

// Cost writes what something has cost so far, e.g. "$7.4274".
func (f Format) Cost(micros int64) string { return f.money(micros, 4) }

// Amount writes a sum of larger size, such as a budget, e.g. "$412.60". Below one it has as many places as say something, so
// that what is spent of a small budget is not shown as nothing of nothing: "$0.0042 of $0.001050".
func (f Format) Amount(micros int64) string {
	const cent, unit = 10_000, 1_000_000
	switch {
	case micros%cent == 0 || micros >= unit || micros <= -unit:
		return f.money(micros, 2)
	case micros%(cent/100) == 0 || micros > cent || micros < -cent:
		return f.money(micros, 4)
	}
	return f.Exact(micros)
}

// Exact writes every digit there is, as bills do, e.g. "$7.427380".
func (f Format) Exact(micros int64) string { return f.money(micros, 6) }

// Plain is Exact without the currency, for columns of a bill, e.g. "7.427380".
func Plain(micros int64) string { return decimal(micros, 6) }

// PlainRate is Rate without the currency, e.g. "2.6640".
func PlainRate(micros int64) string { return decimal(micros, 4) }

// decimal writes micro-units with up to six places and thousands separated.
func decimal(micros int64, places int) string {
	u := uint64(micros)
	sign := ""
	if micros < 0 {
		u, sign = -u, minus
	}
	unit := uint64(1)
	for range 6 - places {
		unit *= 10
	}
	u = (u + unit/2) / unit
	scale := uint64(1_000_000) / unit
	whole := group(strconv.FormatUint(u/scale, 10))
	if u == 0 {
		sign = ""
	}
	if places == 0 {
		return sign + whole
	}
	return sign + whole + "." + fmt.Sprintf("%0*d", places, u%scale)
}

// group separates thousands by commas, which both languages do.
func group(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Number writes an integer with thousands separated.
func Number(n int64) string {
	if n < 0 {
		return minus + group(strconv.FormatUint(-uint64(n), 10))
	}
	return group(strconv.FormatInt(n, 10))
}

const gib = 1 << 30

// Bytes writes a size in GiB, with a decimal where that says something: "80 GiB", "61.2 GiB"; small ones in MiB.
func Bytes(n int64) string {
	switch {
	case n < 0:
		return Dash
	case n == 0:
		return "0" + nbsp + "GiB"
	case n < gib:
		return strconv.FormatInt(max(1, (n+(1<<19))>>20), 10) + nbsp + "MiB"
	}
	return GiB(n) + nbsp + "GiB"
}

// GiB writes a size in GiB without the unit.
func GiB(n int64) string {
	tenths := (n*10 + gib/2) / gib
	if n >= math.MaxInt64/20 {
		tenths = n / gib * 10
	}
	if tenths%10 == 0 {
		return group(strconv.FormatInt(tenths/10, 10))
	}
	return group(strconv.FormatInt(tenths/10, 10)) + "." + strconv.FormatInt(tenths%10, 10)
}

// Percent writes per mille as whole per cent, "97 %"; what is under one and not zero keeps its decimal.
func Percent(permille int64) string {
	if permille > 0 && permille < 10 {
		return "0." + strconv.FormatInt(permille, 10) + nbsp + "%"
	}
	return strconv.FormatInt((permille+5)/10, 10) + nbsp + "%"
}

// shareMax is what Share gives for itself and for all that is more, in per mille.
const shareMax = 9999

// SharePercent writes what Share gives, "97 %".
func SharePercent(permille int64) string {
	if permille >= shareMax {
		return ">" + nbsp + "999" + nbsp + "%"
	}
	return Percent(permille)
}

// Watts writes milliwatts as watts.
func Watts(milli int64) string { return Number((milli+500)/1000) + nbsp + "W" }

// Celsius writes degrees.
func Celsius(n int64) string { return Number(n) + nbsp + "°C" }

// Figure writes a benchmark's number with about four significant digits.
func Figure(x float64) string {
	abs := math.Abs(x)
	switch {
	case x < 0 && !math.IsInf(x, 0):
		return minus + Figure(abs)
	case math.IsNaN(x) || math.IsInf(x, 0):
		return Dash
	case abs >= 1000:
		return Number(int64(math.Round(x)))
	case abs >= 100:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case abs >= 1:
		return strconv.FormatFloat(x, 'f', 2, 64)
	case abs == 0:
		return "0"
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// Raw writes a number for programs: the shortest text that reads back as the same one.
func Raw(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Quantity is a Figure with its unit.
func Quantity(x float64, unit string) string { return Figure(x) + nbsp + unit }

// Spread writes a coefficient of variation as per cent.
func Spread(cv float64) string { return strconv.FormatFloat(cv*100, 'f', 1, 64) + nbsp + "%" }

// Duration writes a length of time to the second, "1 h 12 m 04 s".
func (f Format) Duration(d time.Duration) string {
	if d < 0 {
		d = 0
	}
	s := int64(d / time.Second)
	return f.T.Duration(s/86400, s/3600%24, s/60%60, s%60)
}

// Seconds is Duration of a number of seconds.
func (f Format) Seconds(n int64) string { return f.Duration(time.Duration(n) * time.Second) }

// Precisely is Duration with thousandths where there are any: a bill counts them too.
func (f Format) Precisely(d time.Duration) string {
	d = max(0, d).Round(time.Millisecond)
	if d%time.Second == 0 {
		return f.Duration(d)
	}
	s, milli := int64(d/time.Second), int64(d%time.Second/time.Millisecond)
	return f.T.DurationOf(s/86400, s/3600%24, s/60%60, fmt.Sprintf("%02d.%03d", s%60, milli))
}

// Scaled writes an amount with as many places as it takes to tell amounts up to most apart.
func (f Format) Scaled(micros, most int64) string {
	switch {
	case most < 10_000:
		return f.Exact(micros)
	case most < 1_000_000:
		return f.money(micros, 4)
	}
	return f.Amount(micros)
}

// Share is part of whole in per mille, 0 where there is no whole, and never more than fits a bar.
func Share(part, whole int64) int64 {
	if whole <= 0 || part <= 0 {
		return 0
	}
	return int64(min(float64(part)/float64(whole)*1000, shareMax))
}
