package views

import (
	"strconv"
	"strings"
)

// TermRows is how many steps the form of terms has.
const TermRows = 8

// PPM writes parts per million as per cent with the decimals that there are, "12.5 %".
func PPM(ppm int64) string { return PlainPercent(ppm) + nbsp + "%" }

// PlainPercent is PPM without the sign, as a field has it.
func PlainPercent(ppm int64) string {
	return strings.TrimSuffix(strings.TrimRight(decimal(ppm*100, 4), "0"), ".")
}

// termName and termField are the name and the id of a field of the nth step.
func termName(field string, n int) string  { return field + "-" + strconv.Itoa(n) }
func termField(field string, n int) string { return "f-terms-" + termName(field, n) }
