package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/bench"
	"github.com/meterhouse/meterhouse/gpu/fleet"
	"github.com/meterhouse/meterhouse/gpu/nvidia"
	"github.com/meterhouse/meterhouse/gpu/process"
	"github.com/meterhouse/meterhouse/gpu/sim"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/gateway"
	"github.com/meterhouse/meterhouse/web/mail"
)

// tryReach finds out what keeps people from reaching the console before a data directory is made for it.
func (p *program) tryReach(context.Context) error {
	o := p.options
	if o.tlsCert != "" {
		if _, err := tls.LoadX509KeyPair(o.tlsCert, o.tlsKey); err != nil {
			return fmt.Errorf("--tls-cert and --tls-key: %w", err)
		}
	}
	if err := tryListen(o.listen, "--listen"); err != nil || o.sshListen == "" {
		return err
	}
	return tryListen(o.sshListen, "--ssh-listen")
}

func tryListen(address, flag string) error {
	listener, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%s is in use by another program, perhaps another console: end that, or choose another port with %s", address, flag)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("%s may not be listened on by this user: choose a port from 1024 up with %s, or run as root", address, flag)
	case err != nil:
		return err
	}
	return listener.Close()
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

func (p *program) openFleet(ctx context.Context) error {
	binary, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program's own file: %w", err)
	}
	// The executor keeps the machine's own clock: its shims outlive this console and know no other. The fleet moves what
	// they say into what the billing clock allows.
	enclosure, images, err := openEngine(p.options.engine, binary)
	if err != nil {
		return err
	}
	executor, err := process.New(process.Config{Dir: p.options.data, Binary: binary, Images: enclosure})
	if err != nil {
		return err
	}
	node, err := p.nodeName(ctx)
	if err != nil {
		return err
	}
	p.fleet, err = fleet.New(fleet.Config{Store: p.store, Source: p.source, Executor: executor, Images: images, Node: node, Now: p.clock.Now, Log: p.log,
		Volumes: filepath.Join(p.options.data, "volumes")})
	p.binary = binary
	return err
}

// nodeName is what this machine was called when it first was a node: a new host name must not leave its instances behind.
func (p *program) nodeName(ctx context.Context) (string, error) {
	nodes, err := p.store.Nodes(ctx)
	if err != nil {
		return "", err
	}
	for _, n := range nodes {
		if n.Local {
			return n.Name, nil
		}
	}
	if name, err := os.Hostname(); err == nil && name != "" {
		return name, nil
	}
	return "local", nil
}

func (p *program) openWeb(context.Context) error {
	o := p.options
	var key ssh.Signer
	var err error
	if o.sshListen != "" {
		if key, err = gateway.HostKey(o.data); err != nil {
			return err
		}
	}
	p.web, err = web.New(web.Config{Store: p.store, Fleet: p.fleet, Now: p.clock.Now, Log: p.log, Listen: o.listen, BaseURL: o.publicURL, AppsURL: o.appsURL,
		TLSCert: o.tlsCert, TLSKey: o.tlsKey, Mail: mail.Config{URL: o.smtp, From: o.mailFrom}, BenchArgv: p.benchArgv, Link: p.console(), Version: version,
		SSHListen: o.sshListen, SSHKey: key})
	if err != nil {
		return err
	}
	return p.web.Listen()
}

// benchCommand is what runs a benchmark: the gpubench beside this binary, which has vector kernels where this machine's
// processor and the release of Go allow them, else this binary's own hidden verb. It is looked for at each run, because
// `make run` builds it while the console serves.
func benchCommand(binary string) []string {
	beside := filepath.Join(filepath.Dir(binary), "gpubench")
	if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
		return []string{beside}
	}
	return []string{binary, "gpubench"}
}

// benchArgv is the command line of a benchmark run.
func (p *program) benchArgv(b web.Bench) []string {
	r := bench.Request{Suite: bench.Suite(b.Suite), Backend: bench.Backend(b.Backend), Size: int(b.Size), Seed: b.Seed, Seconds: int(b.Seconds)}
	return slices.Concat(benchCommand(p.binary), r.Argv())
}
