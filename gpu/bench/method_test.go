package bench

import (
	"slices"
	"testing"
	"time"
)

// alike are n samples that spread evenly over ±part of 100.
func alike(n int, part float64) *Summary {
	samples := make([]float64, n)
	for i := range samples {
		samples[i] = 100 * (1 - part + 2*part*float64(i)/float64(max(n-1, 1)))
	}
	return Summarise(samples)
}

func TestMeasuringStopsOnlyWhenTheMedianIsKnownToOnePercent(t *testing.T) {
	cases := []struct {
		name     string
		summary  *Summary
		measured time.Duration
		want     bool
	}{
		{"nothing", nil, time.Minute, false},
		{"nine samples", alike(9, 0), time.Second, false},
		{"ten alike", alike(10, 0), time.Second, true},
		{"ten alike, too quickly", alike(10, 0), 400 * time.Millisecond, false},
		{"ten, wide", alike(10, 0.02), time.Second, false},
		{"ten, narrow enough", alike(10, 0.012), time.Second, true},
		{"two hundred, wide", alike(200, 0.05), time.Second, true}, // the interval narrows with their number
	}
	for _, c := range cases {
		if got := settled(c.summary, c.measured); got != c.want {
			t.Errorf("%s: settled is %v", c.name, got)
		}
	}
}

func TestAnyDisturbanceMakesAFigureUnstable(t *testing.T) {
	quiet := disturbance{known: true}
	cases := []struct {
		name    string
		summary *Summary
		during  disturbance
		want    []Reason
	}{
		{"quiet", alike(20, 0.005), quiet, nil},
		{"no time", nil, quiet, []Reason{ReasonTime}},
		{"too few", alike(3, 0), quiet, []Reason{ReasonTime}},
		{"settled but spread", alike(2000, 0.09), quiet, []Reason{ReasonSpread}},
		{"others", alike(20, 0), disturbance{known: true, other: 0.06}, []Reason{ReasonOtherLoad}},
		{"others, a little", alike(20, 0), disturbance{known: true, other: 0.05, steal: 0.01}, nil},
		{"hypervisor", alike(20, 0), disturbance{known: true, steal: 0.02}, []Reason{ReasonSteal}},
		{"throttled", alike(20, 0), disturbance{known: true, throttled: true}, []Reason{ReasonThrottled}},
		{"unknown is not quiet", alike(20, 0), disturbance{}, []Reason{ReasonLoadUnknown}},
	}
	for _, c := range cases {
		if got := verdict(c.summary, time.Second, c.during); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestWarmingUpEndsWhenRunsAreAlike(t *testing.T) {
	ms := func(d ...int) (runs []time.Duration) {
		for _, x := range d {
			runs = append(runs, time.Duration(x)*time.Millisecond)
		}
		return runs
	}
	cases := []struct {
		runs []time.Duration
		want bool
	}{
		{nil, false}, {ms(100, 100), false}, {ms(100, 100, 100), true}, {ms(300, 100, 100), false},
		{ms(300, 100, 101, 102), true}, {ms(100, 101, 103), false},
	}
	for _, c := range cases {
		if got := warm(c.runs); got != c.want {
			t.Errorf("warm(%v) is %v", c.runs, got)
		}
	}
}

func TestTimeLeftIsSharedByTheTestsLeft(t *testing.T) {
	cases := []struct {
		left  time.Duration
		tests int
		want  time.Duration
	}{
		{20 * time.Second, 4, 5 * time.Second}, {time.Hour, 6, testLimit}, {-time.Second, 2, 0}, {time.Second, 0, 0},
	}
	for _, c := range cases {
		if got := share(c.left, c.tests); got != c.want {
			t.Errorf("share(%v, %d) is %v, want %v", c.left, c.tests, got, c.want)
		}
	}
}
