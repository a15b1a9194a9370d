package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/fleet"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web"
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
	binary  string // this program's own file
	nodes   nodes
	closers []func() error // undone in reverse
}

// build opens everything that can fail, before anything runs.
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
	for _, step := range []func(context.Context) error{p.tryReach, p.openData, p.openStore, p.openSource, p.openFleet, p.openNodes, p.openWeb} {
		if err := step(ctx); err != nil {
			return p, err
		}
	}
	return p, nil
}

// run works until ctx ends. What people must know is printed to out once the console can be reached.
func (p *program) run(ctx context.Context, out io.Writer) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return p.clock.watch(ctx, p.options.data) })
	group.Go(func() error { return p.fleet.Run(ctx) })
	group.Go(func() error { return p.watchNodes(ctx) })
	group.Go(func() error { return p.web.Run(ctx) })
	p.greet(ctx, out)
	if err := group.Wait(); err != nil {
		return err
	}
	return p.farewell(context.WithoutCancel(ctx), out)
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
