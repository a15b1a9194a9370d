package store

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// LockServe makes sure that one console alone serves a data directory: a second one is refused with Conflict until release
// is called or the process ends, however it ends. Admin verbs need no lock.
func LockServe(dir string) (release func(), err error) {
	file := filepath.Join(dir, "serve.lock")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, errOpen(err, file)
	}
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, errOpen(err, file)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, &Error{Kind: Conflict, Message: "already_serving", Args: map[string]string{"dir": dir}}
		}
		return nil, errOpen(err, file)
	}
	return func() { f.Close() }, nil // closing lets go of the lock
}
