package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func pointer(p *byte) uintptr { return uintptr(unsafe.Pointer(p)) }

// processes tries what /proc and ptrace give of processes: words are PIDs of the node, of another instance and of the console.
func processes(t target) (all []attempt) {
	for i := range t.words {
		pid := t.pid(i)
		proc := "/proc/" + t.words[i]
		// A process of this instance may have that number in here.
		if b, err := os.ReadFile(proc + "/cmdline"); err == nil && pid < 100 && len(b) > 0 {
			continue
		}
		for _, file := range []string{"environ", "mem", "maps", "cmdline", "root/etc/passwd", "cwd/.", "ns/mnt"} {
			all = append(all, attempt{"opening " + proc + "/" + file, opening(filepath.Join(proc, file), os.O_RDONLY)})
		}
		all = append(all,
			attempt{"listing files of " + t.words[i], func() error { _, err := os.ReadDir(proc + "/fd"); return err }},
			attempt{"ptrace of " + t.words[i], func() error {
				runtime.LockOSThread()
				err := unix.PtraceSeize(pid)
				if err == nil {
					_ = unix.PtraceDetach(pid)
				}
				return err
			}},
			attempt{"reading memory of " + t.words[i], func() error {
				buf := make([]byte, 8)
				_, err := unix.ProcessVMReadv(pid, []unix.Iovec{{Base: &buf[0], Len: 8}}, []unix.RemoteIovec{{Base: uintptr(unsafe.Pointer(&buf[0])), Len: 8}}, 0)
				return mustReach(err)
			}},
			attempt{"a signal to " + t.words[i], func() error { return unix.Kill(pid, 0) }},
			attempt{"pidfd of " + t.words[i], func() error { fd, err := unix.PidfdOpen(pid, 0); return closed(fd, err) }},
			attempt{"priority of " + t.words[i], func() error { return unix.Setpriority(unix.PRIO_PROCESS, pid, 19) }})
	}
	return all
}

// mustReach is nil also where the memory was reached and only the address was wrong.
func mustReach(err error) error {
	if errors.Is(err, unix.EFAULT) {
		return nil
	}
	return err
}

// namespaces tries to enter the node's: words are PIDs of the node.
func namespaces(t target) (all []attempt) {
	for _, pid := range append([]string{"1"}, t.words...) {
		for _, kind := range []string{"mnt", "pid", "net", "ipc", "uts", "user", "cgroup"} {
			all = append(all, attempt{"setns to " + kind + " of " + pid, func() error {
				f, err := os.Open("/proc/" + pid + "/ns/" + kind)
				if err != nil {
					return err
				}
				err = unix.Setns(int(f.Fd()), 0)
				return errors.Join(err, f.Close())
			}})
		}
	}
	for name, flag := range map[string]int{"mounts": unix.CLONE_NEWNS, "processes": unix.CLONE_NEWPID, "network": unix.CLONE_NEWNET, "host name": unix.CLONE_NEWUTS, "ipc": unix.CLONE_NEWIPC} {
		all = append(all, attempt{"unshare of " + name, func() error { return unix.Unshare(flag) }})
	}
	return all
}

// sockets tries to speak to others: words are unix sockets, @name for abstract ones.
func sockets(t target) (all []attempt) {
	for _, name := range append([]string{"/run/podman/podman.sock", "/var/run/docker.sock", "/run/docker.sock", "/run/systemd/private", "/run/dbus/system_bus_socket", "/run/containerd/containerd.sock"}, t.words...) {
		all = append(all, attempt{"connecting to " + name, func() error {
			c, err := net.DialTimeout("unix", name, time.Second)
			if err != nil {
				return err
			}
			return c.Close()
		}})
	}
	return all
}

// keyrings tries to find a key by its number: words are a key of the console's session.
func keyrings(t target) (all []attempt) {
	for i := range t.words {
		id := t.pid(i)
		buf := make([]byte, 64)
		all = append(all,
			attempt{"reading key " + t.words[i], func() error { _, err := unix.KeyctlBuffer(unix.KEYCTL_READ, id, buf, 0); return err }},
			attempt{"describing key " + t.words[i], func() error { _, err := unix.KeyctlString(unix.KEYCTL_DESCRIBE, id); return err }})
	}
	return append(all, attempt{"a key of the session that it was started in", func() error {
		_, err := unix.KeyctlSearch(unix.KEY_SPEC_SESSION_KEYRING, "user", "meterhouse-attack", 0)
		return err
	}})
}

// privileges tries to become more than it is.
func privileges(target) []attempt {
	status := func(field string) string {
		b, _ := os.ReadFile("/proc/self/status")
		for line := range strings.Lines(string(b)) {
			if v, ok := strings.CutPrefix(line, field+":"); ok {
				return strings.TrimSpace(v)
			}
		}
		return "unknown"
	}
	return []attempt{
		{"no_new_privs is not set", func() error {
			if status("NoNewPrivs") == "1" {
				return errors.New("it is set")
			}
			return nil
		}},
		{"a capability over the node", func() error {
			mask, err := strconv.ParseUint(status("CapEff"), 16, 64)
			over := uint64(1<<unix.CAP_SYS_ADMIN | 1<<unix.CAP_SYS_PTRACE | 1<<unix.CAP_SYS_MODULE | 1<<unix.CAP_MKNOD | 1<<unix.CAP_NET_ADMIN | 1<<unix.CAP_NET_RAW | 1<<unix.CAP_SYS_RAWIO | 1<<unix.CAP_DAC_READ_SEARCH | 1<<unix.CAP_SYS_RESOURCE)
			if err == nil && mask&over == 0 {
				return fmt.Errorf("it has %#x", mask)
			}
			return nil
		}},
		{"clearing no_new_privs", func() error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0) }},
		{"user 0 of the node", func() error {
			// In a user namespace user 0 is nobody on the node; one that maps to the node's is what must not be had.
			b, err := os.ReadFile("/proc/self/uid_map")
			if err != nil {
				return err
			}
			if f := strings.Fields(string(b)); len(f) == 3 && f[0] == "0" && f[1] != "0" {
				return fmt.Errorf("user 0 is %s on the node", f[1])
			}
			return unix.Setuid(0)
		}},
		{"a file of setuid", func() error {
			for _, su := range []string{"/bin/su", "/usr/bin/su", "/usr/bin/newgrp", "/usr/bin/mount", "/usr/bin/passwd"} {
				st, err := os.Stat(su)
				if err != nil || st.Mode()&os.ModeSetuid == 0 {
					continue
				}
				out, err := exec.Command(su, "-c", "id -u").CombinedOutput()
				if err == nil && strings.TrimSpace(string(out)) == "0" {
					return nil
				}
			}
			return errors.New("none works")
		}},
		{"ambient capability", func() error {
			return unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, unix.CAP_SYS_ADMIN, 0, 0)
		}},
	}
}

// files tries to read and write: words are files of the node.
func files(t target) (all []attempt) {
	for _, path := range append([]string{"/etc/shadow", "/root/.ssh"}, t.words...) {
		all = append(all, attempt{"writing " + path, opening(path, os.O_WRONLY)})
		if strings.HasPrefix(path, "/etc") {
			continue // an image has a file of that name of its own
		}
		all = append(all, attempt{"reading " + path, opening(path, os.O_RDONLY)},
			attempt{"listing " + filepath.Dir(path), func() error {
				list, err := os.ReadDir(filepath.Dir(path))
				if err == nil && len(list) == 0 {
					return errors.New("nothing is there")
				}
				return err
			}})
	}
	return all
}

// connect tries TCP and UDP: words are addresses.
func connect(t target) (all []attempt) {
	for _, address := range t.words {
		for _, network := range []string{"tcp", "udp"} {
			all = append(all, attempt{network + " " + address, func() error {
				c, err := net.DialTimeout(network, address, time.Second)
				if err != nil {
					return err
				}
				_, err = c.Write([]byte("x"))
				return errors.Join(err, c.Close())
			}})
		}
	}
	return all
}
