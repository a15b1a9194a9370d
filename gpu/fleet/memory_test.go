package fleet

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// memoryExecutor runs instances that exist in memory alone: everything that gpu.Executor promises but for real processes.
// Its records outlive a Fleet, as real ones do.
type memoryExecutor struct {
	now func() time.Time

	mu        sync.Mutex
	changed   chan struct{} // closed and replaced at every change
	instances map[string]*memoryInstance
	starts    map[string]int
	stops     map[string]int
	failStart error
	failStop  error
	hang      bool // starts don't return until their context ends
	residue   map[string]gpu.Residue
	broken    map[string]error  // whose record can't be read
	told      map[string][]told // kept when an instance is removed
}

type memoryInstance struct {
	spec  gpu.Spec
	state gpu.State
	log   bytes.Buffer
	usage gpu.Usage

	notice   string
	pids     []int
	stubborn bool // SIGTERM does not end it
	execs    int
}

// told is a signal or a notice.
type told struct {
	what string
	at   time.Time
}

var _ gpu.Executor = (*memoryExecutor)(nil)

func newMemoryExecutor(now func() time.Time) *memoryExecutor {
	return &memoryExecutor{now: now, changed: make(chan struct{}), instances: make(map[string]*memoryInstance),
		starts: make(map[string]int), stops: make(map[string]int), residue: make(map[string]gpu.Residue),
		broken: make(map[string]error), told: make(map[string][]told)}
}

// set changes something under the lock and wakes who waits.
func (m *memoryExecutor) set(change func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change()
	close(m.changed)
	m.changed = make(chan struct{})
}

func (m *memoryExecutor) exit(id string, e gpu.Exit, at time.Time) {
	m.set(func() {
		st := &m.instances[id].state
		st.Phase, st.Exit, st.EndedAt, st.LastProof = gpu.PhaseExited, e, at, at
	})
}

// machineDown is what a power cut leaves.
func (m *memoryExecutor) machineDown(at time.Time) {
	m.set(func() {
		for _, i := range m.instances {
			if lives(i.state) {
				i.state.Phase, i.state.LastProof, i.state.EndedAt = gpu.PhaseGone, at, at
			}
		}
	})
}

func (m *memoryExecutor) write(id, text string) {
	m.set(func() { m.instances[id].log.WriteString(text) })
}

func (m *memoryExecutor) count(of map[string]int, id string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return of[id]
}

func (m *memoryExecutor) Name() string { return "memory" }

func (m *memoryExecutor) Limits(context.Context) []gpu.Limit {
	return []gpu.Limit{{Name: "memory", Enforced: true, Detail: "there is none"}}
}

func (m *memoryExecutor) Start(ctx context.Context, spec gpu.Spec) (st gpu.State, err error) {
	m.mu.Lock()
	hang := m.hang
	m.mu.Unlock()
	if hang {
		<-ctx.Done()
		return st, ctx.Err()
	}
	m.set(func() {
		if m.failStart != nil {
			err = m.failStart
			return
		}
		i := m.instances[spec.ID]
		if i == nil {
			m.starts[spec.ID]++
			i = &memoryInstance{spec: spec, state: gpu.State{ID: spec.ID, Phase: gpu.PhaseRunning, GPUs: spec.GPUs, StartedAt: m.now(), LastProof: m.now()}}
			m.instances[spec.ID] = i
		}
		st = i.state
	})
	return st, err
}

func (m *memoryExecutor) State(_ context.Context, id string) (gpu.State, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := m.instances[id]
	if err := m.broken[id]; err != nil {
		return gpu.State{}, err
	}
	if i == nil {
		return gpu.State{}, fmt.Errorf("%s: %w", id, gpu.ErrNoInstance)
	}
	if lives(i.state) {
		i.state.LastProof = m.now()
	}
	return i.state, nil
}

func (m *memoryExecutor) List(context.Context) ([]gpu.State, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []gpu.State
	for id, i := range m.instances {
		st := i.state
		if err := m.broken[id]; err != nil {
			st = gpu.State{ID: id, Phase: gpu.PhaseUnknown, Exit: gpu.Exit{Err: err.Error()}}
		}
		all = append(all, st)
	}
	return all, nil
}

func (m *memoryExecutor) Wait(ctx context.Context, id string) (gpu.State, error) {
	for {
		m.mu.Lock()
		changed, i := m.changed, m.instances[id]
		if err := m.broken[id]; err != nil {
			m.mu.Unlock()
			return gpu.State{}, err
		}
		if i == nil {
			m.mu.Unlock()
			return gpu.State{}, gpu.ErrNoInstance
		}
		st := i.state
		m.mu.Unlock()
		if !lives(st) {
			return st, nil
		}
		select {
		case <-ctx.Done():
			return st, ctx.Err()
		case <-changed:
		}
	}
}

func (m *memoryExecutor) Signal(_ context.Context, id string, sig syscall.Signal) error {
	return m.tell(id, sig.String(), func(i *memoryInstance) {
		if sig == syscall.SIGKILL || sig == syscall.SIGTERM && !i.stubborn {
			i.state.Phase, i.state.Exit, i.state.EndedAt = gpu.PhaseExited, gpu.Exit{Code: 128 + int(sig), Signal: sig.String()}, m.now()
		}
	})
}

func (m *memoryExecutor) Notice(_ context.Context, id string, content []byte) error {
	return m.tell(id, "notice", func(i *memoryInstance) { i.notice = string(content) })
}

// tell notes what an instance was told and when.
func (m *memoryExecutor) tell(id, what string, change func(*memoryInstance)) (err error) {
	m.set(func() {
		i := m.instances[id]
		switch {
		case i == nil:
			err = gpu.ErrNoInstance
		case !lives(i.state):
			err = gpu.ErrNotRunning
		default:
			m.told[id] = append(m.told[id], told{what, m.now()})
			change(i)
		}
	})
	return err
}

func (m *memoryExecutor) phase(id string, from, to gpu.Phase) (err error) {
	m.set(func() {
		i := m.instances[id]
		switch {
		case i == nil:
			err = gpu.ErrNoInstance
		case i.state.Phase == from:
			i.state.Phase = to
		case i.state.Phase != to:
			err = gpu.ErrNotRunning
		}
	})
	return err
}

func (m *memoryExecutor) Suspend(_ context.Context, id string) error {
	return m.phase(id, gpu.PhaseRunning, gpu.PhaseSuspended)
}

func (m *memoryExecutor) Resume(_ context.Context, id string) error {
	return m.phase(id, gpu.PhaseSuspended, gpu.PhaseRunning)
}

func (m *memoryExecutor) Stop(_ context.Context, id string, _ time.Duration) (st gpu.State, err error) {
	m.set(func() {
		m.stops[id]++
		i := m.instances[id]
		switch {
		case m.broken[id] != nil:
			err = m.broken[id]
		case i == nil:
			err = gpu.ErrNoInstance
		case m.failStop != nil:
			st, err = i.state, m.failStop
		default:
			if lives(i.state) {
				i.state.Phase, i.state.EndedAt, i.state.Exit = gpu.PhaseExited, m.now(), gpu.Exit{Code: 143, Signal: "SIGTERM"}
			}
			st = i.state
		}
	})
	return st, err
}

func (m *memoryExecutor) Attach(context.Context, string, gpu.Size) (gpu.Terminal, error) {
	return nil, gpu.ErrNotRunning
}

func (m *memoryExecutor) Exec(_ context.Context, id string, _ gpu.ExecRequest) (gpu.Exit, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := m.instances[id]; i != nil {
		i.execs++
	}
	return gpu.Exit{}, gpu.ErrNotRunning
}

// Dial finds no port: nothing runs.
func (m *memoryExecutor) Dial(context.Context, string, string, string) (net.Conn, error) {
	return nil, gpu.ErrNotItsPort
}

// Log reads what is there; following goes on until the instance ended.
func (m *memoryExecutor) Log(ctx context.Context, id string, offset int64, follow bool) (io.ReadCloser, int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.instances[id] == nil {
		return nil, 0, gpu.ErrNoInstance
	}
	return &memoryLog{m: m, ctx: ctx, id: id, at: int(offset), follow: follow}, offset, nil
}

type memoryLog struct {
	m      *memoryExecutor
	ctx    context.Context
	id     string
	at     int
	follow bool
}

func (l *memoryLog) Read(p []byte) (int, error) {
	for {
		l.m.mu.Lock()
		changed, i := l.m.changed, l.m.instances[l.id]
		text, live := []byte(nil), false
		if i != nil {
			text, live = i.log.Bytes(), lives(i.state)
		}
		if l.at < len(text) {
			n := copy(p, text[l.at:])
			l.at += n
			l.m.mu.Unlock()
			return n, nil
		}
		l.m.mu.Unlock()
		if !l.follow || !live {
			return 0, io.EOF
		}
		select {
		case <-l.ctx.Done():
			return 0, l.ctx.Err()
		case <-changed:
		}
	}
}

func (l *memoryLog) Close() error { return nil }

func (m *memoryExecutor) Usage(_ context.Context, id string) (gpu.Usage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.instances[id] == nil {
		return gpu.Usage{}, gpu.ErrNoInstance
	}
	return m.instances[id].usage, nil
}

func (m *memoryExecutor) PIDs(_ context.Context, id string) ([]int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.instances[id] == nil {
		return nil, gpu.ErrNoInstance
	}
	return m.instances[id].pids, m.broken[id]
}

func (m *memoryExecutor) Clean(_ context.Context, id string) (gpu.Residue, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.residue[id], m.broken[id]
}

func (m *memoryExecutor) Remove(_ context.Context, id string) error {
	m.set(func() { delete(m.instances, id) })
	return nil
}
