package process

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// level is how far this machine lets an instance be set apart.
type level string

const (
	levelRoot  level = "root"  // namespaces, and a user of its own
	levelUser  level = "user"  // namespaces inside a user namespace; the console's user
	levelPlain level = "plain" // neither
)

// sysProcAttr is how the init of an instance is started at this level.
func (l level) sysProcAttr() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setsid: true}
	if l != levelPlain {
		// The kernel then ends all of the namespace. Without one the init must live on to end what it has started.
		a.Pdeathsig = syscall.SIGKILL
	}
	const apart = syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS
	switch l {
	case levelRoot:
		a.Cloneflags = apart
	case levelUser:
		a.Cloneflags = apart | syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: insideID(os.Getuid()), HostID: os.Getuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: insideID(os.Getgid()), HostID: os.Getgid(), Size: 1}}
		// A user other than 0 keeps what it may do in its namespace over exec only so. The init gives it up after the mounts.
		a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SYS_PTRACE, unix.CAP_KILL}
	}
	return a
}

// insideID keeps user 0 out of a user namespace: every program of its would have all capabilities there.
func insideID(id int) int {
	if id == 0 {
		return 1000
	}
	return id
}

// probeLevel tries, best first, whether a child can be set apart, mounts included.
func probeLevel(ctx context.Context, binary string) (level, string) {
	tries := []level{levelUser}
	if os.Geteuid() == 0 {
		tries = []level{levelRoot, levelUser}
	}
	var whys []string
	for _, l := range tries {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		cmd := exec.CommandContext(ctx, binary, "shim", "--stage", "probe")
		cmd.SysProcAttr = l.sysProcAttr()
		// The thread that asks may end before the probe does, and must not take it along.
		cmd.SysProcAttr.Pdeathsig = 0
		cmd.Env = []string{}
		out, err := cmd.CombinedOutput()
		cancel()
		if err == nil {
			return l, strings.Join(whys, "; ")
		}
		said := strings.TrimSpace(string(out))
		var exit *exec.ExitError
		if !errors.As(err, &exit) || said == "" {
			said = err.Error()
		}
		whys = append(whys, said)
	}
	return levelPlain, strings.Join(whys, "; ")
}
