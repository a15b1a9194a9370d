package process

import (
	"errors"
	"os"
	"sync"
	"syscall"

	"github.com/meterhouse/meterhouse/gpu"
	"golang.org/x/sys/unix"
)

// crew is what the shim knows of the programs that the init started for it: the command, the shell, each exec.
type crew struct {
	link *initLink

	mu      sync.Mutex
	last    int
	members map[int]*child
	over    bool // the init is gone: nobody will answer
}

// child is one program. started gets one answer; exited is closed after status was set.
type child struct {
	id      int
	started chan startAnswer
	exited  chan struct{}
	status  syscall.WaitStatus
}

type startAnswer struct {
	master *os.File
	err    error
}

var errInitGone = errors.New("the instance has ended")

func newCrew(l *initLink) *crew { return &crew{link: l, members: map[int]*child{}} }

// spawn has a program started and returns when it runs; master is nil where no terminal was asked for.
func (c *crew) spawn(o order, files ...*os.File) (*child, *os.File, error) {
	o.Op = "spawn"
	return c.order(o, files...)
}

// order sends what is answered with "started".
func (c *crew) order(o order, files ...*os.File) (*child, *os.File, error) {
	c.mu.Lock()
	if c.over {
		c.mu.Unlock()
		return nil, nil, errInitGone
	}
	c.last++
	m := &child{id: c.last, started: make(chan startAnswer, 1), exited: make(chan struct{})}
	c.members[m.id] = m
	c.mu.Unlock()
	o.ID = m.id
	if err := c.link.send(o, files...); err != nil {
		c.mu.Lock()
		delete(c.members, m.id)
		c.mu.Unlock()
		return nil, nil, err
	}
	a := <-m.started
	return m, a.master, a.err
}

// dial has the init connect to a port, in its own network.
func (c *crew) dial(port string) (*os.File, error) {
	m, conn, err := c.order(order{Op: "dial", Port: port})
	if m != nil {
		c.mu.Lock()
		delete(c.members, m.id)
		c.mu.Unlock()
	}
	return conn, err
}

// listen hears what the init says until the link ends; then all that had not ended counts as killed with it.
func (c *crew) listen() {
	for {
		var n news
		files, err := c.link.receive(&n)
		if err != nil {
			break
		}
		c.mu.Lock()
		m := c.members[n.ID]
		if m == nil {
			c.mu.Unlock()
			_ = closeAll(files)
			continue
		}
		switch n.Op {
		case "started":
			a := startAnswer{}
			if len(files) > 0 {
				a.master = files[0]
			}
			if n.Error != "" {
				a.err = errorOf(n.Error, n.NotStarted)
				delete(c.members, n.ID)
			}
			m.started <- a
		case "exited":
			m.status = syscall.WaitStatus(n.Status)
			close(m.exited)
			delete(c.members, n.ID)
		}
		c.mu.Unlock()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	for id, m := range c.members {
		m.status = syscall.WaitStatus(syscall.SIGKILL)
		select {
		case m.started <- startAnswer{err: errInitGone}:
		default:
		}
		close(m.exited)
		delete(c.members, id)
	}
}

// lost reports whether the init has ended, so that nobody knows how the programs did.
func (c *crew) lost() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.over
}

// errorOf is an error as the other process had it: its words, and the reason where it is one that a person can mend.
func errorOf(words string, reason *gpu.NotStarted) error {
	if reason != nil {
		return reason
	}
	return errors.New(words)
}

// signal reaches the program's process group.
func (c *crew) signal(m *child, sig syscall.Signal) error {
	return c.link.send(order{Op: "signal", ID: m.id, Signal: int(sig)})
}

// everyone sends a signal to all that runs in the instance.
func (c *crew) everyone(sig syscall.Signal) error {
	return c.link.send(order{Op: "everyone", Signal: int(sig)})
}

// exitOf says in our words how a program ended.
func exitOf(ws syscall.WaitStatus) gpu.Exit {
	if ws.Signaled() {
		return gpu.Exit{Code: 128 + int(ws.Signal()), Signal: unix.SignalName(ws.Signal())}
	}
	return gpu.Exit{Code: ws.ExitStatus()}
}
