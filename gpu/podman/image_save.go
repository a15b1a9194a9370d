package podman

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/meterhouse/meterhouse/gpu"
)

// mapped is what is asked of a container whose users are others outside.
type mapped struct {
	Image      string `json:"Image"`
	HostConfig struct {
		IDMappings struct {
			UIDMap []string `json:"UidMap"` // "inside:outside:how many"
		} `json:"IDMappings"`
	} `json:"HostConfig"`
}

// Commit writes the files out and in again, with their owners as they are inside: the engine's own commit (podman 4.3) keeps the
// numbers of outside for what an instance with users of its own has changed. The image is one layer. The instance is not frozen
// meanwhile: its freezer says whether it is suspended.
func (i *Images) Commit(ctx context.Context, instanceID, reference string) (gpu.Image, error) {
	var c mapped
	container := api + "/containers/" + nameOf(instanceID)
	err := i.engine.call(ctx, http.MethodGet, container+"/json", nil, nil, &c)
	if missing(err) {
		return gpu.Image{}, gpu.ErrNoInstance
	}
	if err != nil {
		return gpu.Image{}, noEngine(err)
	}
	base, err := i.engine.image(ctx, c.Image)
	if err != nil {
		return gpu.Image{}, noEngine(err)
	}
	files, err := i.engine.send(ctx, http.MethodGet, container+"/export", nil, "", nil)
	if err != nil {
		return gpu.Image{}, fmt.Errorf("saving the instance's files: %w", noEngine(err))
	}
	in, out := io.Pipe()
	copied := make(chan struct{})
	go func() { // ended by its reader's closing
		defer close(copied)
		_ = out.CloseWithError(ownedInside(out, files, c.HostConfig.IDMappings.UIDMap))
	}()
	defer func() { _ = files.Close() }()
	defer func() { _ = in.Close(); <-copied }()
	query := url.Values{"reference": {reference}, "changes": {}}
	for _, e := range base.Config.Env {
		if key, value, ok := strings.Cut(e, "="); ok && !strings.ContainsAny(value, "\r\n") {
			query.Add("changes", "ENV "+key+"="+strconv.Quote(value))
		}
	}
	if base.Config.User != "" {
		query.Add("changes", "USER "+base.Config.User)
	}
	answer, err := i.engine.send(ctx, http.MethodPost, api+"/images/import", query, "application/x-tar", in)
	if err != nil {
		return gpu.Image{}, fmt.Errorf("saving the instance's files: %w", noEngine(err))
	}
	_, err = io.Copy(io.Discard, answer)
	if err = errors.Join(err, answer.Close()); err != nil {
		return gpu.Image{}, err
	}
	return i.described(ctx, reference)
}

// ownedInside copies a tar and brings owners of outside to those inside; maps that are none leave them.
func ownedInside(to io.Writer, from io.Reader, maps []string) error {
	r, w := tar.NewReader(from), tar.NewWriter(to)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return w.Close()
		}
		if err != nil {
			return err
		}
		h.Uid, h.Gid = inside(h.Uid, maps), inside(h.Gid, maps)
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if _, err := io.Copy(w, r); err != nil {
			return err
		}
	}
}

// inside is what a number of outside is inside; groups are mapped as users are.
func inside(id int, maps []string) int {
	for _, m := range maps {
		var first, outside, n int
		if _, err := fmt.Sscanf(m, "%d:%d:%d", &first, &outside, &n); err == nil && id >= outside && id < outside+n {
			return first + id - outside
		}
	}
	return id
}
