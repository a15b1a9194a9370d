package nvidia

import (
	"context"
	"fmt"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/meterhouse/meterhouse/gpu"
)

// flight is one reading of a device under way. Calls of Read that come meanwhile share it.
type flight struct {
	device *device
	worker *worker
	done   chan struct{} // closed when reading is set
	// reading is what came back.
	reading gpu.Reading
	late    bool // a Read has waited for it in vain: no other waits, the next gets it when it is there. Source.mu guards it
}

func (f *flight) landed() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

// Read reads every listed device at the same time and returns by ctx's deadline, or after Patience. A device whose call
// takes longer is unknown in this round; if it answers before the next, that one has the reading with its true time.
func (s *Source) Read(ctx context.Context) ([]gpu.Reading, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	waits, cancel := context.WithTimeout(ctx, s.cfg.Patience)
	defer cancel()
	out, flights, err := s.takeOff()
	if err != nil {
		return nil, err
	}
	for i, f := range flights {
		if f != nil && s.await(waits, f) {
			out[i] = f.reading
		}
	}
	return out, nil
}

// takeOff starts a reading of every device that can be asked. What it returns in out is right for those that have no
// flight, or whose flight is not back in time.
func (s *Source) takeOff() (out []gpu.Reading, flights []*flight, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.listed {
		return nil, nil, fmt.Errorf("NVIDIA: reading: %w", s.absent)
	}
	now := s.cfg.Now()
	for _, d := range s.devices {
		s.noticeHang(d)
		r := gpu.Reading{UUID: d.info.UUID, At: now}
		fillUnknown(&r, s.whyNot(d))
		out, flights = append(out, r), append(flights, s.flightOf(d))
	}
	return out, flights, nil
}

// flightOf returns the flight to wait for: the one under way, the late one that has landed, or a new one; nil if the device
// can not be asked now. s.mu is held.
func (s *Source) flightOf(d *device) *flight {
	if d.worker == nil {
		return nil
	}
	if f := d.flight; f != nil && f.worker == d.worker {
		switch landed := f.landed(); {
		case landed && f.late:
			d.flight = nil
			return f
		case !landed && f.late:
			return nil
		case !landed:
			return f
		}
	}
	f := &flight{device: d, worker: d.worker, done: make(chan struct{})}
	job := func() {
		r, ret := f.worker.read()
		f.reading = r
		s.landed(f, ret)
		close(f.done)
	}
	if !d.worker.offer(job) {
		return nil
	}
	d.flight = f
	return f
}

// await reports whether the flight is back before ctx, the session or the Source ends.
func (s *Source) await(ctx context.Context, f *flight) bool {
	select {
	case <-f.done:
	case <-f.worker.ended:
	case <-s.quit:
	case <-ctx.Done():
	}
	if f.landed() {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f.late = true
	return false
}

// landed takes note of how a reading ended. It runs in the worker's goroutine.
func (s *Source) landed(f *flight, ret nvml.Return) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := f.device
	if d.worker != f.worker {
		return // of a session that has ended
	}
	switch ret {
	case nvml.SUCCESS:
		numa := d.info.NUMA
		d.info, d.links = f.worker.info, f.worker.links
		d.info.NUMA = numa
		s.setBack(d)
	case nvml.ERROR_LIB_RM_VERSION_MISMATCH:
		s.setMismatch()
		s.renewSoon()
	default:
		s.setLost(d, answer(ret))
		s.renewSoon()
	}
}

// whyNot is the reason for a device's values if it is not read now. s.mu is held.
func (s *Source) whyNot(d *device) gpu.Why {
	switch {
	case s.absent != nil && s.why != gpu.NotRead:
		return s.why
	case d.lost:
		return gpu.Lost
	}
	return gpu.NotRead
}

// noticeHang marks a device as lost whose call has outlasted Patience. s.mu is held.
func (s *Source) noticeHang(d *device) {
	if d.worker == nil {
		return
	}
	if d.worker.stuckFor(s.cfg.Now()) >= s.cfg.Patience {
		s.setLost(d, "a call to the driver does not return")
	}
}
