package bench

import (
	"io/fs"
	"math"
	"runtime/debug"
	"slices"
	"time"
)

// runner runs one request.
type runner struct {
	request Request
	root    fs.FS // of the machine's file system
	now     func() time.Time
	out     *eventWriter
	spoiled string // name of a test whose kernel shall compute wrong: tests prove with it that this is seen

	started  time.Time
	tests    int
	finished int
	told     time.Time // of the last progress event
	fraction float64   // that it named
}

// run writes all events. An error has been written as an event already, where it could be.
func (r *runner) run() error {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the arrays are made once; a collection would only disturb a sample
	r.started = r.now()
	env := environment(r.root)
	p, err := decide(r.request, env)
	if err != nil {
		return r.fail(ReasonMemory, err)
	}
	team := newCrew(env.Workers)
	defer team.close()
	todo := newSuite(r.request, p, team)
	r.tests = len(todo.trials)
	r.out.write(Event{Kind: KindPlan, Plan: r.plan(p, todo, env)})
	r.progress("", PhaseSetup, 0)
	todo.setup()
	for _, t := range todo.trials {
		row := r.test(t)
		r.finished++
		r.out.write(Event{Kind: KindResult, Result: &row})
		if r.out.err != nil {
			return r.out.err
		}
	}
	r.out.write(Event{Kind: KindDone, Done: &Done{Tests: r.tests, Seconds: r.now().Sub(r.started).Seconds()}})
	return r.out.err
}

func (r *runner) plan(p plan, todo suite, env Environment) *Plan {
	q := r.request
	made := &Plan{Version: formatVersion, Suite: q.Suite, Backend: q.Backend, Size: p.size, Seed: q.Seed, Seconds: q.Seconds,
		GPUs: q.GPUs, Environment: env}
	for _, t := range todo.trials {
		made.Tests = append(made.Tests, Planned{Test: t.name, Unit: t.unit})
	}
	return made
}

func (r *runner) fail(why Reason, err error) error {
	detail := err.Error()
	r.out.write(Event{Kind: KindError, Error: &Failure{Reason: why, Detail: detail[:min(len(detail), maxDetail)]}})
	return err
}

// test checks, warms up and measures one trial, within its share of the time.
func (r *runner) test(t *trial) Row {
	row := t.row(r.request.Seed)
	begin := r.now()
	limit := r.share(begin)
	if limit <= 0 {
		row.Reasons = slices.Concat(t.flaws, verdict(nil, 0, disturbance{}))
		return row
	}
	r.progress(t.name, PhaseCheck, 0)
	if row.ErrorRatio = r.check(t); row.ErrorRatio > 1 {
		row.Wrong, row.Reasons = true, []Reason{ReasonWrong}
		return row
	}
	r.warmUp(t, begin, limit)
	before, from := readLoad(r.root), r.now()
	samples := r.measure(t, begin, limit)
	row.Summary = Summarise(samples)
	row.Reasons = slices.Concat(t.flaws, verdict(row.Summary, r.now().Sub(from), readLoad(r.root).since(before)))
	row.Stable = len(row.Reasons) == 0
	return row
}

// share is how long the next test may take from begin on.
func (r *runner) share(begin time.Time) time.Duration {
	if r.request.Seconds == 0 {
		return testLimit
	}
	whole := time.Duration(r.request.Seconds) * time.Second
	return share(whole-begin.Sub(r.started), r.tests-r.finished)
}

// check runs the trial once and holds its result against the reference. What is not a number is as wrong as can be.
func (r *runner) check(t *trial) float64 {
	r.clock(t)
	if t.name == r.spoiled {
		t.spoil()
	}
	ratio := t.check()
	if math.IsNaN(ratio) || math.IsInf(ratio, 0) {
		return math.MaxFloat64
	}
	return ratio
}

func (r *runner) warmUp(t *trial, begin time.Time, limit time.Duration) {
	used := r.now().Sub(begin)
	r.progress(t.name, PhaseWarmup, part(used, limit))
	until := min(limit, used+maxWarm, used+time.Duration(warmShare*float64(limit)))
	var runs []time.Duration
	for used := used; used < until && used+t.longest <= limit && !warm(runs); used = r.now().Sub(begin) {
		runs = append(runs, r.clock(t))
	}
}

// measure samples until the stopping rule is met or the trial's time is up.
func (r *runner) measure(t *trial, begin time.Time, limit time.Duration) []float64 {
	var samples []float64
	look := minSamples
	from := r.now()
	for {
		used := r.now().Sub(begin)
		// A run can't be cut short: one that would not end in time is not begun.
		if used >= limit || used+t.longest > limit || r.out.err != nil {
			return samples
		}
		r.progress(t.name, PhaseMeasure, part(used, limit))
		took := r.clock(t).Seconds()
		samples = append(samples, t.work/took)
		r.out.write(Event{Kind: KindSample, Sample: &Sample{Test: t.name, Value: t.work / took, Seconds: took}})
		if len(samples) < look {
			continue
		}
		look = len(samples) + 1 + len(samples)/lookEvery
		if settled(Summarise(samples), r.now().Sub(from)) {
			return samples
		}
	}
}

// lookEvery: the interval is looked at after each sixteenth more samples, so that sorting them stays cheap.
const lookEvery = 16

// clock times one run. A clock too coarse to see it gives the least time there is, never zero.
func (r *runner) clock(t *trial) time.Duration {
	from := r.now()
	t.run()
	took := max(r.now().Sub(from), 1)
	t.longest = max(t.longest, took)
	return took
}

// progressEvery is the least time between two progress events of one phase.
const progressEvery = 250 * time.Millisecond

// progress tells where the run stands; inner is the part of this test's time that is used up.
func (r *runner) progress(test string, phase Phase, inner float64) {
	now := r.now()
	if phase == PhaseMeasure && now.Sub(r.told) < progressEvery {
		return
	}
	r.told = now
	r.fraction = max(r.fraction, (float64(r.finished)+inner)/float64(r.tests))
	r.out.write(Event{Kind: KindProgress, Progress: &Progress{Fraction: r.fraction, Test: test, Phase: phase}})
}

// part is how much of limit is used, 1 at most.
func part(used, limit time.Duration) float64 { return min(1, float64(used)/float64(limit)) }
