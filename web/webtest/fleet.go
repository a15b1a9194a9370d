package webtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/fleet"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web"
)

var _ web.Fleet = (*Fleet)(nil)

// Fleet is a web.Fleet in memory: readings, logs and terminals are what a test puts there. Its shell echoes lines, its
// commands are echo, cat, fail and sleep.
type Fleet struct {
	Volumes string // a directory of the test's own

	store *store.Store
	now   func() time.Time

	mu       sync.Mutex
	readings map[string][]gpu.Reading
	logs     map[string]*log
	shells   map[string]*shell
	watchers map[chan fleet.Tick]bool
	kicks    int
	unready  bool
	ports    map[string]string // instance and address → where it is really
	broken   error             // of logs; nil: they can be read
}

// NewFleet makes an empty one.
func NewFleet(s *store.Store, now func() time.Time) *Fleet {
	return &Fleet{store: s, now: now, readings: make(map[string][]gpu.Reading), logs: make(map[string]*log), shells: make(map[string]*shell), watchers: make(map[chan fleet.Tick]bool)}
}

// Read puts a reading, without telling those who watch.
func (f *Fleet) Read(r gpu.Reading) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.readings[r.UUID] = append(f.readings[r.UUID], r)
}

// Tick tells those who watch that all were read.
func (f *Fleet) Tick() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for ch := range f.watchers {
		select {
		case <-ch:
		default:
		}
		ch <- fleet.Tick{At: f.now()}
	}
}

// Latest is the last reading that was put.
func (f *Fleet) Latest(uuid string) (gpu.Reading, time.Duration, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := f.readings[uuid]
	if len(list) == 0 {
		return gpu.Reading{}, 0, false
	}
	r := list[len(list)-1]
	return r, f.now().Sub(r.At), true
}

// Samples are the readings in [from, to).
func (f *Fleet) Samples(uuid string, from, to time.Time) []gpu.Reading {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []gpu.Reading
	for _, r := range f.readings[uuid] {
		if !r.At.Before(from) && r.At.Before(to) {
			list = append(list, r)
		}
	}
	return list
}

// Watch gets what Tick sends.
func (f *Fleet) Watch() (<-chan fleet.Tick, func()) {
	ch := make(chan fleet.Tick, 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watchers[ch] = true
	return ch, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.watchers, ch)
	}
}

// Device knows every GPU of the store as simulated.
func (f *Fleet) Device(uuid string) (gpu.Device, bool) {
	g, err := f.store.GPU(context.Background(), uuid)
	return gpu.Device{UUID: uuid, Model: g.Model, Simulated: true}, err == nil
}

// Limits are one that is enforced and one that is not.
func (f *Fleet) Limits(string) []gpu.Limit {
	return []gpu.Limit{{Name: "cpu", Enforced: true, Detail: "cgroup"}, {Name: "disk", Detail: "no quota on this file system"}}
}

// Kick counts.
func (f *Fleet) Kick() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kicks++
}

// Kicks is how often the fleet was told to look.
func (f *Fleet) Kicks() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.kicks
}

// Ready is true unless SetReady said otherwise.
func (f *Fleet) Ready() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.unready
}

// SetReady changes what Ready says.
func (f *Fleet) SetReady(ready bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unready = !ready
}

// Exec runs one of a few commands: echo WORDS…, cat, fail CODE, sleep (until it is cancelled), refused WHY (not started).
func (f *Fleet) Exec(ctx context.Context, _ string, req gpu.ExecRequest) (gpu.Exit, error) {
	switch req.Argv[0] {
	case "echo":
		_, err := io.WriteString(req.Stdout, strings.Join(req.Argv[1:], " ")+"\n")
		return gpu.Exit{}, err
	case "cat":
		if req.Stdin == nil {
			req.Stdin = bytes.NewReader(nil)
		}
		_, err := io.Copy(req.Stdout, req.Stdin)
		return gpu.Exit{}, err
	case "fail":
		code, err := strconv.Atoi(req.Argv[1])
		if err == nil {
			_, err = io.WriteString(req.Stderr, "failed as asked\n")
		}
		return gpu.Exit{Code: code}, err
	case "sleep":
		<-ctx.Done()
		return gpu.Exit{Code: 137, Signal: "killed"}, nil
	case "refused":
		return gpu.Exit{}, fmt.Errorf("the instance: %w", &gpu.NotStarted{Program: "refused", Why: gpu.StartReason(req.Argv[1])})
	}
	return gpu.Exit{}, errors.New("no such command")
}

// Attach opens the instance's shell, the same each time.
func (f *Fleet) Attach(_ context.Context, id string, size gpu.Size) (gpu.Terminal, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.shells[id]
	if s == nil {
		s = &shell{size: size}
		f.shells[id] = s
	}
	return s.attach(), nil
}

// Size is the size that the instance's terminal was last told.
func (f *Fleet) Size(id string) gpu.Size {
	f.mu.Lock()
	s := f.shells[id]
	f.mu.Unlock()
	if s == nil {
		return gpu.Size{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

var errNoLog = errors.Join(errors.New("no log"), gpu.ErrNoInstance)

// Log opens what WriteLog wrote; with follow it waits for more until EndLog.
func (f *Fleet) Log(_ context.Context, id string, offset int64, follow bool) (io.ReadCloser, int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.logs[id]
	switch {
	case f.broken != nil:
		return nil, 0, f.broken
	case l == nil:
		return nil, 0, errNoLog
	}
	return l.open(offset, follow)
}

// WriteLog is the instance's command writing.
func (f *Fleet) WriteLog(id, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.logs[id] == nil {
		f.logs[id] = newLog()
	}
	f.logs[id].write(text)
}

// BreakLogs has every log fail to open.
func (f *Fleet) BreakLogs(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = err
}

// EndLog is the instance's command ending.
func (f *Fleet) EndLog(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.logs[id].end()
}
