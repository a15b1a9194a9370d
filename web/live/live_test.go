package live

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the committed frames")

func values(t *rapid.T) (v Values) {
	for m := range v {
		switch rapid.IntRange(0, 3).Draw(t, "is") {
		case 0:
			v[m] = gpu.Unknown(gpu.Why(rapid.IntRange(0, 5).Draw(t, "why")))
		default:
			v[m] = gpu.Known(rapid.Int64().Draw(t, "value"))
		}
	}
	return v
}

func instance(t *rapid.T) *Instance {
	if rapid.Bool().Draw(t, "no instance") {
		return nil
	}
	return &Instance{Status: rapid.SampledFrom([]string{"running", "suspended", ""}).Draw(t, "status"), CostMicros: rapid.Int64().Draw(t, "cost"), RateMicrosPerHour: rapid.Int64().Draw(t, "rate")}
}

func TestEveryFrameSaysAfterDecodingWhatItSaidBefore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 4).Draw(t, "gpus")
		frame := Frame{Seq: rapid.Uint64Range(0, 1<<40).Draw(t, "seq"), At: time.UnixMilli(1_700_000_000_000).UTC(), Instance: instance(t)}
		frame.GPUs = make([]GPU, n)
		for i := range frame.GPUs {
			frame.GPUs[i] = GPU{UUID: rapid.String().Draw(t, "uuid"), Name: "A100", Simulated: i%2 == 0, Values: values(t)}
		}
		var d Decoder
		m, err := d.Decode(AppendKeyframe(nil, frame))
		if err != nil || !reflect.DeepEqual(m.Frame, frame) {
			t.Fatalf("keyframe: %v\n got %+v\nwant %+v", err, m.Frame, frame)
		}
		var points []Point
		for range rapid.IntRange(0, 3).Draw(t, "points") {
			p := Point{At: frame.At, GPUs: make([]Values, n)}
			for i := range p.GPUs {
				p.GPUs[i] = values(t)
			}
			if rapid.Bool().Draw(t, "cost") {
				p.CostMicros = new(int64)
			}
			points = append(points, p)
		}
		if m, err = d.Decode(AppendBackfill(nil, frame.Seq, points)); err != nil || len(m.Backfill) != len(points) || len(points) > 0 && !reflect.DeepEqual(m.Backfill, points) {
			t.Fatalf("backfill: %v\n got %+v\nwant %+v", err, m.Backfill, points)
		}
		for range 3 {
			next := Frame{Seq: frame.Seq + 1, At: frame.At.Add(time.Duration(rapid.IntRange(0, 5000).Draw(t, "dt")) * time.Millisecond), Instance: instance(t), GPUs: append([]GPU{}, frame.GPUs...)}
			for i := range next.GPUs {
				if rapid.Bool().Draw(t, "changes") {
					next.GPUs[i].Values = values(t)
				}
				next.GPUs[i].Age = time.Duration(rapid.IntRange(0, 20000).Draw(t, "age")) * time.Millisecond
			}
			b, ok := AppendDelta(nil, frame, next)
			if !ok {
				t.Fatal("no delta for the same GPUs")
			}
			m, err := d.Decode(b)
			if err == nil && n == 0 {
				m.Frame.GPUs = next.GPUs
			}
			if err != nil || !reflect.DeepEqual(m.Frame, next) {
				t.Fatalf("delta: %v\n got %+v\nwant %+v", err, m.Frame, next)
			}
			frame = next
		}
	})
}

func TestADeltaIsRefusedWhereItCouldMislead(t *testing.T) {
	at := time.UnixMilli(1000)
	base := Frame{Seq: 7, At: at, GPUs: []GPU{{UUID: "a"}}}
	for name, f := range map[string]Frame{
		"a gap":         {Seq: 9, At: at, GPUs: []GPU{{UUID: "a"}}},
		"another GPU":   {Seq: 8, At: at, GPUs: []GPU{{UUID: "b"}}},
		"one GPU less":  {Seq: 8, At: at},
		"time ran back": {Seq: 8, At: at.Add(-time.Second), GPUs: []GPU{{UUID: "a"}}},
	} {
		if b, ok := AppendDelta(nil, base, f); ok || len(b) > 0 {
			t.Errorf("%s: a delta was made", name)
		}
	}
	b, _ := AppendDelta(nil, base, Frame{Seq: 8, At: at, GPUs: []GPU{{UUID: "a"}}})
	var d Decoder
	if _, err := d.Decode(b); !errors.Is(err, ErrFrame) {
		t.Errorf("a delta without a keyframe: %v", err)
	}
}

func TestAQuietSecondIsSmall(t *testing.T) {
	var v Values
	for m := range v {
		v[m] = gpu.Known(80 << 30)
	}
	a := Frame{Seq: 1, At: time.UnixMilli(1000), GPUs: make([]GPU, 8)}
	for i := range a.GPUs {
		a.GPUs[i] = GPU{UUID: "GPU-" + string(rune('a'+i)), Values: v}
	}
	b := Frame{Seq: 2, At: time.UnixMilli(2000), GPUs: append([]GPU{}, a.GPUs...)}
	if d, _ := AppendDelta(nil, a, b); len(d) > 6+3*8 {
		t.Errorf("%d bytes for 8 GPUs of which nothing changed", len(d))
	}
}

// samples are committed, so that a page of an older version is known to read what a newer console sends.
func samples() map[string][]byte {
	var v Values
	v[gpu.Utilization], v[gpu.MemoryUsed], v[gpu.Temperature] = gpu.Known(873), gpu.Known(17179869184), gpu.Known(-3)
	v[gpu.Power], v[gpu.Fan] = gpu.Unknown(gpu.NotSupported), gpu.Unknown(gpu.Lost)
	a := Frame{Seq: 300, At: time.UnixMilli(1_700_000_000_123), GPUs: []GPU{{UUID: "GPU-1", Name: "A100-SXM4-80GB", Simulated: true, Values: v}}, Instance: &Instance{Status: "running", CostMicros: 41667, RateMicrosPerHour: 2_500_000}}
	w := v
	w[gpu.Utilization], w[gpu.Power], w[gpu.MemoryUsed] = gpu.Known(900), gpu.Known(250_000), gpu.Unknown(gpu.Invalid)
	b := Frame{Seq: 301, At: a.At.Add(time.Second), GPUs: []GPU{{UUID: "GPU-1", Name: "A100-SXM4-80GB", Simulated: true, Values: w, Age: 250 * time.Millisecond}}, Instance: &Instance{Status: "running", CostMicros: 42361, RateMicrosPerHour: 2_500_000}}
	cost := int64(40_000)
	delta, _ := AppendDelta(nil, a, b)
	return map[string][]byte{"keyframe": AppendKeyframe(nil, a), "delta": delta, "backfill": AppendBackfill(nil, 300, []Point{{At: a.At.Add(-time.Second), GPUs: []Values{v}, CostMicros: &cost}})}
}

func TestFramesAreByteForByteAsCommitted(t *testing.T) {
	for name, b := range samples() {
		file := "testdata/" + name + ".hex"
		if *update {
			if err := os.WriteFile(file, []byte(hex.EncodeToString(b)+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(b); got != string(bytes.TrimSpace(want)) {
			t.Errorf("%s\n got %s\nwant %s", name, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	s := samples()
	f.Add(s["keyframe"], s["delta"])
	f.Add(s["keyframe"], s["backfill"])
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var d Decoder
		for _, b := range [][]byte{first, second} {
			m, err := d.Decode(b)
			if err != nil || m.Kind != KindKeyframe {
				continue
			}
			again, err := new(Decoder).Decode(AppendKeyframe(nil, m.Frame))
			if err != nil || !reflect.DeepEqual(again.Frame, m.Frame) {
				t.Fatalf("a frame that was read can not be written again: %v", err)
			}
		}
	})
}

func BenchmarkDelta(b *testing.B) {
	f := Frame{Seq: 1, At: time.UnixMilli(1000), GPUs: make([]GPU, 1024)}
	g := Frame{Seq: 2, At: time.UnixMilli(2000), GPUs: make([]GPU, 1024)}
	for i := range f.GPUs {
		for m := range f.GPUs[i].Values {
			f.GPUs[i].Values[m], g.GPUs[i].Values[m] = gpu.Known(int64(1000+i)), gpu.Known(int64(1000+i+m%3))
		}
	}
	var buf []byte
	for b.Loop() {
		buf, _ = AppendDelta(buf[:0], f, g)
	}
	b.SetBytes(int64(len(buf)))
}
