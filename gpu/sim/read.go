package sim

import (
	"context"
	"slices"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// readAll reads every device at one moment. stuck reports that this call met a hang in which no other call is stuck yet.
func (s *Source) readAll(now time.Time) (out []gpu.Reading, stuck bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out = make([]gpu.Reading, len(s.devices))
	for i, d := range s.devices {
		out[i] = gpu.Reading{UUID: d.UUID, At: now}
		if f := s.faultOf(i, now, faultLost, faultHang); f != nil {
			fillUnknown(&out[i], gpu.Lost)
			d.lost = f.kind == faultLost
			if f.kind == faultHang && !f.stuck {
				f.stuck, stuck = true, true
			}
			continue
		}
		if d.lost {
			d.restart(now)
		}
		if s.faultOf(i, now, faultMismatch) != nil {
			fillUnknown(&out[i], gpu.Mismatch)
			continue
		}
		s.sample(d, now)
		out[i].Values = d.values()
		s.spoil(&out[i], i, now)
	}
	return out, stuck
}

func (s *Source) sample(d *device, now time.Time) {
	if s.cfg.Load == nil {
		d.sample(now, 0, 0, false)
		return
	}
	cpu, memory, ok := s.cfg.Load(d.UUID)
	d.sample(now, cpu, memory, ok)
}

// spoil lets the faults that concern single values have their way.
func (s *Source) spoil(r *gpu.Reading, device int, now time.Time) {
	for _, f := range s.faults {
		if !f.holds(device, now) {
			continue
		}
		switch f.kind {
		case faultNotSupported:
			for _, m := range f.metrics {
				r.Values[m] = gpu.Unknown(gpu.NotSupported)
			}
		case faultNonsense:
			r.Values[gpu.Power] = s.devices[device].Plausible(gpu.Power, nonsensePower)
		}
	}
}

// faultOf returns the fault of one of the kinds that shows on a device at that moment, or nil.
func (s *Source) faultOf(device int, at time.Time, kinds ...string) *fault {
	for _, f := range s.faults {
		if slices.Contains(kinds, f.kind) && f.holds(device, at) {
			return f
		}
	}
	return nil
}

// hang waits as a call that the driver does not answer would: until the caller's deadline.
func (s *Source) hang(ctx context.Context) {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-ctx.Done():
	case <-limit.C:
	case <-s.closed:
	}
}

func fillUnknown(r *gpu.Reading, why gpu.Why) {
	for m := range r.Values {
		r.Values[m] = gpu.Unknown(why)
	}
}
