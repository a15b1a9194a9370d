package bench

import "time"

// suite is a set of trials and the making of their data, which is put off until the plan is written: it takes a while.
type suite struct {
	trials []*trial
	setup  func()
}

func newSuite(r Request, p plan, team *crew) suite {
	if r.Suite == SuiteMatmul {
		return newMatmul(p, team)
	}
	return newStream(p, team)
}

// trial is one test of a suite, ready to run.
type trial struct {
	name  string
	group string
	unit  string
	work  float64 // what one run does, in units × seconds: work ÷ duration is the figure
	size  int
	rows  int // see Row.Rows
	bytes int64
	notes []Note
	flaws []Reason // known beforehand to make the figure unstable

	workers  int
	compared int // see Row.Compared
	// run does the work once. It allocates nothing.
	run func()
	// check looks at what the last run computed and returns the largest deviation from the reference divided by the error
	// bound of the type; over 1, or not a number, is wrong.
	check func() float64
	// spoil falsifies the last run's result in one place, to prove that check sees it.
	spoil func()
	// longest is what one of its runs has taken at most so far.
	longest time.Duration
}

const (
	unitBandwidth = "GB/s"
	unitCompute   = "GFLOPS"
	giga          = 1e9
)

// row is the trial's result as far as it is known before it has run.
func (t *trial) row(seed int64) Row {
	return Row{Test: t.name, Group: t.group, Unit: t.unit, Size: t.size, Rows: t.rows, Bytes: t.bytes, Workers: t.workers,
		Compared: t.compared, Seed: seed, Notes: t.notes}
}
