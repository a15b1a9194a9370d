package web

import (
	"testing"
	"time"
)

// Hours are read by the rule of amounts: nobody who types 1,5 for one amount and one length is refused the one and has the
// other, and 1,234 is the same number in both.
func TestHoursAreReadAsAmountsAre(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"1.5": 90 * time.Minute, "0.25": 15 * time.Minute, "1,000": 1000 * time.Hour, "1,000.5": 1000*time.Hour + 30*time.Minute, "12": 12 * time.Hour} {
		if got, err := parseHours(text); err != nil || got == nil || *got != want {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"1,5", "0,25", ",5", "1,50", "1.000,5", "1.5,000", "1,0000", "1,", "-1", "−1", "1.5.5", "NaN", "Inf", "0"} {
		if got, err := parseHours(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// Amounts are read as pages write them; a comma that groups nothing may be meant for a decimal point.
func TestAnAmountIsReadAsPagesWriteIt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"−1.5": -1_500_000, "-1.5": -1_500_000, "1,234.50": 1_234_500_000, "−12,345,678": -12_345_678_000_000, "1234": 1_234_000_000} {
		if got, err := parseMoney("amount", text); err != nil || got != want {
			t.Errorf("%q is %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"2,50", "0,5", ",123", "1234,567", "1,2345", "1.000,5", "1.5,000", "−−1", "-−1", "1−", "−", "–1", ""} {
		if got, err := parseMoney("amount", text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}
