package podman

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"golang.org/x/sys/unix"
)

// Images are the images of an engine.
type Images struct {
	engine *engine
	init   string // meterhouse-init, which looks into images
}

var _ gpu.Images = (*Images)(nil)

// NewImages needs no engine to answer.
func NewImages(c Config) (*Images, error) {
	e, err := New(c)
	if err != nil {
		return nil, err
	}
	return &Images{engine: dialEngine(e.socket), init: e.init}, nil
}

// listedImage is an image as the list has it.
type listedImage struct {
	ID       string   `json:"Id"`
	Digest   string   `json:"Digest"`
	RepoTags []string `json:"RepoTags"`
	Digests  []string `json:"RepoDigests"`
	Size     int64    `json:"Size"`    // bytes
	Created  int64    `json:"Created"` // seconds since 1970
	Arch     string   `json:"Arch"`
}

// List leaves out what has no name: layers of builds, and images whose name another one took.
func (i *Images) List(ctx context.Context) (all []gpu.Image, err error) {
	var listed []listedImage
	if err := i.engine.call(ctx, http.MethodGet, api+"/images/json", nil, nil, &listed); err != nil {
		return nil, noEngine(err)
	}
	for _, l := range listed {
		names := l.RepoTags
		if len(names) == 0 {
			names = l.Digests // pulled by its digest
		}
		if len(names) > 0 {
			slices.Sort(names)
			all = append(all, gpu.Image{ID: imageID(l.ID), Digest: l.Digest, References: names, Bytes: l.Size, CreatedAt: time.Unix(l.Created, 0).UTC(), Architecture: l.Arch})
		}
	}
	return all, nil
}

// imageID writes an id as an image's configuration has it (OCI image-spec, ImageID).
func imageID(id string) string {
	if strings.Contains(id, ":") {
		return id
	}
	return "sha256:" + id
}

// described asks for one image.
func (i *Images) described(ctx context.Context, name string) (gpu.Image, error) {
	found, err := i.engine.image(ctx, name)
	if missing(err) {
		return gpu.Image{}, gpu.ErrNoImage
	}
	if err != nil {
		return gpu.Image{}, noEngine(err)
	}
	return gpu.Image{ID: imageID(found.ID), Digest: found.Digest, References: found.RepoTags, Bytes: found.Size, CreatedAt: found.Created, Architecture: found.Architecture}, nil
}

// Remove takes one name away, and with the last one the image.
func (i *Images) Remove(ctx context.Context, reference string) error {
	err := i.engine.call(ctx, http.MethodDelete, api+"/images/"+reference, nil, nil, nil)
	var failed *engineError
	switch {
	case missing(err):
		return nil
	case errors.As(err, &failed) && failed.Status == http.StatusConflict:
		return fmt.Errorf("%w: %w", gpu.ErrImageInUse, err)
	}
	return noEngine(err)
}

const spaceTries = 5

// Space asks the engine what its images take, and the kernel what is left where they lie.
func (i *Images) Space(ctx context.Context) (gpu.ImageSpace, error) {
	about, err := i.engine.info(ctx)
	if err != nil {
		return gpu.ImageSpace{}, noEngine(err)
	}
	var used struct {
		Images []struct {
			ImageID    string
			Size       int64
			SharedSize int64
			UniqueSize int64
		}
	}
	for try := 1; ; try++ { // podman fails it when a container goes while it counts
		var failed *engineError
		err := i.engine.call(ctx, http.MethodGet, api+"/system/df", nil, nil, &used)
		if err == nil {
			break
		}
		if try == spaceTries || !errors.As(err, &failed) {
			return gpu.ImageSpace{}, noEngine(err)
		}
	}
	var space gpu.ImageSpace
	seen := map[string]bool{} // an image of several names stands there several times
	var shared int64
	for _, u := range used.Images {
		if seen[u.ImageID] {
			continue
		}
		seen[u.ImageID] = true
		space.Bytes += u.UniqueSize
		shared = max(shared, u.SharedSize) // what images share is mostly the same base: at least the largest such part
	}
	space.Bytes += shared
	var fs unix.Statfs_t
	if err := unix.Statfs(about.Store.Root, &fs); err != nil {
		return space, fmt.Errorf("the room where the engine keeps its images: %w", err)
	}
	space.FreeBytes = int64(fs.Bavail) * fs.Bsize
	return space, nil
}

// noEngine says of an engine that can't be reached that there is none.
func noEngine(err error) error {
	if errors.Is(err, errSilent) {
		return fmt.Errorf("%w: %w", gpu.ErrNoEngine, err)
	}
	return err
}
