package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// prepareData makes the data directory, for its owner alone, and makes sure that it can be written to.
func prepareData(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return dataError(dir, err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return dataError(dir, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("the data directory %s is a file: choose another with --data", dir)
	}
	if info.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(dir, 0o700); err != nil {
			return dataError(dir, err)
		}
	}
	probe := filepath.Join(dir, ".probe")
	if err := os.WriteFile(probe, make([]byte, 4096), 0o600); err != nil {
		return errors.Join(dataError(dir, err), ignoreMissing(os.Remove(probe)))
	}
	return os.Remove(probe)
}

// madeBelow returns what takes back the directories that are missing now on the way to dir, as far as nothing is in them.
func madeBelow(dir string) (undo func()) {
	var missing []string // the deepest first
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, at)
	}
	return func() {
		for _, at := range missing {
			if os.Remove(at) != nil {
				return // not empty, or never made
			}
		}
	}
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EROFS) {
		return nil
	}
	return err
}

// dataError says what to do about a data directory that can't be used.
func dataError(dir string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("the disk of the data directory %s is full: free some space, nothing was changed (%w)", dir, err)
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("the data directory %s is on a read-only file system: mount it writable or choose another with --data (%w)", dir, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the data directory %s can't be written to: run this as the user it belongs to (sudo?), not as user %d, or choose another with --data (%w)", dir, os.Getuid(), err)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("a part of the path of the data directory %s is a file: choose another with --data (%w)", dir, err)
	}
	return fmt.Errorf("the data directory %s can't be used: %w", dir, err)
}

// existingData refuses to make a data directory by a mistyped name.
func existingData(dir string) error {
	info, err := os.Stat(filepath.Join(dir, "meterhouse.db"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no Meterhouse data in %s: name it with --data", dir)
	case err != nil:
		return dataError(dir, err)
	case info.IsDir():
		return fmt.Errorf("%s is a directory", filepath.Join(dir, "meterhouse.db"))
	}
	return nil
}

// checkAddress says what is wrong with host:port.
func checkAddress(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return errors.New("it is HOST:PORT, such as 127.0.0.1:8080")
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return errors.New("the port is a number from 0 to 65535")
	}
	return nil
}
