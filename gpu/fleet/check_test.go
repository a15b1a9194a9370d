package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
)

// L5, L6: the GPU alone is held back, with what was found, and comes back by itself.
func TestWhatIsLeftBehindQuarantinesTheGPUUntilItIsGone(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	inst := s.running(store.RentRequest{})
	s.memory.set(func() { s.memory.residue[inst.ID] = gpu.Residue{PIDs: []int{4711}} })
	s.stop(inst.ID)
	s.reaches(inst.ID, life.Stopped)
	g := s.gpu(inst.GPUs[0])
	if g.State != store.GPUQuarantined || !strings.Contains(g.StateReason, "4711") {
		t.Fatalf("the GPU is %s (%s), want quarantined with the process named", g.State, g.StateReason)
	}
	s.fleet.local.checkNow.wake()
	s.memory.set(func() { delete(s.memory.residue, inst.ID) })
	s.until("the GPU is offered again", func() bool {
		s.fleet.local.checkNow.wake()
		return s.gpu(inst.GPUs[0]).State == store.GPUOK
	})
}

func TestAProcessThatCanNotBeKilledDoesNotStopForEver(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	inst := s.running(store.RentRequest{})
	s.memory.set(func() { s.memory.failStop = errors.New("process 4711 is in state D") })
	s.stop(inst.ID)
	s.reaches(inst.ID, life.Stopped)
	if g := s.gpu(inst.GPUs[0]); g.State != store.GPUQuarantined || !strings.Contains(g.StateReason, "4711") {
		t.Errorf("the GPU is %s (%s)", g.State, g.StateReason)
	}
	if n := s.memory.count(s.memory.stops, inst.ID); n < stopTries {
		t.Errorf("stopping was tried %d times", n)
	}
	s.memory.set(func() { s.memory.failStop = nil })
	s.until("the GPU is offered again", func() bool {
		s.fleet.local.checkNow.wake()
		return s.gpu(inst.GPUs[0]).State == store.GPUOK
	})
}

func TestWhatAFailedStartLeavesBehindQuarantinesTheGPUUntilItIsGone(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.add("admin", store.Admin)
	h := &heldSource{now: s.clock.Now, processes: []gpu.Process{{PID: 77, Name: "python"}}}
	s.source = h
	s.memory.failStart = errors.New("no such command")
	s.start()
	inst := s.rent(store.RentRequest{})
	s.reaches(inst.ID, life.Failed)
	if g := s.gpu(heldUUID); g.State != store.GPUQuarantined || !strings.Contains(g.StateReason, "77 (python)") || g.InstanceID != "" {
		t.Fatalf("the GPU is %s (%s), held by %q", g.State, g.StateReason, g.InstanceID)
	}
	mail, err := s.store.DueMail(context.Background(), 0)
	if err != nil || !slices.ContainsFunc(mail, func(m store.Mail) bool { return m.Template == "gpu_quarantined" }) {
		t.Errorf("no admin was told: %+v, %v", mail, err)
	}
	h.mu.Lock()
	h.used, h.processes = gpu.Known(0), nil
	h.mu.Unlock()
	s.until("the GPU is offered again", func() bool {
		s.fleet.local.checkNow.wake()
		return s.gpu(heldUUID).State == store.GPUOK
	})
}

// heldSource is a source of one GPU that tells what it is told to.
type heldSource struct {
	now func() time.Time

	mu        sync.Mutex
	used      gpu.Value
	processes []gpu.Process
	unknown   error
}

const heldUUID = "GPU-11111111-2222-3333-4444-555555555555"

func (h *heldSource) Devices(context.Context) ([]gpu.Device, error) {
	return []gpu.Device{{UUID: heldUUID, Vendor: "NVIDIA", Model: "A100-SXM4-80GB", MemoryBytes: 80 << 30}}, nil
}

func (h *heldSource) Read(context.Context) ([]gpu.Reading, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := gpu.Reading{UUID: heldUUID, At: h.now()}
	r.Values[gpu.MemoryUsed] = h.used
	return []gpu.Reading{r}, nil
}

func (h *heldSource) Processes(context.Context, string) ([]gpu.Process, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.processes, h.unknown
}

func (h *heldSource) Events(context.Context) ([]gpu.Event, error) { return nil, nil }
func (h *heldSource) Close() error                                { return nil }

// L11: stopped is written after proof.
func TestAGPUIsOfferedAgainOnProofOnly(t *testing.T) {
	t.Parallel()
	unknown := errors.New("not supported")
	for _, c := range []struct {
		name      string
		used      gpu.Value
		processes []gpu.Process
		unknown   error
		clean     bool
		words     string
	}{
		{"nothing is left", gpu.Known(8 << 20), nil, nil, true, ""},
		{"the driver keeps some for itself", gpu.Known(emptyMemory), nil, nil, true, ""},
		{"a process is left", gpu.Known(9 << 30), []gpu.Process{{PID: 77, Name: "python"}}, nil, false, "77 (python)"},
		{"memory is held and nobody holds it", gpu.Known(9_900_000_000), nil, nil, false, "9.9 GB held"},
		{"processes are not known, memory is empty", gpu.Known(0), nil, unknown, true, ""},
		{"memory is not known, no process is there", gpu.Unknown(gpu.NotSupported), nil, nil, true, ""},
		{"nothing is known", gpu.Unknown(gpu.Lost), nil, unknown, false, "does not tell"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, "")
			h := &heldSource{now: s.clock.Now, used: gpu.Unknown(gpu.NotSupported)}
			s.source = h
			s.start()
			inst := s.running(store.RentRequest{})
			h.mu.Lock()
			h.used, h.processes, h.unknown = c.used, c.processes, c.unknown
			h.mu.Unlock()
			s.clock.Advance(time.Minute) // what was read before says nothing of now
			s.stop(inst.ID)
			s.reaches(inst.ID, life.Stopped)
			g := s.gpu(heldUUID)
			if clean := g.State == store.GPUOK; clean != c.clean || !strings.Contains(g.StateReason, c.words) {
				t.Errorf("the GPU is %s (%s), want clean %v", g.State, g.StateReason, c.clean)
			}
		})
	}
}

const faulty = `{"version":1,"devices":[{"id":"one","model":"L4"},{"id":"two","model":"L4"}],"faults":[%s]}`

func TestALostGPUIsFencedAndComesBackByItself(t *testing.T) {
	t.Parallel()
	s := newSite(t, fmt.Sprintf(faulty, `{"at_seconds":60,"gpu":0,"fault":"lost","for_seconds":60}`))
	s.start()
	inst := s.running(store.RentRequest{GPUModel: "L4"})
	s.clock.Advance(61 * time.Second)
	uuid := inst.GPUs[0]
	s.until("it is fenced", func() bool { return s.gpu(uuid).State == store.GPUFenced })
	s.until("its instance is told", func() bool { return s.happened(inst.ID, "gpu_lost") })
	if got := s.instance(inst.ID).State; got != life.Running {
		t.Errorf("its instance is %s", got)
	}
	other := s.running(store.RentRequest{GPUModel: "L4"})
	if other.GPUs[0] == uuid {
		t.Error("the lost GPU was rented out")
	}
	s.clock.Advance(61 * time.Second)
	s.until("it is back", func() bool { return s.gpu(uuid).State == store.GPUOK })
}

func TestAnXidOfAProgramBlamesNoGPU(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]string{13: store.GPUOK, 79: store.GPUFenced, 92: store.GPUWatch} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			s := newSite(t, "")
			s.start()
			inst := s.running(store.RentRequest{})
			uuid := inst.GPUs[0]
			if err := s.fleet.local.happened(context.Background(), gpu.Event{UUID: uuid, At: s.clock.Now(), Kind: gpu.EventXid, Code: code}); err != nil {
				t.Fatal(err)
			}
			if g := s.gpu(uuid); g.State != want {
				t.Errorf("after Xid %d it is %s, want %s", code, g.State, want)
			}
			if !s.happened(inst.ID, "gpu_xid") {
				t.Error("its instance was not told")
			}
		})
	}
}
