package web

import (
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/web/live"
)

// BenchmarkTick is one second of a set of 1,024 GPUs with 500 clients, without the sockets: the frame is encoded once.
func BenchmarkTick(b *testing.B) {
	frame := func(seq uint64) live.Frame {
		f := live.Frame{Seq: seq, At: time.UnixMilli(int64(seq) * 1000), GPUs: make([]live.GPU, 1024)}
		for i := range f.GPUs {
			f.GPUs[i].UUID = "GPU-00000000-0000-0000-0000-000000000000"
			for m := range f.GPUs[i].Values {
				f.GPUs[i].Values[m] = gpu.Known(int64(1000 + i + int(seq)%(m+2)))
			}
		}
		return f
	}
	s := &set{frame: frame(1), clients: make(map[chan struct{}]bool)}
	for range 500 {
		s.clients[make(chan struct{}, 1)] = true
	}
	frames := []live.Frame{frame(2), frame(3)}
	seq := uint64(1)
	for b.Loop() {
		seq++
		f := frames[seq%2]
		f.Seq, f.At = seq, time.UnixMilli(int64(seq)*1000)
		s.put(f, "")
		for range s.clients {
			if m, _, _ := s.next(seq - 1); m == nil {
				b.Fatal("nothing to send")
			}
		}
	}
}
