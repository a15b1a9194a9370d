package fleet

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
)

func TestWhatAnInstanceDoesMovesItsGPU(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	inst := s.running(store.RentRequest{})
	ticks, cancel := s.fleet.Watch()
	defer cancel()
	utilization := func() int64 {
		s.clock.Advance(time.Second)
		s.memory.set(func() { s.memory.instances[inst.ID].usage.CPU += 900 * time.Millisecond })
		s.fleet.local.readNow.wake()
		r := (<-ticks).Readings[inst.GPUs[0]]
		n, _ := r.Values[gpu.Utilization].Get()
		return n
	}
	s.until("its load shows", func() bool { return utilization() > 500 })
	if d, ok := s.fleet.Device(inst.GPUs[0]); !ok || !d.Simulated {
		t.Errorf("device %+v, %v; want one that says it is simulated", d, ok)
	}
	if _, age, ok := s.fleet.Latest(inst.GPUs[0]); !ok || age > time.Minute {
		t.Errorf("latest is %v old, %v", age, ok)
	}
	s.stop(inst.ID)
	s.reaches(inst.ID, life.Stopped)
	if _, _, held := s.fleet.Load(inst.GPUs[0]); held {
		t.Error("the GPU of an ended instance has its load")
	}
}

func TestAgeIsToldAndNeverHidden(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.start()
	uuid := s.rent(store.RentRequest{}).GPUs[0]
	s.until("it was read", func() bool { _, _, ok := s.fleet.Latest(uuid); return ok })
	s.drop()
	s.clock.Advance(10 * time.Minute)
	if _, age, ok := s.fleet.Latest(uuid); !ok || age < 10*time.Minute {
		t.Errorf("10 minutes later it is %v old", age)
	}
	if _, _, ok := s.fleet.Latest("GPU-none"); ok {
		t.Error("a GPU that does not exist has a reading")
	}
}

func TestAGPUThatHangsHoldsUpNeitherOthersNorRenting(t *testing.T) {
	s := newSite(t, fmt.Sprintf(faulty, `{"at_seconds":60,"gpu":0,"fault":"hang"}`))
	s.start()
	s.clock.Advance(61 * time.Second)
	began := time.Now()
	inst := s.running(store.RentRequest{CPUOnly: true})
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("renting took %v", took)
	}
	devices, err := s.source.Devices(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	at := s.clock.Advance(time.Second)
	s.until("the other GPU is read", func() bool {
		r, _, ok := s.fleet.Latest(devices[1].UUID)
		return ok && !r.At.Before(at)
	})
	s.stop(inst.ID)
	s.reaches(inst.ID, life.Stopped)
}
