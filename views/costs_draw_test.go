package views

import "testing"

func TestAChangeIsInPerCentOfWhatWasBefore(t *testing.T) {
	f := Format{}
	for _, c := range []struct {
		this, last int64
		want       string
	}{
		{110, 100, "+10\u00a0%"}, {90, 100, "−10\u00a0%"}, {100, 100, "+0\u00a0%"}, {5, 0, Dash}, {5, -3, Dash}, {-5, 3, Dash}, {0, 7, "−100\u00a0%"},
		{9_000_000_000_000_000_000, 1, "+9900\u00a0%"}, {3_000_000_000_000, 2_000_000_000_000, "+50\u00a0%"},
	} {
		if got := f.change(c.this, c.last); got != c.want {
			t.Errorf("%d after %d: %q, want %q", c.this, c.last, got, c.want)
		}
	}
}
