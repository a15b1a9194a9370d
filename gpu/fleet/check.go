package fleet

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
)

const (
	checkInterval = time.Minute
	// watchTime is how long a watched GPU must stay quiet before it counts as well again.
	watchTime = 10 * time.Minute
	// provePatience is how long an ended instance's GPUs have to become empty: drivers list a process for a moment after
	// its end, and give its memory back piece by piece.
	provePatience = 5 * time.Second
	proveInterval = 20 * time.Millisecond
	// emptyMemory is what a GPU may hold and still be empty: a driver keeps some for its own daemons.
	emptyMemory = 512 << 20
	// freshness is how old a reading may be that tells a GPU to be well.
	freshness = 5 * time.Second
)

// prove looks for what is left of an ended instance on the machine and on its GPUs, until there is nothing or patience ends.
func (m *machine) prove(ctx context.Context, id string, gpus []string) store.Proof {
	since := m.now()
	ctx, cancel := context.WithTimeout(ctx, provePatience)
	defer cancel()
	m.readNow.wake()
	for {
		notes := m.leftBehind(ctx, id, gpus, since)
		if len(notes) == 0 {
			return store.Proof{Clean: true}
		}
		if !sleep(ctx, proveInterval) {
			return store.Proof{Notes: strings.Join(notes, "; ")}
		}
	}
}

// leftBehind says in words what is left of an instance; nothing is the proof that its GPUs can be offered again.
func (m *machine) leftBehind(ctx context.Context, id string, gpus []string, since time.Time) []string {
	notes := m.residue(ctx, id)
	for _, uuid := range gpus {
		notes = append(notes, m.heldOn(ctx, uuid, since)...)
	}
	return notes
}

func (m *machine) residue(ctx context.Context, id string) []string {
	r, err := m.executor.Clean(ctx, id)
	if isUnknown(err) {
		return nil
	}
	if err != nil {
		return []string{fmt.Sprintf("can't look for what is left of %s: %v", id, err)}
	}
	var notes []string
	for _, pid := range r.PIDs {
		notes = append(notes, fmt.Sprintf("process %d of %s is still there", pid, id))
	}
	for _, mount := range r.Mounts {
		notes = append(notes, fmt.Sprintf("%s is still mounted for %s", mount, id))
	}
	return append(notes, r.Notes...)
}

// heldOn says what still uses a GPU, by a reading that is newer than since. Where neither processes nor memory can be
// known, that is a finding too: unknown is not empty.
func (m *machine) heldOn(ctx context.Context, uuid string, since time.Time) []string {
	if !m.hasGPUs() {
		return []string{fmt.Sprintf("no driver can tell what %s holds", uuid)}
	}
	processes, err := m.source.Processes(ctx, uuid)
	var notes []string
	for _, p := range processes {
		notes = append(notes, fmt.Sprintf("process %d (%s) uses %s", p.PID, p.Name, uuid))
	}
	r, ok := m.history.latest(uuid)
	if !ok || r.At.Before(since) {
		return append(notes, fmt.Sprintf("%s was not read since", uuid))
	}
	used, known := r.Values[gpu.MemoryUsed].Get()
	switch {
	case known && used > emptyMemory && len(notes) == 0:
		notes = append(notes, fmt.Sprintf("%.1f GB held on %s, no owner", float64(used)/1e9, uuid))
	case !known && err != nil:
		notes = append(notes, fmt.Sprintf("%s does not tell what it holds: %v", uuid, err))
	}
	return notes
}

// check looks once a minute at what is kept back, and gives back what is proven well.
func (m *machine) check(ctx context.Context) error {
	return m.loop(ctx, "check", checkInterval, m.checkNow, func(ctx context.Context) error {
		if !m.reachable() {
			return nil
		}
		dirty, err := m.sweep(ctx)
		if err != nil {
			return err
		}
		gpus, err := m.store.GPUs(ctx)
		if err != nil {
			return err
		}
		for _, g := range gpus {
			if g.NodeID != m.nodeID() || !m.isWell(ctx, g, dirty) {
				continue
			}
			m.log.Info("GPU is well again", "gpu", g.UUID, "was", g.State, "reason", g.StateReason)
			if err := m.store.SetGPUState(ctx, g.UUID, store.GPUOK, ""); err != nil {
				return err
			}
		}
		return nil
	})
}

// isWell reports whether a GPU that is kept back may be offered again.
func (m *machine) isWell(ctx context.Context, g store.GPU, dirty map[string]bool) bool {
	if !m.hasGPUs() || dirty[g.UUID] || !m.answers(g.UUID) {
		return false
	}
	switch g.State {
	case store.GPUQuarantined:
		return len(m.heldOn(ctx, g.UUID, m.now().Add(-freshness))) == 0
	case store.GPUWatch:
		return m.now().Sub(g.StateSince) >= watchTime
	case store.GPUFenced:
		if g.StateReason != reasonLost && g.StateReason != reasonMismatch {
			return false // an Xid that needs a reset: an admin clears it
		}
		return g.InstanceID != "" || len(m.heldOn(ctx, g.UUID, m.now().Add(-freshness))) == 0
	}
	return false
}

// answers reports whether a GPU's last reading is fresh and has any value.
func (m *machine) answers(uuid string) bool {
	r, ok := m.history.latest(uuid)
	if !ok || m.now().Sub(r.At) > freshness {
		return false
	}
	for _, v := range r.Values {
		if _, known := v.Get(); known {
			return true
		}
	}
	return false
}

// sleep waits, and reports whether ctx still goes on.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
