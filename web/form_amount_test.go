package web

import "testing"

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
