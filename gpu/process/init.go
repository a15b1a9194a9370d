package process

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// nursery is the init of an instance: PID 1 of its namespaces, or a sub-reaper where there are none. It starts what the shim
// orders, reaps everything, and takes all of it along when it ends. It is not in the instance's cgroup itself.
type nursery struct {
	link     *initLink
	env      []string
	dir      string
	program  string              // where Argv[0] is found
	user     *syscall.Credential // nil: the init's own
	alone    bool                // no namespace ends with it
	group    *childGroup         // where children are put; empty where the init is in there itself
	children map[int]int         // PID to the order's id
	pids     map[int]int         // and back
}

// runInit is the init stage; the working directory is the instance's, file 3 the link.
func runInit() error {
	// One thread starts every child: what it has given up, they have given up, and it must not end before them (PDEATHSIG).
	runtime.LockOSThread()
	link, err := newLink(os.NewFile(3, "link"))
	if err != nil {
		return err
	}
	n := &nursery{link: link, children: map[int]int{}, pids: map[int]int{}}
	return n.live(n.prepare())
}

// live says that the init is ready, or why not, and works until the link ends.
func (n *nursery) live(err error) error {
	if err != nil {
		return errors.Join(err, n.link.send(news{Op: "ready", Error: err.Error()}))
	}
	// Handlers, even for what is then dropped: a child gets the default back, while what is ignored would stay ignored in it.
	caught := make(chan os.Signal, 64)
	signal.Notify(caught, unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGPIPE, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU, unix.SIGUSR1, unix.SIGUSR2)
	born := make(chan os.Signal, 1)
	signal.Notify(born, unix.SIGCHLD)
	if err := n.link.send(news{Op: "ready"}); err != nil {
		return err
	}
	return n.run(caught, born)
}

func (n *nursery) prepare() error {
	var rec record
	if err := readJSON(".", specFile, &rec); err != nil {
		return err
	}
	syscall.Umask(0o022) // the usual one, not what the console has
	var err error
	if n.group, err = openGroup(rec.Cgroup, rec.Spec.ID); err != nil {
		return err
	}
	p, err := rec.furnish()
	if err != nil {
		return err
	}
	n.dir, n.env, n.program = p.home, p.environ(rec.Spec), p.program
	if rec.UID != 0 {
		n.user = &syscall.Credential{Uid: uint32(rec.UID), Gid: uint32(rec.UID)}
	}
	if n.alone = rec.Level == levelPlain; n.alone {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("becoming a sub-reaper: %w", err)
		}
	}
	if err := os.Chdir(n.dir); err != nil {
		return err
	}
	return dropPrivileges()
}

// dropPrivileges gives up, in this thread and so for all children, what set-user-ID programs and capabilities could give.
func dropPrivileges() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	// EINVAL: a kernel before 4.3, which has no ambient capabilities to give up.
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("ambient capabilities: %w", err)
	}
	if err := errors.Join(leaveKeyring(), scopeSockets()); err != nil {
		return err
	}
	// Nobody of the same user may look into the init's memory.
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// packet is an order with the files that came along.
type packet struct {
	order order
	files []*os.File
}

func (n *nursery) run(caught, born <-chan os.Signal) error {
	orders := make(chan packet)
	go func() { // ends with the link; the process ends right after
		defer close(orders)
		for {
			var o order
			files, err := n.link.receive(&o)
			if err != nil {
				return
			}
			orders <- packet{o, files}
		}
	}()
	for {
		select {
		case p, ok := <-orders:
			if !ok || p.order.Op == "quit" {
				n.endEveryone()
				return nil
			}
			if err := n.obey(p); err != nil {
				return err
			}
		case <-born:
			if err := n.reap(); err != nil {
				return err
			}
		case <-caught:
		}
	}
}

func (n *nursery) obey(p packet) error {
	switch o := p.order; o.Op {
	case "spawn":
		answer := news{Op: "started", ID: o.ID}
		master, err := n.spawn(o, p.files)
		err = errors.Join(err, closeAll(p.files))
		if err != nil {
			answer.Error = err.Error()
			errors.As(err, &answer.NotStarted)
		}
		if master == nil {
			return n.link.send(answer)
		}
		return errors.Join(n.link.send(answer, master), master.Close())
	case "dial":
		go n.dial(o) // it ends by itself, or with this process
	case "signal":
		if pid, ok := n.pids[o.ID]; ok {
			_ = syscall.Kill(-pid, syscall.Signal(o.Signal)) // it may have ended just now
		}
	case "tell":
		return n.tell(o.ID, syscall.Signal(o.Signal))
	case "everyone":
		if !n.alone {
			_ = syscall.Kill(-1, syscall.Signal(o.Signal)) // all of the namespace but ourselves; nobody there is no error
			return nil
		}
		pids, err := descendants(os.Getpid())
		if err != nil {
			return err
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.Signal(o.Signal))
		}
	}
	return nil
}

// endEveryone matters without namespaces; with them the kernel ends all when PID 1 does.
func (n *nursery) endEveryone() {
	for range 200 {
		pids, err := descendants(os.Getpid())
		if err != nil || len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		_ = n.reap()
	}
}

// reap collects all who have ended, also those who were left to us by their parents.
func (n *nursery) reap() error {
	for {
		var ws syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &ws, syscall.WNOHANG, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			return nil //nolint:nilerr // ECHILD: there is nobody to collect
		}
		if id, ours := n.children[pid]; ours {
			delete(n.children, pid)
			delete(n.pids, id)
			if err := n.link.send(news{Op: "exited", ID: id, Status: int(ws)}); err != nil {
				return err
			}
		}
	}
}
