package bench

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// The sizes are around the tiles' and blocks' borders.
func TestEveryRungComputesTheProductAtAnySize(t *testing.T) {
	for _, n := range []int{16, 17, 67, 129, 260} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			everyRung[float32](t, n)
			everyRung[float64](t, n)
		})
	}
}

func everyRung[T float](t *testing.T, n int) {
	a, b := make([]T, n*n), make([]T, n*n)
	fillRandom(a, 7, 0)
	fillRandom(b, ^7, 0)
	exact := exactRows(a, b, n)
	for _, workers := range []int{1, 3} {
		team := newCrew(workers)
		m := newProduct[T]("x", plan{size: n, seed: 7}, team)
		m.fill()
		for _, trial := range m.trials() {
			for i := range m.c {
				m.c[i] = T(math.NaN())
			}
			trial.run()
			holdsProduct(t, trial, m.c, exact, n)
		}
		team.close()
	}
}

// holdsProduct compares a trial's result with the exact product, and its check's answer to that and to a spoiled one.
func holdsProduct[T float](t *testing.T, trial *trial, c []T, exact map[int][]float64, n int) {
	t.Helper()
	if ratio := trial.check(); !(ratio <= 1) {
		t.Errorf("%s: error ratio %v", trial.name, ratio)
	}
	rows := trial.rows
	if rows == 0 {
		rows = n
	}
	for i, row := range exact {
		if i >= rows {
			continue
		}
		for j, want := range row {
			if diff := math.Abs(float64(c[i*n+j]) - want); !(diff <= float64(n)*float64(n)*roundoff[T]()) {
				t.Fatalf("%s: row %d, column %d is off by %v", trial.name, i, j, diff)
			}
		}
	}
	if rows < n && !math.IsNaN(float64(c[rows*n])) {
		t.Errorf("%s writes behind its rows", trial.name)
	}
	trial.spoil()
	if ratio := trial.check(); ratio <= 1 {
		t.Errorf("%s: a spoiled result passes with ratio %v", trial.name, ratio)
	}
}

// exactRows are the product's first, last and every ninth row, right to the last bits.
func exactRows[T float](a, b []T, n int) map[int][]float64 {
	rows := map[int][]float64{}
	terms := make([]float64, n)
	for i := range n {
		if i >= 8 && i < n-8 && i%9 != 0 {
			continue
		}
		rows[i] = make([]float64, n)
		for j := range n {
			for k := range n {
				terms[k] = float64(a[i*n+k]) * float64(b[k*n+j])
			}
			rows[i][j], _ = exactSum(terms)
		}
	}
	return rows
}

func TestStreamKernelsPassTheirCheckAndSpoiledOnesDoNot(t *testing.T) {
	for _, size := range []int{1 << 10, 1<<10 + 1, 1<<10 + 15} {
		for _, workers := range []int{1, 3} {
			team := newCrew(workers)
			s := newStream(plan{size: size, seed: 3}, team)
			s.setup()
			for _, trial := range s.trials {
				trial.run()
				if ratio := trial.check(); !(ratio <= 1) {
					t.Errorf("%s of %d by %d: error ratio %v", trial.name, size, workers, ratio)
				}
				trial.spoil()
				if ratio := trial.check(); ratio <= 1 {
					t.Errorf("%s of %d by %d: a spoiled result passes with ratio %v", trial.name, size, workers, ratio)
				}
			}
			team.close()
		}
	}
}

func TestReadingInStridesSumsEveryElementOnce(t *testing.T) {
	for n := range 100 {
		a := make([]float64, n)
		for i := range a {
			a[i] = float64(int(1) << (i % 20))
		}
		if read, strided := readKernel(a), stridedKernel(a); read != strided {
			t.Errorf("%d elements: %v in order, %v strided", n, read, strided)
		}
	}
}

func TestEqualSeedsGiveEqualDataWhoeverFillsIt(t *testing.T) {
	whole, parts, other := make([]float32, 1000), make([]float32, 1000), make([]float32, 1000)
	fillRandom(whole, 5, 0)
	fillRandom(parts[:300], 5, 0)
	fillRandom(parts[300:], 5, 300)
	fillRandom(other, 6, 0)
	if !slices.Equal(whole, parts) {
		t.Error("parts differ from the whole")
	}
	if slices.Equal(whole, other) {
		t.Error("another seed gives the same data")
	}
	sum := 0.0
	for _, x := range whole {
		if x < -1 || x >= 1 {
			t.Fatal(x)
		}
		sum += float64(x)
	}
	if math.Abs(sum/1000) > 0.1 {
		t.Errorf("mean %v", sum/1000)
	}
}

func TestWorkersPartsCoverEverythingOnce(t *testing.T) {
	for _, size := range []int{1, 2, 3, 7} {
		c := crew{size: size}
		for _, n := range []int{0, 1, 5, 8, 100, 129} {
			next := 0
			for w := range size {
				from, to := c.part(w, n, 8)
				if from != next || to < from {
					t.Fatalf("worker %d of %d takes %d to %d of %d after %d", w, size, from, to, n, next)
				}
				next = to
			}
			if next != n {
				t.Fatalf("%d workers take %d of %d", size, next, n)
			}
		}
	}
}

func TestCheckedRowsReachBothEndsAndRepeatNone(t *testing.T) {
	for _, rows := range []int{1, 127, 128, 129, 200, 1024} {
		picked := checkedRows(rows)
		if picked[0] != 0 || picked[len(picked)-1] != rows-1 || len(picked) != min(rows, checkRows) {
			t.Errorf("%d rows: %v", rows, picked)
		}
		if !slices.IsSorted(picked) || len(slices.Compact(slices.Clone(picked))) != len(picked) {
			t.Errorf("%d rows: a row twice", rows)
		}
	}
}

func BenchmarkMatmul(b *testing.B) {
	team := newCrew(1)
	defer team.close()
	benchmarkProduct[float32](b, "fp32", team)
	benchmarkProduct[float64](b, "fp64", team)
}

func benchmarkProduct[T float](b *testing.B, group string, team *crew) {
	m := newProduct[T](group, plan{size: 1024, seed: 1}, team)
	m.fill()
	for _, trial := range m.trials() {
		b.Run(trial.name, func(b *testing.B) {
			for b.Loop() {
				trial.run()
			}
			b.ReportMetric(trial.work*float64(b.N)/b.Elapsed().Seconds(), unitCompute)
		})
	}
}
