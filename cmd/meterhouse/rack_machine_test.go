package main

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// machine stands in for a computer of its own: processes, mounts, host name and network apart from ours, which all end with
// its first process. What it has in common with ours are the disk and the cgroups.
type machine struct {
	t       *testing.T
	name    string
	address string // in the rack's network
	cable   string // our end of it
	rack    string // the bridge into which it is plugged
	data    string // whose instances are the machine's
	// boots says that each power-on is another boot to the kernel's clients; an engine's containers can't be had then.
	boots bool

	init *exec.Cmd // its first process; nil: off
}

// firstProcess takes in orphans as an init does, and says when the machine is up. $0 is its name, $1 what is to be the boot's id.
const firstProcess = `set -e
mount --make-rprivate /
mount -t proc proc /proc
hostname $0
if [ -n "$1" ]; then mount --bind "$1" /proc/sys/kernel/random/boot_id; fi
ip link set lo up
echo up
exec <&- >&-
while :; do sleep 86400 & wait; done`

// powerOn starts the machine; nothing runs on it yet.
func (m *machine) powerOn() {
	m.t.Helper()
	boot := ""
	if m.boots {
		boot = filepath.Join(m.t.TempDir(), "boot_id")
		if err := os.WriteFile(boot, []byte(newBootID()+"\n"), 0o444); err != nil {
			m.t.Fatal(err)
		}
	}
	cmd := exec.Command("/bin/sh", "-c", firstProcess, m.name, boot)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWUTS}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		m.t.Fatalf("a machine of its own: %v", err)
	}
	m.init = cmd
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "up\n" {
		m.t.Fatalf("%s does not come up: %q, %v", m.name, line, err)
	}
	inside := []string{"nsenter", "-t", strconv.Itoa(cmd.Process.Pid), "-n", "ip"}
	for _, args := range [][]string{
		{"ip", "link", "add", m.cable, "type", "veth", "peer", "name", "eth0", "netns", strconv.Itoa(cmd.Process.Pid)},
		{"ip", "link", "set", m.cable, "master", m.rack, "up"},
		append(inside, "addr", "add", m.address+"/24", "dev", "eth0"),
		append(inside, "link", "set", "eth0", "up"),
	} {
		does(m.t, args...)
	}
}

func newBootID() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // it never fails
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// powerOff ends all that runs on the machine at once, and with it what a machine keeps in memory: its network and its cgroups.
func (m *machine) powerOff() {
	m.t.Helper()
	if m.init == nil {
		return
	}
	_ = m.init.Process.Kill()
	_ = m.init.Wait() // the kernel has ended all others before
	m.init = nil
	_ = exec.Command("ip", "link", "del", m.cable).Run() // the kernel takes its time to end a network, and may have done it
	instances, _ := filepath.Glob(filepath.Join(m.data, "instances", "i-*"))
	for _, dir := range instances {
		groups, _ := filepath.Glob("/sys/fs/cgroup/*/meterhouse/" + filepath.Base(dir))
		unified, _ := filepath.Glob("/sys/fs/cgroup/meterhouse/" + filepath.Base(dir))
		for _, g := range append(groups, unified...) {
			if err := os.Remove(g); err != nil {
				m.t.Errorf("%s is off: %v", m.name, err)
			}
		}
	}
}

// cut takes the cable away: what is sent is lost, and nobody is told.
func (m *machine) cut() { m.t.Helper(); does(m.t, "ip", "link", "set", m.cable, "down") }

func (m *machine) mend() { m.t.Helper(); does(m.t, "ip", "link", "set", m.cable, "up") }

// launch starts a program on the machine; on none, here.
func (m *machine) launch(cmd *exec.Cmd) error {
	if m == nil {
		return cmd.Start()
	}
	if m.init == nil {
		return fmt.Errorf("%s is off", m.name)
	}
	failed := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: this thread ends in the machine's namespaces
		failed <- func() error {
			fd, err := unix.PidfdOpen(m.init.Process.Pid, 0)
			if err != nil {
				return err
			}
			err = unix.Unshare(unix.CLONE_FS) // who shares its root can't go elsewhere
			if err == nil {
				err = unix.Setns(fd, unix.CLONE_NEWPID|unix.CLONE_NEWNS|unix.CLONE_NEWNET|unix.CLONE_NEWUTS)
			}
			if err = errors.Join(err, unix.Close(fd)); err != nil {
				return fmt.Errorf("going to %s: %w", m.name, err)
			}
			return cmd.Start()
		}()
	}()
	return <-failed
}

// does runs a program that must succeed.
func does(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// hexName is short enough for a network interface, and nobody else's.
func hexName(prefix string) string {
	b := make([]byte, 4)
	_, _ = rand.Read(b) // it never fails
	return prefix + hex.EncodeToString(b)
}
