package nvidia

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/meterhouse/meterhouse/gpu"
)

// queued is how many jobs may wait for a device: one reading, one stop of the session, and some questions for processes.
const queued = 8

// worker owns all calls of one device in one session: its goroutine does one job after the other. Its session ends it.
type worker struct {
	lib   *library
	now   func() time.Time
	index int
	jobs  chan func()
	quit  chan struct{}
	ended chan struct{}
	since atomic.Pointer[time.Time] // when the call in flight began; nil: none is

	stale atomic.Bool // something happened: the slow values are to be read again

	adopted bool // it said which device it is; Source.mu guards it

	// What follows belongs to the goroutine.
	handle      nvml.Device
	info        gpu.Device
	links       []string                  // PCI bus ids of what its NVLinks end at
	slowAt      time.Time                 // when the slow values were read
	unsupported [gpu.NumMetrics]time.Time // until when a metric is not asked for again
}

func newWorker(lib *library, index int, now func() time.Time) *worker {
	w := &worker{lib: lib, now: now, index: index, jobs: make(chan func(), queued), quit: make(chan struct{}),
		ended: make(chan struct{})}
	go w.run()
	return w
}

func (w *worker) run() {
	defer close(w.ended)
	for {
		select {
		case <-w.quit: // goes before the jobs that still wait
			return
		default:
		}
		select {
		case <-w.quit:
			return
		case job := <-w.jobs:
			job()
		}
	}
}

// offer queues a job unless the queue is full.
func (w *worker) offer(job func()) bool {
	select {
	case w.jobs <- job:
		return true
	default:
		return false
	}
}

// ask queues a job and waits for it. False means that ctx or the session ended before; the job may then never run.
func (w *worker) ask(ctx context.Context, job func()) bool {
	done := make(chan struct{})
	abandonable := func() {
		defer close(done)
		if ctx.Err() == nil {
			job()
		}
	}
	select {
	case w.jobs <- abandonable:
	case <-ctx.Done():
		return false
	case <-w.ended:
		return false
	}
	select {
	case <-done:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	case <-w.ended:
		return false
	}
}

// call makes one call to the driver, if the library has it under one of the names.
func (w *worker) call(f func() nvml.Return, symbols ...string) nvml.Return {
	if !w.lib.has(symbols...) {
		return nvml.ERROR_FUNCTION_NOT_FOUND
	}
	began := w.now()
	w.since.Store(&began)
	defer w.since.Store(nil)
	return f()
}

// stuckFor is how long the call in flight has taken until now; 0: none is.
func (w *worker) stuckFor(now time.Time) time.Duration {
	began := w.since.Load()
	if began == nil {
		return 0
	}
	return now.Sub(*began)
}
