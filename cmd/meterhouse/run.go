package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/bench"
	"github.com/meterhouse/meterhouse/gpu/fleet"
	"github.com/meterhouse/meterhouse/gpu/nvidia"
	"github.com/meterhouse/meterhouse/gpu/process"
	"github.com/meterhouse/meterhouse/gpu/sim"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/mail"
)

// program is a console: build makes it, run works until its context ends, close puts it away. main and the end-to-end
// tests use the same one.
type program struct {
	options options
	log     *slog.Logger
	clock   *clock
	store   *store.Store
	source  gpu.Source // nil: no GPUs
	fleet   *fleet.Fleet
	web     *web.Server
	closers []func() error // undone in reverse
}

// build opens everything that can fail, in an order that changes nothing before the next check has passed.
func build(ctx context.Context, o options, log *slog.Logger) (p *program, err error) {
	if o.data, err = filepath.Abs(o.data); err != nil {
		return nil, fmt.Errorf("--data: %w", err)
	}
	p = &program{options: o, log: log}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
			p = nil
		}
	}()
	for _, step := range []func(context.Context) error{p.openData, p.openStore, p.openSource, p.openFleet, p.openWeb} {
		if err := step(ctx); err != nil {
			return p, err
		}
	}
	return p, nil
}

// openData takes the data directory for this console alone.
func (p *program) openData(context.Context) error {
	if err := prepareData(p.options.data); err != nil {
		return err
	}
	release, err := store.LockServe(p.options.data)
	if err != nil {
		return err
	}
	p.closers = append(p.closers, func() error { release(); return nil })
	ahead, err := loadClock(p.options.data)
	if err != nil {
		return err
	}
	p.clock = systemClock(ahead, p.log)
	return nil
}

func (p *program) openStore(ctx context.Context) error {
	s, err := store.Open(ctx, store.Config{Path: p.options.data, Now: p.clock.Now})
	if err != nil {
		return err
	}
	p.store = s
	p.closers = append(p.closers, s.Close)
	return p.setClock(ctx)
}

// setClock makes the clock go on where the last console's ended; where nothing is being billed it takes the wall's time.
func (p *program) setClock(ctx context.Context) error {
	floor, err := newestTime(ctx, p.store)
	if err != nil {
		return err
	}
	live, _, err := p.store.Instances(ctx, store.Filter{Live: true, Limit: 1})
	if err != nil {
		return err
	}
	if len(live) == 0 {
		p.clock.follow()
	}
	p.clock.raise(floor)
	return saveClock(p.options.data, p.clock.difference())
}

// newestTime is the newest moment that the database knows of: nodes are seen every 10 s while a console runs, and what
// was booked or done must never lie in the future.
func newestTime(ctx context.Context, s *store.Store) (newest time.Time, err error) {
	nodes, err := s.Nodes(ctx)
	if err != nil {
		return newest, err
	}
	for _, n := range nodes {
		newest = later(newest, n.SeenAt)
	}
	entries, _, err := s.Entries(ctx, store.EntryFilter{Limit: 1}) // newest first
	if err != nil {
		return newest, err
	}
	for _, e := range entries {
		newest = later(newest, e.At)
	}
	records, _, err := s.AuditLog(ctx, 1, "")
	if err != nil {
		return newest, err
	}
	for _, r := range records {
		newest = later(newest, r.At)
	}
	return newest, nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// openSource finds the GPUs: as a file says, real ones, simulated ones, or none.
func (p *program) openSource(context.Context) error {
	if p.options.sim == "" {
		real, err := nvidia.Open(nvidia.Config{Now: p.clock.Now})
		switch {
		case err == nil:
			p.useSource(real)
			return nil
		case !errors.Is(err, nvidia.ErrNoDriver):
			return err
		case !p.options.demo:
			p.log.Warn(hint(err))
			return nil
		}
	}
	simulated, err := sim.Open(sim.Config{File: p.options.sim, Now: p.clock.Now, Load: p.load})
	if err != nil {
		return fmt.Errorf("--sim: %w", err)
	}
	p.useSource(simulated)
	return nil
}

func (p *program) useSource(s gpu.Source) {
	p.source = s
	p.closers = append(p.closers, s.Close)
}

// load is what an instance's processes really do; the simulator asks only while the fleet reads it.
func (p *program) load(uuid string) (cpu time.Duration, memory int64, ok bool) {
	return p.fleet.Load(uuid)
}

func (p *program) openFleet(context.Context) error {
	binary, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program's own file: %w", err)
	}
	executor, err := process.New(process.Config{Dir: p.options.data, Binary: binary, Now: p.clock.Now})
	if err != nil {
		return err
	}
	node, err := os.Hostname()
	if err != nil || node == "" {
		node = "local"
	}
	p.fleet, err = fleet.New(fleet.Config{Store: p.store, Source: p.source, Executor: executor, Node: node, Now: p.clock.Now,
		Log: p.log, BenchBinary: binary})
	return err
}

func (p *program) openWeb(context.Context) error {
	o := p.options
	var err error
	p.web, err = web.New(web.Config{Store: p.store, Fleet: p.fleet, Now: p.clock.Now, Log: p.log, Listen: o.listen, BaseURL: o.url,
		TLSCert: o.tlsCert, TLSKey: o.tlsKey, Mail: mail.Config{URL: o.smtp, From: o.mailFrom}, BenchArgv: p.benchArgv, Version: version})
	if err != nil {
		return err
	}
	if err := p.web.Listen(); err != nil {
		if errors.Is(err, syscall.EADDRINUSE) {
			return fmt.Errorf("%s is in use by another program: end that, or choose another port with --listen", o.listen)
		}
		return err
	}
	return nil
}

// benchArgv is the command line of a benchmark: this binary's hidden verb.
func (p *program) benchArgv(b web.Bench) []string {
	r := bench.Request{Suite: bench.Suite(b.Suite), Backend: bench.Backend(b.Backend), Size: int(b.Size), Seed: b.Seed, Seconds: int(b.Seconds)}
	return append([]string{p.fleet.BenchBinary(), "gpubench"}, r.Argv()...)
}

// run works until ctx ends. What people must know is printed to out once the console can be reached.
func (p *program) run(ctx context.Context, out io.Writer) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return p.clock.watch(ctx, p.options.data) })
	group.Go(func() error { return p.fleet.Run(ctx) })
	group.Go(func() error { return p.web.Run(ctx) })
	group.Go(func() error { return p.greet(ctx, out) })
	return group.Wait()
}

// close puts everything away, last opened first. It may be called again.
func (p *program) close() error {
	var errs []error
	for len(p.closers) > 0 {
		last := len(p.closers) - 1
		errs = append(errs, p.closers[last]())
		p.closers = p.closers[:last]
	}
	return errors.Join(errs...)
}
