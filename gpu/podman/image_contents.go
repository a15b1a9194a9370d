package podman

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/process"
)

// The bounds of a look into an image, whose files are somebody else's.
const (
	inspectPatience = 3 * time.Minute
	inspectMemory   = 512 << 20 // bytes
	inspectPids     = 64
	inspectOutput   = 64 << 10 // bytes of its answer
)

// Contents starts meterhouse-init in a container of the image that has no network, no capability and nothing that can be written
// to. It is our program, without a library of the image, and it reads file names and a few files.
func (i *Images) Contents(ctx context.Context, name string) (gpu.Contents, error) {
	ctx, cancel := context.WithTimeout(ctx, inspectPatience)
	defer cancel()
	img, err := i.described(ctx, name)
	if err != nil {
		return gpu.Contents{}, err
	}
	container := "meterhouse-inspect-" + strings.TrimPrefix(img.ID, "sha256:")[:12]
	if err := i.engine.remove(ctx, container); err != nil { // of a console that was killed
		return gpu.Contents{}, noEngine(err)
	}
	if err := i.engine.create(ctx, i.inspector(container, img.ID)); err != nil {
		return gpu.Contents{}, fmt.Errorf("looking into %s: %w", name, err)
	}
	found, err := i.inspect(ctx, container)
	if removed := i.engine.remove(context.WithoutCancel(ctx), container); removed != nil {
		err = errors.Join(err, fmt.Errorf("removing the container %s: %w", container, removed))
	}
	if err != nil {
		return gpu.Contents{}, fmt.Errorf("looking into %s: %w", name, err)
	}
	return found, nil
}

func (i *Images) inspector(name, image string) spec {
	program := filepath.Join(insideDir, initFile)
	return spec{
		Name: name, Image: image, Entrypoint: []string{program}, Command: []string{"inspect"}, Env: map[string]string{}, Labels: map[string]string{label: name},
		Hostname: "inspect", User: "0:0", WorkDir: "/", ImageVolume: "ignore", ReadOnly: true,
		NetNS: namespace{"none"}, NoNewPrivileges: true, CapDrop: []string{"all"},
		Mounts:  []mount{{"bind", i.init, program, []string{"ro", "bind", "nosuid", "nodev"}}},
		Limits:  limits{Memory: memoryLimit{Limit: inspectMemory, Swap: inspectMemory}, Pids: pidsLimit{inspectPids}, CPU: cpuLimit{Quota: process.CPUPeriod, Period: process.CPUPeriod}},
		RLimits: rlimits(), Health: health{[]string{"NONE"}}, Log: logging{"k8s-file"},
	}
}

func (i *Images) inspect(ctx context.Context, container string) (found gpu.Contents, err error) {
	if err := i.engine.start(ctx, container); err != nil {
		return found, err
	}
	var status int
	if err := i.engine.call(ctx, http.MethodPost, api+"/containers/"+container+"/wait", url.Values{"condition": {"stopped", "exited"}}, nil, &status); err != nil {
		return found, err
	}
	if status != 0 {
		return found, fmt.Errorf("it ended with status %d", status)
	}
	log, err := i.engine.send(ctx, http.MethodGet, api+"/containers/"+container+"/logs", url.Values{"stdout": {"true"}}, "", nil)
	if err != nil {
		return found, err
	}
	defer func() { _ = log.Close() }()
	text, err := unframed(log, inspectOutput)
	if err != nil {
		return found, err
	}
	return found, json.Unmarshal(text, &found)
}

// unframed takes a container's output out of its frames: a byte for the stream, three of nothing, four for the length (Docker
// Engine API, "Stream format").
func unframed(from io.Reader, most int) (text []byte, err error) {
	for {
		var head [8]byte
		if _, err := io.ReadFull(from, head[:]); err != nil {
			if errors.Is(err, io.EOF) {
				return text, nil
			}
			return nil, err
		}
		length := binary.BigEndian.Uint32(head[4:])
		if int64(len(text))+int64(length) > int64(most) {
			return nil, errors.New("its answer is too long")
		}
		part := make([]byte, length)
		if _, err := io.ReadFull(from, part); err != nil {
			return nil, err
		}
		text = append(text, part...)
	}
}
