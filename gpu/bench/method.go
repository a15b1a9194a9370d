package bench

import "time"

// What makes a number believable. The figures are the product's own method; where a trusted suite has one, it is named.
const (
	minSamples   = 10   // nvbench: at least 10 samples
	maxHalfWidth = 0.01 // each end of the median's 95 % interval is within this part of the median
	maxCV        = 0.03 // a larger coefficient of variation is no stable figure

	testLimit  = 30 * time.Second       // a test that has not settled by then will not
	minMeasure = 500 * time.Millisecond // nvbench: measures for 0.5 s at least

	warmRuns     = 3               // this many runs in a row …
	warmSpread   = 0.02            // … within this part of each other: clocks and pages have settled
	warmShare    = 0.2             // of a test's time that warming up may take at most
	maxWarm      = 3 * time.Second // CUTLASS guide: clocks settle within about 3 s
	otherShare   = 0.05            // of the machine's CPU time that others may use before a figure is suspect
	stealShare   = 0.01            // of the machine's CPU time that a hypervisor may keep
	minLoadTicks = 3               // the kernel counts CPU time in ticks of 10 ms: fewer are noise
)

// settled reports whether enough was measured: the stopping rule. It is asked after each sample; as the interval is looked
// at repeatedly, its 95 % are somewhat optimistic, which maxCV makes up for.
func settled(s *Summary, measured time.Duration) bool {
	return s != nil && s.N >= minSamples && measured >= minMeasure && narrow(s)
}

func narrow(s *Summary) bool {
	room := maxHalfWidth * s.Median
	return medianRank(s.N) > 0 && s.High-s.Median <= room && s.Median-s.Low <= room
}

// warm reports whether the last runs took about the same time.
func warm(runs []time.Duration) bool {
	if len(runs) < warmRuns {
		return false
	}
	least, most := runs[len(runs)-1], runs[len(runs)-1]
	for _, d := range runs[len(runs)-warmRuns:] {
		least, most = min(least, d), max(most, d)
	}
	return float64(most-least) <= warmSpread*float64(most)
}

// share is the time for the next test: an equal part of what is left, so that what one test did not need goes to the others.
func share(left time.Duration, testsLeft int) time.Duration {
	if left <= 0 || testsLeft <= 0 {
		return 0
	}
	return min(testLimit, left/time.Duration(testsLeft))
}

// disturbance is what else happened on the machine while a test was measured.
type disturbance struct {
	known     bool
	other     float64 // part of the machine's CPU time used by other processes
	steal     float64 // part of it that a hypervisor kept
	throttled bool    // by quota or temperature
}

// verdict lists why a test's figure is not stable; none: it is.
func verdict(s *Summary, measured time.Duration, d disturbance) []Reason {
	if s == nil {
		return []Reason{ReasonTime}
	}
	var why []Reason
	if !settled(s, measured) {
		why = append(why, ReasonTime)
	}
	if s.CV > maxCV {
		why = append(why, ReasonSpread)
	}
	if !d.known {
		why = append(why, ReasonLoadUnknown)
	}
	if d.other > otherShare {
		why = append(why, ReasonOtherLoad)
	}
	if d.steal > stealShare {
		why = append(why, ReasonSteal)
	}
	if d.throttled {
		why = append(why, ReasonThrottled)
	}
	return why
}
