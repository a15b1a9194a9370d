package nvidia

import (
	"fmt"
	"slices"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/meterhouse/meterhouse/gpu"
)

const (
	// longestPark is how long a new session may hold up the devices that are well.
	longestPark = 500 * time.Millisecond
	// steady is how long a session must have gone well for the waits to begin anew: a device that comes and goes shall not
	// have the others interrupted every second.
	steady = time.Minute
)

// keep owns NVML's sessions from Open to Close. It starts a new one when a device was lost or versions differed, and waits
// longer each time while that does not help.
func (s *Source) keep() {
	defer close(s.kept)
	current := s.start()
	close(s.ready)
	wait, renewed := s.cfg.Retry, s.cfg.Now()
	for {
		select {
		case <-s.quit:
			s.finish(current)
			return
		case <-s.kick:
		}
		if s.cfg.Now().Sub(renewed) > wait+steady {
			wait = s.cfg.Retry
		}
		timer := time.NewTimer(wait)
		select {
		case <-s.quit:
			timer.Stop()
			s.finish(current)
			return
		case <-timer.C:
		}
		if s.healthy() { // it came back by itself
			continue
		}
		current = s.renew(current)
		wait, renewed = min(2*wait, longestRetry), s.cfg.Now()
		if !s.healthy() {
			s.renewSoon()
		}
	}
}

// renewSoon calls for a new session; many calls are one.
func (s *Source) renewSoon() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// healthy reports whether a new session could not do better than this one.
func (s *Source) healthy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.absent == nil && !s.mismatch && s.unnamed == 0 &&
		!slices.ContainsFunc(s.devices, func(d *device) bool { return d.lost })
}

// renew ends the session and starts another. While a call hangs, the session goes on: NVML can not be shut down under it.
func (s *Source) renew(current *session) *session {
	if current != nil {
		if current.isStuck(s.cfg.Now(), longestPark) || !current.end(longestPark) {
			return current
		}
		s.mu.Lock()
		s.workers = nil
		for _, d := range s.devices {
			d.worker, d.handle, d.flight = nil, nil, nil
		}
		s.mu.Unlock()
	}
	return s.start()
}

// start begins a session and waits, up to Patience, for its devices to say who they are.
func (s *Source) start() *session {
	next, ret := beginSession(s.lib, s.cfg.Now, s.sawXid)
	if ret != nvml.SUCCESS {
		s.noSession(ret)
		s.renewSoon()
		return nil
	}
	known := make(chan struct{}, len(next.workers))
	for _, w := range next.workers {
		w.offer(func() {
			ret := w.identify(next.driver)
			if ret == nvml.SUCCESS {
				next.register(w)
			}
			s.adopt(w, ret)
			known <- struct{}{}
		})
	}
	timer := time.NewTimer(s.cfg.Patience)
	defer timer.Stop()
wait:
	for range next.workers {
		select {
		case <-known:
		case <-timer.C: // one hangs; it is adopted when it answers
			break wait
		case <-s.quit:
			break wait
		}
	}
	s.settle(next.workers)
	next.startWatching()
	return next
}

// noSession notes why NVML did not start.
func (s *Source) noSession(ret nvml.Return) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.why = whyOf(ret)
	switch ret {
	case nvml.ERROR_DRIVER_NOT_LOADED, nvml.ERROR_LIBRARY_NOT_FOUND:
		s.absent = fmt.Errorf("%w: %s", ErrNoDriver, answer(ret))
	case nvml.ERROR_LIB_RM_VERSION_MISMATCH:
		s.absent = fmt.Errorf("%w: %s", ErrMismatch, mismatchDetail(s.lib.name))
		s.setMismatch()
		return
	default:
		s.absent = fmt.Errorf("NVML does not start: %s", answer(ret))
	}
	for _, d := range s.devices {
		s.setLost(d, answer(ret))
	}
}

// adopt joins a worker to its device, known of old or new. It runs in the worker's goroutine.
func (s *Source) adopt(w *worker, ret nvml.Return) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ret != nvml.SUCCESS {
		return
	}
	d := s.find(w.info.UUID)
	if d == nil {
		d = &device{}
		s.devices = append(s.devices, d)
	}
	d.info, d.links, d.worker, d.handle, d.flight = w.info, w.links, w, w.handle, nil
	d.info.NUMA = numaOf(s.cfg.PCI, d.info.PCIBusID)
	w.adopted = true
	slices.SortStableFunc(s.devices, func(a, b *device) int { return a.info.Index - b.info.Index })
	s.setBack(d)
	s.recount()
}

// settle takes stock after a session's start: what was known and is not there, and what did not say who it is.
func (s *Source) settle(workers []*worker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.absent, s.listed, s.workers = nil, true, workers
	s.setMatch()
	for _, d := range s.devices {
		if d.worker == nil {
			s.setLost(d, "it is not there any more")
			s.renewSoon()
		}
	}
	before := s.unnamed
	s.recount()
	if s.unnamed > before {
		s.tell(gpu.Event{Kind: gpu.EventLost, Detail: fmt.Sprintf("%d of %d GPUs did not say which they are", s.unnamed, len(workers))})
	}
	if s.unnamed > 0 {
		s.renewSoon()
	}
}

// recount counts the devices that did not say who they are, beyond those that are known and missing. s.mu is held.
func (s *Source) recount() {
	nameless := 0
	for _, w := range s.workers {
		if !w.adopted {
			nameless++
		}
	}
	for _, d := range s.devices {
		if d.worker == nil {
			nameless--
		}
	}
	s.unnamed = max(0, nameless)
}

// finish ends the last session, as far as the driver lets it.
func (s *Source) finish(current *session) {
	if current != nil && !current.end(s.cfg.Patience) {
		current.dismiss()
		if current.watcher != nil {
			current.watcher.stop(s.cfg.Patience)
		}
		s.setCloseErr(ErrStuck)
	}
}
