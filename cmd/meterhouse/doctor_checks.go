package main

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/meterhouse/meterhouse/gpu/nvidia"
	"github.com/meterhouse/meterhouse/gpu/process"
	"github.com/meterhouse/meterhouse/store"
)

const (
	// Below these the disk is short, and full: the log of one instance takes 16 MiB, and SQLite needs room to checkpoint.
	diskShort = 2 << 30
	diskFull  = 64 << 20
	// mailPatience is how long a mail server may take to greet.
	mailPatience = 5 * time.Second
	driverWait   = 10 * time.Second
)

func (f *findings) system() {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		f.broken("system", "Meterhouse runs on Linux", "%v", err)
		return
	}
	f.ok("system", "Linux %s on %s, %d cores", unix.ByteSliceToString(name.Release[:]), runtime.GOARCH, runtime.NumCPU())
	if os.Getuid() != 0 {
		f.warn("user", "run the console as root, so that instances get their own user, cgroup and namespaces", "runs as user %d, not as root", os.Getuid())
		return
	}
	f.ok("user", "root")
}

// limits asks the executor what this machine enforces; its own directory is a throw-away one.
func (f *findings) limits(ctx context.Context) {
	f.cgroups()
	dir, err := os.MkdirTemp("", "meterhouse-doctor-")
	if err != nil {
		f.broken("limits", "make room in the directory for temporary files", "%v", err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }() // a leftover empty directory harms nobody
	executor, err := process.New(process.Config{Dir: dir, Now: time.Now})
	if err != nil {
		f.broken("limits", "", "%v", err)
		return
	}
	for _, l := range executor.Limits(ctx) {
		if l.Enforced {
			f.ok("limit "+l.Name, "enforced: %s", l.Detail)
			continue
		}
		f.warn("limit "+l.Name, "", "not enforced: %s", l.Detail)
	}
}

func (f *findings) cgroups() {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		f.warn("cgroups", "mount /proc", "%v", err)
		return
	}
	var v1 []string
	v2 := ""
	for line := range strings.Lines(string(mounts)) {
		part := strings.Fields(line)
		if len(part) < 3 {
			continue
		}
		switch part[2] {
		case "cgroup":
			v1 = append(v1, filepath.Base(part[1]))
		case "cgroup2":
			v2 = part[1]
		}
	}
	switch {
	case len(v1) > 0:
		f.ok("cgroups", "version 1 (%s)", strings.Join(v1, ", "))
	case v2 != "":
		f.ok("cgroups", "version 2 at %s", v2)
	default:
		f.warn("cgroups", "mount cgroup2 at /sys/fs/cgroup", "none mounted: no limit can be enforced")
	}
}

func (f *findings) driver(ctx context.Context) {
	source, err := nvidia.Open(nvidia.Config{Now: time.Now})
	if errors.Is(err, nvidia.ErrNoDriver) {
		f.warn("NVIDIA driver", "install NVIDIA's driver to rent out its GPUs; --demo shows simulated ones", "%v", err)
		return
	}
	if err != nil {
		f.broken("NVIDIA driver", "look at what nvidia-smi says", "%v", err)
		return
	}
	defer func() { _ = source.Close() }() // a driver that hangs has been reported already
	ctx, cancel := context.WithTimeout(ctx, driverWait)
	defer cancel()
	devices, err := source.Devices(ctx)
	if err != nil {
		f.broken("NVIDIA driver", "look at what nvidia-smi says; versions that differ need a reboot or a reload of the driver", "%v", err)
		return
	}
	f.ok("NVIDIA driver", "%d GPUs", len(devices))
	for _, d := range devices {
		f.ok("GPU", "%s %s, driver %s", d.Model, d.UUID, d.Driver)
	}
}

// dataDirectory reports whether there is one to look into.
func (f *findings) dataDirectory(dir string) bool {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.warn("data directory", "`meterhouse serve` makes it", "%s does not exist yet", dir)
		return false
	case err != nil:
		f.broken("data directory", "", "%v", dataError(dir, err))
		return false
	case !info.IsDir():
		f.broken("data directory", "choose another with --data", "%s is a file", dir)
		return false
	case unix.Access(dir, unix.W_OK) != nil:
		f.broken("data directory", "give it to this user, or mount it writable", "%s can't be written to", dir)
		return true
	case info.Mode().Perm()&0o077 != 0:
		f.warn("data directory", "chmod 700 "+dir, "%s can be read by others (%v)", dir, info.Mode().Perm())
		return true
	}
	f.ok("data directory", "%s, for its owner alone", dir)
	return true
}

func (f *findings) disk(dir string) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		f.warn("disk", "", "%v", err)
		return
	}
	free := int64(s.Bavail) * s.Bsize
	text := "%d MiB free"
	switch {
	case free < diskFull:
		f.broken("disk", "free some space", text, free>>20)
	case free < diskShort:
		f.warn("disk", "free some space", text, free>>20)
	default:
		f.ok("disk", text, free>>20)
	}
}

// database opens it for reading, which checks its version and reads it through.
func (f *findings) database(ctx context.Context, dir string) {
	if _, err := os.Stat(filepath.Join(dir, "meterhouse.db")); errors.Is(err, fs.ErrNotExist) {
		f.warn("database", "`meterhouse serve` makes it", "none yet")
		return
	}
	ahead, err := loadClock(dir)
	if err != nil {
		f.broken("clock", "", "%v", err)
		return
	}
	clock := systemClock(ahead, slog.New(slog.DiscardHandler))
	s, err := store.Open(ctx, store.Config{Path: dir, Now: clock.Now, ReadOnly: true})
	if err != nil {
		f.broken("database", "", "%s", inWords(err))
		return
	}
	defer func() { _ = s.Close() }() // only read from
	f.ok("database", "whole, and of this program's version")
	f.clock(ctx, s, clock, ahead)
	check, err := s.CheckLedger(ctx)
	switch {
	case err != nil:
		f.broken("ledger", "", "%s", inWords(err))
	case !check.OK:
		f.broken("ledger", "keep a copy of the data directory and report this", "%s", check.FirstDifference)
	default:
		f.ok("ledger", "%d bills equal their postings", check.Instances)
	}
}

func (f *findings) clock(ctx context.Context, s *store.Store, clock *clock, ahead time.Duration) {
	newest, err := newestTime(ctx, s)
	switch behind := newest.Sub(clock.Now()); {
	case err != nil:
		f.broken("clock", "", "%s", inWords(err))
	case behind > clockTolerance:
		f.warn("clock", "set the machine's clock, by NTP", "%v behind the newest time in the database", behind.Round(time.Second))
	case ahead.Abs() > clockTolerance:
		f.warn("clock", "restart the console while nothing runs: it then takes the machine's time", "the machine's clock was changed by %v while the console ran; that is not billed", ahead.Round(time.Second))
	default:
		f.ok("clock", "%s", clock.Now().Format(time.RFC3339))
	}
}

// mailServer waits for a mail server's greeting; it sends nothing.
func (f *findings) mailServer(ctx context.Context, address string) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		f.broken("mail server", "--smtp is smtp://, smtp+starttls:// or smtps://HOST:PORT", "%q is no address", address)
		return
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"smtp": "25", "smtp+starttls": "587", "smtps": "465"}[u.Scheme]
	}
	dialer := net.Dialer{Timeout: mailPatience}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		f.broken("mail server", "mail waits in the database until it answers", "%v", err)
		return
	}
	defer func() { _ = conn.Close() }() // nothing was written
	if u.Scheme == "smtps" {
		f.ok("mail server", "%s:%s can be reached", u.Hostname(), port)
		return
	}
	if err := conn.SetDeadline(time.Now().Add(mailPatience)); err != nil {
		f.broken("mail server", "", "%v", err)
		return
	}
	greeting, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || !strings.HasPrefix(greeting, "220") {
		f.broken("mail server", "is it a mail server?", "it does not greet as one: %q", strings.TrimSpace(greeting))
		return
	}
	f.ok("mail server", "%s", strings.TrimSpace(greeting))
}
