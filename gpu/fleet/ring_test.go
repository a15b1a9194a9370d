package fleet

import (
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

func readingAt(uuid string, at time.Time, utilization int64) gpu.Reading {
	r := gpu.Reading{UUID: uuid, At: at}
	for m := range r.Values {
		r.Values[m] = gpu.Unknown(gpu.NotSupported)
	}
	r.Values[gpu.Utilization] = gpu.Known(utilization)
	return r
}

var monday = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func TestUnknownStaysUnknownWithItsReason(t *testing.T) {
	r := readingAt("g", monday, 0)
	for w := gpu.NotRead; w <= gpu.Invalid; w++ {
		r.Values[int(w)+1] = gpu.Unknown(w)
	}
	if got := pack(r).unpack("g"); got != r {
		t.Errorf("unpacked %+v, want %+v", got, r)
	}
}

func TestTheRingKeepsTheLastFifteenMinutes(t *testing.T) {
	var h history
	for i := range ringLength + 100 {
		h.add(readingAt("g", monday.Add(time.Duration(i)*time.Second), int64(i)))
	}
	all := h.between("g", monday, monday.Add(time.Hour))
	if len(all) != ringLength {
		t.Fatalf("%d readings, want %d", len(all), ringLength)
	}
	for i, r := range all {
		if n, _ := r.Values[gpu.Utilization].Get(); n != int64(i+100) {
			t.Fatalf("reading %d is number %d, want %d", i, n, i+100)
		}
	}
	last, ok := h.latest("g")
	if n, _ := last.Values[gpu.Utilization].Get(); !ok || n != ringLength+99 {
		t.Errorf("latest is number %d, %v", n, ok)
	}
}

func TestSamplesAreHalfOpen(t *testing.T) {
	var h history
	for i := range 10 {
		h.add(readingAt("g", monday.Add(time.Duration(i)*time.Second), int64(i)))
	}
	if got := h.between("g", monday.Add(2*time.Second), monday.Add(5*time.Second)); len(got) != 3 || !got[0].At.Equal(monday.Add(2*time.Second)) {
		t.Errorf("between 2 s and 5 s: %v", got)
	}
	if got := h.between("other", monday, monday.Add(time.Hour)); got != nil {
		t.Errorf("a GPU that was never read has %v", got)
	}
}

func TestAnOldValueNeverLooksLikeANewOne(t *testing.T) {
	var h history
	h.add(readingAt("g", monday.Add(time.Second), 1))
	h.add(readingAt("g", monday, 2))
	h.add(readingAt("g", monday.Add(time.Second), 3))
	all := h.between("g", monday, monday.Add(time.Hour))
	if len(all) != 1 {
		t.Fatalf("%d readings, want the one of the newest moment", len(all))
	}
	if n, _ := all[0].Values[gpu.Utilization].Get(); n != 3 {
		t.Errorf("the moment's value is %d, want the last that was read", n)
	}
}

func TestASlowWatcherGetsTheLatestTick(t *testing.T) {
	var w watchers
	ch, cancel := w.add()
	for i := range 5 {
		w.send(Tick{At: monday.Add(time.Duration(i) * time.Second)})
	}
	if got := <-ch; !got.At.Equal(monday.Add(4 * time.Second)) {
		t.Errorf("got the tick of %v, want the latest", got.At)
	}
	cancel()
	cancel()
	if _, open := <-ch; open {
		t.Error("the channel is open after cancel")
	}
	w.send(Tick{})
}

func BenchmarkAddReading(b *testing.B) {
	var h history
	r := readingAt("g", monday, 500)
	for b.Loop() {
		r.At = r.At.Add(time.Second)
		h.add(r)
	}
}
