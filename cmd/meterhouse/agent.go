package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/link"
	"github.com/meterhouse/meterhouse/gpu/nvidia"
	"github.com/meterhouse/meterhouse/gpu/podman"
	"github.com/meterhouse/meterhouse/gpu/process"
	"github.com/meterhouse/meterhouse/gpu/sim"
)

const defaultAgentData = "./agent"

// agentOptions is what agent is told.
type agentOptions struct{ console, join, data, name, sim, engine, logLevel string }

// agent makes this machine a node of a console elsewhere, until it is told to end. Instances go on.
func agent(ctx context.Context, c *call) error {
	var o agentOptions
	f := c.flags()
	f.StringVar(&o.console, "console", "", "address of the console, https://HOST[:PORT]")
	f.StringVar(&o.join, "join", "", "join token, the first time; `meterhouse admin node join` prints one")
	f.StringVar(&o.data, "data", defaultAgentData, "data directory of this machine: its key and its instances")
	f.StringVar(&o.name, "name", "", "what this machine calls itself; its host name if empty")
	f.StringVar(&o.sim, "sim", "", "simulated GPUs as this file says, instead of real ones")
	f.StringVar(&o.engine, "engine", podman.DefaultSocket, "socket of podman's service, which starts instances from images; none: no images")
	f.StringVar(&o.logLevel, "log-level", "info", "debug, info, warn or error")
	if _, err := f.parseArgs(0); err != nil {
		return err
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(strings.ToUpper(o.logLevel))); err != nil {
		return misuse("--log-level %q is none of debug, info, warn, error", o.logLevel)
	}
	a := &link.Agent{Build: version, Now: time.Now, Log: slog.New(slog.NewTextHandler(c.err, &slog.HandlerOptions{Level: level}))}
	closeSource, err := o.open(a)
	if err != nil {
		return err
	}
	err = a.Run(ctx)
	return errors.Join(err, closeSource())
}

// open makes an agent ready: its identity, what runs instances and what reads GPUs here.
func (o agentOptions) open(a *link.Agent) (closeSource func() error, err error) {
	console, err := link.ParseConsole(o.console)
	if err != nil {
		return nil, misuse("--console: %v", err)
	}
	if o.data, err = filepath.Abs(o.data); err != nil {
		return nil, err
	}
	id, err := link.OpenIdentity(o.data)
	if err != nil {
		return nil, err
	}
	if err := id.Meet(a, console, o.join); errors.Is(err, link.ErrNotJoined) {
		return nil, misuse("%v: give one with --join or METERHOUSE_JOIN", err)
	}
	if a.Name = o.name; a.Name == "" {
		if a.Name, err = os.Hostname(); err != nil {
			return nil, fmt.Errorf("--name is needed: %w", err)
		}
	}
	binary, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program's own file: %w", err)
	}
	images, _, err := openEngine(o.engine, binary)
	if err != nil {
		return nil, err
	}
	if a.Executor, err = process.New(process.Config{Dir: o.data, Binary: binary, Images: images}); err != nil {
		return nil, err
	}
	a.Source, err = openAgentSource(o.sim)
	if err != nil || a.Source == nil {
		return func() error { return nil }, err
	}
	return a.Source.Close, nil
}

// openAgentSource finds the GPUs: as a file says, real ones, or none.
func openAgentSource(file string) (gpu.Source, error) {
	if file != "" {
		s, err := sim.Open(sim.Config{File: file, Now: time.Now})
		if err != nil {
			return nil, fmt.Errorf("--sim: %w", err)
		}
		return s, nil
	}
	s, err := nvidia.Open(nvidia.Config{Now: time.Now})
	if errors.Is(err, nvidia.ErrNoDriver) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}
