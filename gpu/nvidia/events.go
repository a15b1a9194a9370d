package nvidia

import (
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/meterhouse/meterhouse/gpu"
)

const (
	// eventWait is how long one wait for events may take; stopping takes no longer.
	eventWait = 100 * time.Millisecond
	// maxEvents bounds what is kept for a caller that never asks; the oldest go first.
	maxEvents = 10_000
)

// watcher waits for the driver's events in one session, in a goroutine that its session ends.
type watcher struct {
	set   nvml.EventSet
	quit  chan struct{}
	ended chan struct{}
}

// watch starts the goroutine; found is called for each Xid error.
func watch(set nvml.EventSet, found func(nvml.EventData)) *watcher {
	w := &watcher{set: set, quit: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		for {
			select {
			case <-w.quit:
				return
			default:
			}
			data, ret := set.Wait(uint32(eventWait / time.Millisecond))
			switch ret {
			case nvml.SUCCESS:
				if data.EventType == nvml.EventTypeXidCriticalError {
					found(data)
				}
			case nvml.ERROR_TIMEOUT:
			default: // the driver is in trouble, which the readings tell; go on without turning at full speed
				select {
				case <-w.quit:
				case <-time.After(eventWait):
				}
			}
		}
	}()
	return w
}

// stop ends the goroutine and reports whether it ended within the limit. It may be called again.
func (w *watcher) stop(limit time.Duration) bool {
	select {
	case <-w.quit:
	default:
		close(w.quit)
	}
	select {
	case <-w.ended:
		return true
	case <-time.After(limit):
		return false
	}
}

// sawXid notes a driver's error. NVML names a device by its handle; the session's workers know whose it is.
func (s *Source) sawXid(data nvml.EventData) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := gpu.Event{Kind: gpu.EventXid, Code: int(data.EventData), Detail: "the driver did not say of which GPU"}
	for _, d := range s.devices {
		if d.worker != nil && d.handle == data.Device {
			e.UUID, e.Detail = d.info.UUID, ""
			d.worker.stale.Store(true)
		}
	}
	s.tell(e)
}

// tell appends an event, now. s.mu is held.
func (s *Source) tell(e gpu.Event) {
	e.At = s.cfg.Now()
	if len(s.events) >= maxEvents {
		s.events = s.events[1:]
	}
	s.events = append(s.events, e)
}

// setLost and its kin turn a change into one event. s.mu is held.
func (s *Source) setLost(d *device, detail string) {
	if !d.lost {
		d.lost = true
		s.tell(gpu.Event{UUID: d.info.UUID, Kind: gpu.EventLost, Detail: detail})
	}
}

func (s *Source) setBack(d *device) {
	if d.lost {
		d.lost = false
		s.tell(gpu.Event{UUID: d.info.UUID, Kind: gpu.EventBack})
	}
}

func (s *Source) setMismatch() {
	if !s.mismatch {
		s.mismatch = true
		s.tell(gpu.Event{Kind: gpu.EventMismatch, Detail: mismatchDetail(s.lib.name)})
	}
}

func (s *Source) setMatch() {
	if s.mismatch {
		s.mismatch = false
		s.tell(gpu.Event{Kind: gpu.EventBack, Detail: "driver and library versions agree again"})
	}
}
