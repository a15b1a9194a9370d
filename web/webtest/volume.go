package webtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/meterhouse/meterhouse/gpu/volume"
)

// VolumeTree opens the files of a volume: a directory of its own below Volumes, which a test sets.
func (f *Fleet) VolumeTree(_ context.Context, id string) (*volume.Tree, error) {
	if f.Volumes == "" {
		return nil, errors.New("the test has no place for volumes")
	}
	dir := filepath.Join(f.Volumes, id)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return volume.OpenTree(dir)
}
