package bench

import "math"

// streamKernel is one of STREAM's kernels with what is needed to count and to check it.
type streamKernel struct {
	name    string
	arrays  float64 // that are read or written; what a cache reads before it writes is not counted, as in STREAM
	kernel  func(c, a, b []float64)
	wanted  func(a, b float64) float64
	rounded float64 // roundings between the inputs and the result
}

var streamKernels = []streamKernel{
	{"copy", 2, copyKernel, func(a, _ float64) float64 { return a }, 0},
	{"scale", 2, scaleKernel, func(a, _ float64) float64 { return streamScalar * a }, 1},
	{"add", 3, addKernel, func(a, b float64) float64 { return a + b }, 1},
	{"triad", 3, triadKernel, func(a, b float64) float64 { return a + streamScalar*b }, 2},
}

// readKernels only read: the same elements, in order and strided. Both count each element once.
var readKernels = []struct {
	name   string
	kernel func([]float64) float64
}{
	{"read", readKernel},
	{"read_strided", stridedKernel},
}

const (
	streamArrays  = 3
	streamElement = 8 // bytes of a float64
)

// stream is the suite's data: two sources and a destination.
type stream struct {
	team    *crew
	a, b, c []float64
	sums    []paddedSum // of the reading tests, a worker each; kept, so that no compiler can leave the reading out
}

// paddedSum keeps each worker's sum in a cache line of its own.
type paddedSum struct {
	sum float64
	_   [lineElements - 1]float64
}

func newStream(p plan, team *crew) suite {
	s := &stream{team: team, sums: make([]paddedSum, team.size)}
	base := trial{unit: unitBandwidth, group: string(SuiteStream), size: p.size, notes: p.notes, flaws: p.flaws,
		bytes: streamArrays * streamElement * int64(p.size), workers: team.size}
	var trials []*trial
	for _, k := range streamKernels {
		t := base
		t.name = k.name
		t.work = k.arrays * streamElement * float64(p.size) / giga
		t.run = s.each(func(_, from, to int) { k.kernel(s.c[from:to], s.a[from:to], s.b[from:to]) })
		t.compared = p.size
		t.check = func() float64 { return s.checkKernel(k) }
		t.spoil = func() { s.c[len(s.c)/2]++ }
		trials = append(trials, &t)
	}
	for _, k := range readKernels {
		t := base
		t.name = k.name
		t.work = streamElement * float64(p.size) / giga
		t.run = s.each(func(worker, from, to int) { s.sums[worker].sum = k.kernel(s.a[from:to]) })
		t.compared = team.size
		t.check = s.checkSums
		t.spoil = func() { s.sums[0].sum++ }
		trials = append(trials, &t)
	}
	return suite{trials: trials, setup: func() { s.fill(p) }}
}

// fill makes the arrays. Each worker touches its own part first: its pages come from the memory nearest to it.
func (s *stream) fill(p plan) {
	s.a, s.b, s.c = make([]float64, p.size), make([]float64, p.size), make([]float64, p.size)
	s.each(func(_, from, to int) {
		fillRandom(s.a[from:to], p.seed, from)
		fillRandom(s.b[from:to], ^p.seed, from)
		clear(s.c[from:to])
	})()
}

// each returns a function that gives every worker its part of the arrays, the same one each time.
func (s *stream) each(work func(worker, from, to int)) func() {
	part := func(worker int) {
		from, to := s.team.part(worker, len(s.a), lineElements)
		work(worker, from, to)
	}
	return func() { s.team.do(part) }
}

// checkKernel compares every element. The bound is the first-order one for k.rounded roundings, whether or not multiplication
// and addition were fused; it is measured against the sum of the magnitudes because a sum may cancel.
func (s *stream) checkKernel(k streamKernel) float64 {
	worst := make([]float64, s.team.size)
	s.each(func(worker, from, to int) {
		for i := from; i < to; i++ {
			bound := 2 * k.rounded * roundoff[float64]() * (math.Abs(s.a[i]) + streamScalar*math.Abs(s.b[i]))
			worst[worker] = max(worst[worker], errorRatio(s.c[i]-k.wanted(s.a[i], s.b[i]), bound))
		}
	})()
	return maxOf(worst)
}

// checkSums compares each worker's sum with one made with Neumaier's compensation, which is right to the last bits.
func (s *stream) checkSums() float64 {
	worst := make([]float64, s.team.size)
	s.each(func(worker, from, to int) {
		sum, magnitude := exactSum(s.a[from:to])
		bound := growth(to-from) * roundoff[float64]() * magnitude
		worst[worker] = errorRatio(s.sums[worker].sum-sum, bound)
	})()
	return maxOf(worst)
}
