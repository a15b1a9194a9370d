// Package sim is a gpu.Source for machines without a GPU: devices, links and faults come from a file (FORMAT.md), the load
// from what an instance's own processes do on this machine, so that people see their own work move the chart. It imports
// package gpu and the standard library. The rule it keeps: every device it lists is marked as simulated, and its UUIDs can
// not be those of real ones.
package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// patience bounds a hung call where the caller set no deadline.
const patience = 5 * time.Second

// Config says what to simulate.
type Config struct {
	// File is a JSON file as FORMAT.md describes; "" is the built-in one: two A100-SXM4-80GB and two L4.
	File string
	// Now is the clock; the file's faults count from the moment of Open.
	Now func() time.Time
	// Load returns what the instance that has the GPU has used: CPU time since it started, memory in bytes now. ok is false
	// where no instance has it or nothing is known, and the GPU then idles. It is called during Read, must answer quickly and
	// must not call the Source. nil: every GPU idles.
	Load func(uuid string) (cpu time.Duration, memory int64, ok bool)
	// Processes returns the processes of the instance that has the GPU. nil: none are known, which is an error while Load
	// says that there is an instance.
	Processes func(uuid string) ([]gpu.Process, error)
}

// Link joins two devices.
type Link struct {
	A, B      string // UUIDs
	Kind      string // "nvlink" or "pcie"
	Bandwidth int64  // megabytes a second
}

// Source is the simulated hardware. Its methods may be called concurrently.
type Source struct {
	cfg    Config
	links  []Link
	faults []*fault
	closed chan struct{}
	calls  sync.WaitGroup

	mu       sync.Mutex // guards what follows, and closing closed
	devices  []*device
	isClosed bool
	told     time.Time // events up to then were returned
}

var _ gpu.Source = (*Source)(nil)

// Open reads the file and starts the simulation.
func Open(cfg Config) (*Source, error) {
	if cfg.Now == nil {
		return nil, errors.New("simulator: no clock given")
	}
	f, err := readFile(cfg.File)
	if err != nil {
		return nil, err
	}
	opened := cfg.Now()
	s := &Source{cfg: cfg, closed: make(chan struct{}),
		told: opened.Add(-time.Nanosecond)} // so that a fault at 0 seconds is told
	for i, d := range f.Devices {
		s.devices = append(s.devices, newDevice(d, i, f.Driver, opened))
	}
	s.join(f)
	for _, l := range f.Links {
		s.links = append(s.links, Link{uuidOf(l.A), uuidOf(l.B), l.Kind, l.Bandwidth})
	}
	for _, d := range f.Faults {
		s.faults = append(s.faults, newFault(d, opened))
	}
	return s, nil
}

// join makes the islands that the file's NVLinks make.
func (s *Source) join(f file) {
	bus, ends := map[string]string{}, map[string][]string{}
	for _, d := range f.Devices {
		bus[d.ID], ends[d.PCIBusID] = d.PCIBusID, nil
	}
	for _, l := range f.Links {
		if l.Kind == "nvlink" {
			ends[bus[l.A]] = append(ends[bus[l.A]], bus[l.B])
		}
	}
	islands := gpu.Islands(ends)
	for _, d := range s.devices {
		d.Island = islands[d.PCIBusID]
	}
}

// Links returns how the devices are joined.
func (s *Source) Links() []Link { return slices.Clone(s.links) }

// Devices lists every device of the file; a lost one stays listed.
func (s *Source) Devices(ctx context.Context) ([]gpu.Device, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	out := make([]gpu.Device, 0, len(s.devices))
	for _, d := range s.devices {
		out = append(out, d.Device)
	}
	return out, nil
}

// Read returns what every device does now. The first Read that meets a scripted hang returns at ctx's deadline, as it would
// with a driver; the others are not held up by a call that is stuck already.
func (s *Source) Read(ctx context.Context) ([]gpu.Reading, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	out, stuck := s.readAll(s.cfg.Now())
	if stuck {
		s.hang(ctx)
	}
	return out, nil
}

// Processes lists what runs on a device.
func (s *Source) Processes(ctx context.Context, uuid string) ([]gpu.Process, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	i := slices.IndexFunc(s.devices, func(d *device) bool { return d.UUID == uuid })
	if i < 0 {
		return nil, fmt.Errorf("simulator: %s: %w", uuid, gpu.ErrNoDevice)
	}
	if f := s.faultOf(i, s.cfg.Now(), faultLost, faultMismatch, faultHang); f != nil {
		return nil, fmt.Errorf("simulator: processes of %s: %s", uuid, f.kind)
	}
	if s.cfg.Processes != nil {
		return s.cfg.Processes(uuid)
	}
	if s.cfg.Load != nil {
		if _, _, ok := s.cfg.Load(uuid); ok {
			return nil, fmt.Errorf("simulator: processes of %s: not known", uuid)
		}
	}
	return nil, nil
}

// Events returns the scripted events that fell due since the last call, oldest first.
func (s *Source) Events(ctx context.Context) ([]gpu.Event, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.cfg.Now()
	var out []gpu.Event
	for _, f := range s.faults {
		uuid := ""
		if f.device >= 0 {
			uuid = s.devices[f.device].UUID
		}
		for _, e := range f.events(s.told, now) {
			e.UUID = uuid
			out = append(out, e)
		}
	}
	if now.After(s.told) {
		s.told = now
	}
	slices.SortStableFunc(out, func(a, b gpu.Event) int { return a.At.Compare(b.At) })
	return out, nil
}

// Close ends the simulation and waits for the calls in flight, which it lets go.
func (s *Source) Close() error {
	s.mu.Lock()
	if !s.isClosed {
		s.isClosed = true
		close(s.closed)
	}
	s.mu.Unlock()
	s.calls.Wait()
	return nil
}

// enter counts a call in, unless it comes too late; the caller owes a calls.Done.
func (s *Source) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed {
		return gpu.ErrClosed
	}
	s.calls.Add(1)
	return nil
}
