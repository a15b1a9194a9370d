package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/sys/unix"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web/gateway"
)

const (
	// Below these the disk is short, and full: the log of one instance takes 16 MiB, and SQLite needs room to checkpoint.
	diskShort = 2 << 30
	diskFull  = 64 << 20
)

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
		f.broken("data directory", "run this as the user it belongs to, or mount it writable", "%s can't be written to", dir)
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
	s, clock, err := openBeside(ctx, dir, true)
	if err != nil {
		f.broken("database", "", "%s", inWords(err))
		return
	}
	defer func() { _ = s.Close() }() // only read from
	f.ok("database", "whole, and of this program's version")
	f.clock(ctx, s, clock)
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

func (f *findings) clock(ctx context.Context, s *store.Store, clock *clock) {
	newest, err := newestTime(ctx, s)
	ahead := clock.difference()
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

// hostKey shows what people are asked about when they come by SSH for the first time.
func (f *findings) hostKey(dir string) {
	path := filepath.Join(dir, gateway.HostKeyFile)
	key, err := gateway.ReadHostKey(dir)
	if errors.Is(err, fs.ErrNotExist) {
		f.ok("ssh host key", "none yet: `meterhouse serve --ssh-listen` makes it")
		return
	}
	info, statErr := os.Stat(path)
	switch {
	case err != nil:
		f.broken("ssh host key", "", "%v", err)
	case statErr == nil && info.Mode().Perm()&0o077 != 0:
		f.warn("ssh host key", "chmod 600 "+path, "%s, and others can read it (%v)", ssh.FingerprintSHA256(key.PublicKey()), info.Mode().Perm())
	default:
		f.ok("ssh host key", "%s", ssh.FingerprintSHA256(key.PublicKey()))
	}
}
