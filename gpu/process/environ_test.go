package process

import "testing"

func TestAPartOfACoreIsOneThreadAndNoneIsBeyondTheMachine(t *testing.T) {
	for _, c := range []struct {
		millis           int64
		processors, want int
	}{{1, 8, 1}, {600, 8, 1}, {1000, 8, 1}, {1001, 8, 2}, {4000, 8, 4}, {64_000, 8, 8}} {
		if got := threads(c.millis, c.processors); got != c.want {
			t.Errorf("%d thousandths of a core on %d processors: %d threads, want %d", c.millis, c.processors, got, c.want)
		}
	}
}
