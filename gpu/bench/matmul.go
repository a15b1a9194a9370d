package bench

// matmulRung is one step of the ladder, each of which does what the one before it does, better. All compute the first rows
// of the product c = a·b of square matrices at full width and depth.
type matmulRung struct {
	name string
	rows int // that a run computes: fewer for slow rungs, so that a sample takes some 10 to 100 ms on any
}

var (
	rungNaive     = matmulRung{"naive", 16}     // row times column: a cache line of b for each number
	rungReordered = matmulRung{"reordered", 64} // b is read along its rows, as coalesced loads on a GPU do
	rungBlocked   = matmulRung{"blocked", 128}  // the same by blocks of b that stay in the cache
	rungTiled     = matmulRung{"tiled", 256}    // tiles of c stay in registers, a and b are packed in the order of use
	rungVector    = matmulRung{"vector", 512}   // the same in vector registers, where the build has such a kernel
	rungParallel  = matmulRung{"parallel", 512} // the fastest of these on all workers
)

const matmulMatrices = 3

// matmulBytes is what a run takes, both types together: the matrices and b's packed copies.
func matmulBytes(n int) int64 { return (matmulMatrices + 2) * (4 + 8) * int64(n) * int64(n) }

func newMatmul(p plan, team *crew) suite {
	single, double := newProduct[float32]("fp32", p, team), newProduct[float64]("fp64", p, team)
	return suite{
		trials: append(single.trials(), double.trials()...),
		setup: func() {
			single.fill()
			double.fill()
		},
	}
}

// product is the data of one type's ladder.
type product[T float] struct {
	group   string
	plan    plan
	team    *crew
	a, b, c []T
	scalar  *tiling[T]
	vector  *tiling[T] // nil where the build or the machine has no vector kernel
	want    *reference[T]
}

func newProduct[T float](group string, p plan, team *crew) *product[T] {
	n := p.size
	return &product[T]{group: group, plan: p, team: team, vector: newVectorTiling[T](n, team.size),
		scalar: newTiling(n, team.size, scalarHeight, scalarWidth, scalarKernel[T])}
}

// fill makes the matrices and what the check needs of them.
func (m *product[T]) fill() {
	n := m.plan.size
	m.a, m.b, m.c = make([]T, n*n), make([]T, n*n), make([]T, n*n)
	fillRandom(m.a, m.plan.seed, 0)
	fillRandom(m.b, ^m.plan.seed, 0)
	m.want = newReference(m.b, n)
}

func (m *product[T]) trials() []*trial {
	n := m.plan.size
	plain := func(kernel func(c, a, b []T, rows, n int)) func(rows int) {
		return func(rows int) { kernel(m.c, m.a, m.b, rows, n) }
	}
	fastest := m.scalar
	trials := []*trial{
		m.trial(rungNaive, 1, plain(naive[T])),
		m.trial(rungReordered, 1, plain(reordered[T])),
		m.trial(rungBlocked, 1, plain(blocked[T])),
		m.trial(rungTiled, 1, func(rows int) { m.tiled(m.scalar, rows) }),
	}
	if m.vector != nil {
		fastest = m.vector
		trials = append(trials, m.trial(rungVector, 1, func(rows int) { m.tiled(m.vector, rows) }))
	}
	return append(trials, m.trial(rungParallel, m.team.size, func(rows int) { m.tiledParallel(fastest, rows) }))
}

func (m *product[T]) trial(rung matmulRung, workers int, multiply func(rows int)) *trial {
	n := m.plan.size
	rows := min(rung.rows, n)
	picked := checkedRows(rows)
	t := &trial{
		name: m.group + "_" + rung.name, group: m.group, unit: unitCompute, size: n, workers: workers,
		work:  2 * float64(rows) * float64(n) * float64(n) / giga,
		bytes: matmulMatrices * width[T]() * int64(n) * int64(n),
		notes: m.plan.notes[:len(m.plan.notes):len(m.plan.notes)],
		run:   func() { multiply(rows) },
		check: func() float64 {
			m.want.prepare(m.team, picked, m.a, m.b)
			return m.want.ratio(m.c, picked)
		},
		spoil:    func() { m.c[(rows-1)*n]++ },
		compared: len(picked) * n,
	}
	if rows < n {
		t.rows, t.notes = rows, append(t.notes, NotePartialRows)
	}
	return t
}

func (m *product[T]) tiled(t *tiling[T], rows int) {
	t.packB(m.b, 0, t.strips())
	t.multiply(m.c, m.a, 0, rows, 0)
}

// tiledParallel packs b together, then gives each worker rows of its own.
func (m *product[T]) tiledParallel(t *tiling[T], rows int) {
	m.team.do(func(worker int) {
		from, to := m.team.part(worker, t.strips(), 1)
		t.packB(m.b, from, to)
	})
	m.team.do(func(worker int) {
		from, to := m.team.part(worker, rows, t.height)
		t.multiply(m.c, m.a, from, to, worker)
	})
}
