package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// childGroup puts children into the instance's cgroup from their first moment, so that none is ever outside. In version 2
// the kernel does it at clone. In version 1 the starting thread (threads may move alone there) goes in, starts the child,
// and comes out again: it must not stay, or it would freeze with the others.
type childGroup struct {
	v2  *os.File
	in  []*os.File
	out []*os.File
}

func openGroup(p cgroupPlan, name string) (*childGroup, error) {
	g := &childGroup{}
	if p.V2 {
		dir := p.any(name)
		if dir == "" {
			return g, nil
		}
		f, err := os.Open(dir)
		g.v2 = f
		return g, err
	}
	for _, way := range []struct {
		name  string
		files *[]*os.File
	}{{name, &g.in}, {shimGroup, &g.out}} {
		for _, d := range p.dirs(way.name) {
			f, err := os.OpenFile(filepath.Join(d, "tasks"), os.O_WRONLY, 0)
			if err != nil {
				return nil, errors.Join(err, closeAll(g.in), closeAll(g.out))
			}
			*way.files = append(*way.files, f)
		}
	}
	return g, nil
}

func (g *childGroup) enter(attr *syscall.SysProcAttr) error {
	if g.v2 != nil {
		attr.UseCgroupFD, attr.CgroupFD = true, int(g.v2.Fd())
	}
	for _, f := range g.in {
		if err := moveThread(f); err != nil {
			return errors.Join(fmt.Errorf("entering the instance's cgroup: %w", err), g.leave())
		}
	}
	return nil
}

func (g *childGroup) leave() error {
	var errs []error
	for _, f := range g.out {
		errs = append(errs, moveThread(f))
	}
	return errors.Join(errs...)
}

// moveThread moves the calling thread; 0 stands for the writer (cgroups.rst).
func moveThread(f *os.File) error {
	_, err := syscall.Write(int(f.Fd()), []byte("0"))
	return err
}
