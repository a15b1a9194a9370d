// Package nvidia is the gpu.Source that reads NVIDIA's devices through NVML, the driver's own library. It imports package
// gpu, go-nvml and the standard library. The rules it keeps:
//
//   - no symbol is called that the library does not have, nothing is called before a successful Init: either ends the process;
//   - one goroutine owns all calls of a device, so that never more than one call is stuck in it, and the others go on;
//   - what the driver does not tell is Unknown with its reason, and what no device can do is Invalid;
//   - after a lost device, a reset or a mismatch of versions it starts NVML anew, with growing waits, while the console runs.
//
// What it can not do: once a library is loaded, the linker keeps it until the process ends. Where the library's file was
// replaced and the kernel's driver reloaded meanwhile, the event says that the console must be restarted; instances go on.
package nvidia

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/meterhouse/meterhouse/gpu"
)

var (
	// ErrNoDriver: there is no NVIDIA driver to talk to; a console goes on without.
	ErrNoDriver = errors.New("no NVIDIA driver on this machine")
	// ErrMismatch: the kernel's driver and the library are of different versions.
	ErrMismatch = errors.New("NVIDIA driver and library versions differ")
	// ErrStuck: a call has not come back from the driver, so NVML could not be shut down.
	ErrStuck = errors.New("a call to the NVIDIA driver does not return")
)

const (
	defaultPatience = 3 * time.Second
	defaultRetry    = time.Second
	longestRetry    = 5 * time.Minute
)

// Config says which library to use, and how patiently.
type Config struct {
	// Library is a path or a name for the linker; "" is libnvidia-ml.so.1.
	Library string
	// Now is the clock of readings and events.
	Now func() time.Time
	// Patience is how long one call may take before its device counts as lost, and the longest that Open, Close or a Read
	// without a deadline wait for the driver; 0: 3 s.
	Patience time.Duration
	// Retry is the wait before NVML is started anew; it doubles up to 5 minutes while that does not help. 0: 1 s.
	Retry time.Duration
	// PCI is the directory in which the kernel shows PCI devices; "": /sys/bus/pci/devices.
	PCI string
}

// Source is the machine's NVIDIA devices. Its methods may be called concurrently. NVML belongs to the process: open one
// Source at a time.
type Source struct {
	cfg   Config
	lib   *library
	quit  chan struct{} // closed by Close
	ready chan struct{} // closed when NVML was started, or failed to, for the first time
	kick  chan struct{} // holds an entry when something calls for starting NVML anew
	kept  chan struct{} // closed when the keeper has ended
	calls sync.WaitGroup
	once  sync.Once

	mu       sync.Mutex // guards what follows
	closed   bool
	closeErr error
	devices  []*device   // every device ever seen, in the driver's order
	listed   bool        // the devices were listed at least once
	absent   error       // why there is no session; nil while there is one
	why      gpu.Why     // absent, as a value's reason
	mismatch bool        // the versions differ, and an event said so
	workers  []*worker   // of the session, once it has been waited for
	unnamed  int         // devices that did not even tell their UUID
	events   []gpu.Event // not fetched yet
}

// device is what is known of one physical GPU, from one session to the next.
type device struct {
	info   gpu.Device
	links  []string    // PCI bus ids of what its NVLinks end at
	worker *worker     // nil: not there in this session
	handle nvml.Device // how this session's events name it
	flight *flight     // the reading under way, nil if none
	lost   bool
}

var _ gpu.Source = (*Source)(nil)

// Open loads the library and starts NVML. ErrNoDriver means that there is nothing to read on this machine. A driver that
// is there but fails or hangs is no error: the Source keeps trying, and Devices says why it has none.
func Open(cfg Config) (*Source, error) {
	if cfg.Now == nil {
		return nil, errors.New("NVIDIA: no clock given")
	}
	if cfg.Patience <= 0 {
		cfg.Patience = defaultPatience
	}
	if cfg.Retry <= 0 {
		cfg.Retry = defaultRetry
	}
	if cfg.PCI == "" {
		cfg.PCI = pciDevices
	}
	lib, err := load(cfg.Library)
	if err != nil {
		return nil, err
	}
	s := &Source{cfg: cfg, lib: lib, absent: errors.New("NVML has not started yet"), quit: make(chan struct{}),
		ready: make(chan struct{}), kick: make(chan struct{}, 1), kept: make(chan struct{})}
	go s.keep()
	limit := time.NewTimer(cfg.Patience)
	defer limit.Stop()
	select {
	case <-s.ready:
	case <-limit.C:
		return s, nil
	}
	s.mu.Lock()
	err = s.absent
	s.mu.Unlock()
	if errors.Is(err, ErrNoDriver) {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Devices lists every device seen since Open, lost ones too, in the driver's order. It never waits for hardware. Where NVML
// never started, the error says why.
func (s *Source) Devices(ctx context.Context) ([]gpu.Device, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.listed {
		return nil, fmt.Errorf("NVIDIA: devices: %w", s.absent)
	}
	out := make([]gpu.Device, 0, len(s.devices))
	links := make(map[string][]string, len(s.devices))
	for _, d := range s.devices {
		out = append(out, d.info)
		links[d.info.PCIBusID] = d.links
	}
	joined(out, links)
	return out, nil
}

// Events returns what happened since the last call, oldest first.
func (s *Source) Events(ctx context.Context) ([]gpu.Event, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.devices {
		s.noticeHang(d)
	}
	out := s.events
	s.events = nil
	return out, nil
}

// Close lets the calls in flight end, up to Patience, and shuts NVML down. ErrStuck means that a call did not end; its
// goroutine ends when the call does.
func (s *Source) Close() error {
	s.once.Do(func() {
		s.mu.Lock()
		s.closed = true
		s.mu.Unlock()
		close(s.quit)
		s.calls.Wait()
		limit := time.NewTimer(3 * s.cfg.Patience) // the keeper itself waits for Patience, for events and for devices
		defer limit.Stop()
		select {
		case <-s.kept:
		case <-limit.C:
			s.setCloseErr(ErrStuck)
		}
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closeErr
}

func (s *Source) setCloseErr(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closeErr = err
}

// enter counts a call in, unless it comes too late; the caller owes a calls.Done.
func (s *Source) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return gpu.ErrClosed
	}
	s.calls.Add(1)
	return nil
}

// find returns the device of that UUID, or nil. s.mu is held.
func (s *Source) find(uuid string) *device {
	i := slices.IndexFunc(s.devices, func(d *device) bool { return d.info.UUID == uuid })
	if i < 0 {
		return nil
	}
	return s.devices[i]
}
