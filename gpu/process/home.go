package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/meterhouse/meterhouse/gpu"
)

// inherit moves the home of an ended instance to one that goes on with it.
func (e *Executor) inherit(from, home string) error {
	dir, err := e.path(from)
	if err != nil {
		return err
	}
	if _, err := e.known(from); err == nil {
		s, err := e.look(from, dir)
		if err != nil {
			return err
		}
		if !s.ended() {
			return fmt.Errorf("instance %q still runs: its home is its own", from)
		}
	} else if !errors.Is(err, gpu.ErrNoInstance) {
		return err
	}
	if err := os.Rename(filepath.Join(dir, homeDir), home); err != nil {
		return fmt.Errorf("going on in the home of instance %q: %w", from, err)
	}
	return nil
}

// giveBack undoes inherit for a start that has failed.
func (e *Executor) giveBack(dir, from string) error {
	old, err := e.path(from)
	if err != nil {
		return err
	}
	if err = os.Rename(filepath.Join(dir, homeDir), filepath.Join(old, homeDir)); errors.Is(err, os.ErrNotExist) {
		return nil // it never came
	}
	return err
}
