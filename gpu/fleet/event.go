package fleet

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
)

const (
	eventInterval = time.Second
	eventPatience = 3 * time.Second
)

// Why a GPU is kept back, as written in the database. What begins with these comes back by itself.
const (
	reasonLost     = "lost"
	reasonMismatch = "driver_mismatch"
	reasonXid      = "xid_" // and the number
)

// Xid numbers from NVIDIA's "Xid Errors" document. What a program did wrong says nothing of the GPU; what is fatal needs a
// reset or a person; all others make a GPU watched.
var (
	xidOfPrograms = map[int]bool{13: true, 31: true, 43: true, 45: true, 68: true, 69: true}
	xidFatal      = map[int]bool{48: true, 62: true, 64: true, 74: true, 79: true, 95: true, 119: true, 120: true, 140: true}
)

// hear takes in what happened to GPUs.
func (m *machine) hear(ctx context.Context) error {
	// What could not be written down is kept for the next turn: the source tells each event once.
	var pending []gpu.Event
	return m.loop(ctx, "gpu events", eventInterval, nil, func(ctx context.Context) error {
		if !m.hasGPUs() || !m.reachable() {
			return nil
		}
		asking, cancel := context.WithTimeout(ctx, eventPatience)
		defer cancel()
		events, err := m.source.Events(asking)
		pending = append(pending, events...)
		for len(pending) > 0 {
			if err := m.happened(ctx, pending[0]); err != nil {
				return err
			}
			pending = pending[1:]
		}
		return err
	})
}

// happened writes down one event for each GPU that it concerns.
func (m *machine) happened(ctx context.Context, e gpu.Event) error {
	m.log.Warn("GPU event", "gpu", e.UUID, "kind", e.Kind, "code", e.Code, "detail", e.Detail)
	m.listNow.wake()
	uuids := []string{e.UUID}
	if e.UUID == "" {
		uuids = m.deviceUUIDs()
	}
	for _, uuid := range uuids {
		if err := m.happenedTo(ctx, uuid, e); err != nil {
			return fmt.Errorf("event %s of GPU %s: %w", e.Kind, uuid, err)
		}
	}
	return nil
}

func (m *machine) happenedTo(ctx context.Context, uuid string, e gpu.Event) error {
	g, err := m.store.GPU(ctx, uuid)
	if store.KindOf(err) == store.NotFound {
		return nil // not in the inventory yet: it will be taken in as it is then
	}
	if err != nil {
		return err
	}
	if g.InstanceID != "" {
		args := map[string]string{"gpu": uuid, "index": strconv.Itoa(g.Index), "detail": e.Detail}
		if e.Code != 0 {
			args["code"] = strconv.Itoa(e.Code)
		}
		if err := m.store.AddInstanceEvent(ctx, g.InstanceID, "gpu_"+string(e.Kind), args); err != nil {
			return err
		}
	}
	var state, reason string
	switch {
	case e.Kind == gpu.EventLost:
		state, reason = store.GPUFenced, reasonLost
	case e.Kind == gpu.EventMismatch:
		state, reason = store.GPUFenced, reasonMismatch
	case e.Kind == gpu.EventXid && xidFatal[e.Code]:
		state, reason = store.GPUFenced, reasonXid+strconv.Itoa(e.Code)
	case e.Kind == gpu.EventXid && !xidOfPrograms[e.Code] && g.State == store.GPUOK:
		state, reason = store.GPUWatch, reasonXid+strconv.Itoa(e.Code)
	case e.Kind == gpu.EventBack:
		m.checkRead.wake() // what it reads as now is what tells whether it is well
		m.readNow.wake()
		return nil
	default:
		return nil
	}
	// A quarantine is lifted by proof alone, never overwritten by something milder to come back from.
	if g.State == store.GPUQuarantined && state != store.GPUFenced {
		return nil
	}
	return m.store.SetGPUState(ctx, uuid, state, reason)
}

func (m *machine) deviceUUIDs() []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	uuids := make([]string, 0, len(m.devices))
	for uuid := range m.devices {
		uuids = append(uuids, uuid)
	}
	return uuids
}
