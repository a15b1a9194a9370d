// Package podman sets instances apart in containers of podman, which starts them from images. It may import gpu, gpu/process,
// whose shims hold the instances, the standard library and golang.org/x/sys. Its rule: the engine makes the walls and takes them
// down; what runs between them, the shim alone answers for, so that an engine that is restarted or hangs ends nothing.
package podman

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/process"
)

// Config is what the enclosure needs to know.
type Config struct {
	Socket string // of the engine's API; "": DefaultSocket
	Init   string // meterhouse-init, which is PID 1 of each container; absolute
}

// Enclosure is a process.Enclosure of containers.
type Enclosure struct {
	socket string
	init   string
}

var _ process.Enclosure = (*Enclosure)(nil)

// New needs no engine to answer: one that is started later is found then.
func New(c Config) (*Enclosure, error) {
	if c.Socket == "" {
		c.Socket = DefaultSocket
	}
	if st, err := os.Stat(c.Init); err != nil || !filepath.IsAbs(c.Init) || !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%q is no program: containers need meterhouse-init, by its absolute path", c.Init)
	}
	return &Enclosure{socket: c.Socket, init: c.Init}, nil
}

// InShim is the enclosure as a shim needs it: all that it has to know is in the plan.
func InShim() process.Enclosure { return &Enclosure{} }

// Name returns "podman".
func (e *Enclosure) Name() string { return "podman" }

// plan is what a shim needs to know to make the container.
type plan struct {
	Socket  string
	Init    string
	Image   string   // its id: a name may mean another image tomorrow
	User    string   // as the image says it
	Env     []string // of the image
	Devices []string // CDI names
	Files   []string // device files that have to be there
	Network bool     // one of its own; else none
}

// Plan finds the image and the devices.
func (e *Enclosure) Plan(ctx context.Context, s gpu.Spec) (json.RawMessage, error) {
	if os.Geteuid() != 0 {
		return nil, errors.New("containers need a console that runs as root, so that each has users of its own")
	}
	img, err := dialEngine(e.socket).image(ctx, s.Image)
	if missing(err) {
		return nil, fmt.Errorf("image %q is not on this machine: pull or build it first", s.Image)
	}
	if err != nil {
		return nil, fmt.Errorf("image %q: %w", s.Image, err)
	}
	p := plan{Socket: e.socket, Init: e.init, Image: img.ID, User: img.Config.User, Env: img.Config.Env, Network: true}
	p.Devices, p.Files, err = devicesOf(s.GPUs)
	if err != nil {
		return nil, err
	}
	return json.Marshal(p)
}

// Enclose makes and starts the container, and its network.
func (e *Enclosure) Enclose(ctx context.Context, raw json.RawMessage, o process.Order) (process.Enclosed, error) {
	var p plan
	if err := json.Unmarshal(raw, &p); err != nil {
		return process.Enclosed{}, err
	}
	name, engine := nameOf(o.Spec.ID), dialEngine(p.Socket)
	if err := makeMountpoints(p, o); err != nil {
		return process.Enclosed{}, err
	}
	if p.Network {
		if err := engine.network(ctx, name); err != nil {
			return process.Enclosed{}, fmt.Errorf("making the instance's network: %w", err)
		}
	}
	if err := engine.create(ctx, p.describe(o)); err != nil {
		return process.Enclosed{}, fmt.Errorf("making the container: %w", err)
	}
	if err := engine.start(ctx, name); err != nil {
		return process.Enclosed{}, fmt.Errorf("starting the container: %w", err)
	}
	c, err := engine.container(ctx, name)
	if err != nil {
		return process.Enclosed{}, err
	}
	if c.State.Pid == 0 {
		return process.Enclosed{}, errors.New("the container ended at once")
	}
	if p.Network { // before the init, which waits for its furnishing, starts anything
		if err := process.RefuseEgress(c.State.Pid, c.gateways()...); err != nil {
			return process.Enclosed{}, err
		}
	}
	return process.Enclosed{PID: c.State.Pid, Scratch: c.scratch(), Furnishing: p.furnish(o)}, nil
}

func (p plan) furnish(o process.Order) process.Furnishing {
	around := process.Surroundings{Home: home, Tools: filepath.Join(insideDir, toolsDir), Notice: gpu.NoticeFile, Image: p.Env}
	return process.Furnishing{ID: o.Spec.ID, Env: process.Environ(around, o.Spec), Dir: home, User: p.User, Program: p.program(o.Spec), Devices: p.Files}
}

// Residue asks the engine. One that does not answer is an error: what it holds is not known.
func (e *Enclosure) Residue(ctx context.Context, raw json.RawMessage, id string) (notes []string, err error) {
	var p plan
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, err
	}
	engine, name := dialEngine(p.Socket), nameOf(id)
	switch c, err := engine.container(ctx, name); {
	case err == nil:
		notes = append(notes, fmt.Sprintf("the container %s is still there, %s", name, c.State.Status))
	case !missing(err):
		return nil, err
	}
	switch there, err := engine.hasNetwork(ctx, name); {
	case err != nil:
		return nil, err
	case there:
		notes = append(notes, "the network "+name+" is still there")
	}
	return notes, nil
}

// Discard removes the container and its network.
func (e *Enclosure) Discard(ctx context.Context, raw json.RawMessage, id string) error {
	var p plan
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	engine, name := dialEngine(p.Socket), nameOf(id)
	if err := engine.remove(ctx, name); err != nil {
		return fmt.Errorf("removing the container %s: %w", name, err)
	}
	if err := engine.removeNetwork(ctx, name); err != nil {
		return fmt.Errorf("removing the network %s: %w", name, err)
	}
	return nil
}

// Limits says what containers can enforce here.
func (e *Enclosure) Limits(ctx context.Context) []gpu.Limit {
	i, err := dialEngine(e.socket).info(ctx)
	if err != nil {
		return []gpu.Limit{{Name: "images", Detail: err.Error()}}
	}
	if i.Host.Security.Rootless {
		return []gpu.Limit{{Name: "images", Detail: "the engine runs without root: start it as root, so that each instance has users of its own"}}
	}
	return []gpu.Limit{{Name: "images", Enforced: true, Detail: fmt.Sprintf("containers of podman %s with %s", i.Version.Version, i.Host.OCIRuntime.Name)}}
}
