package podman

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// api is the version of podman's own API that is spoken: the first with all that is used here.
const api = "/v4.0.0/libpod"

// info is what the engine says about itself.
type info struct {
	Host struct {
		CgroupManager string `json:"cgroupManager"`
		Security      struct {
			Rootless       bool `json:"rootless"`
			SeccompEnabled bool `json:"seccompEnabled"`
		} `json:"security"`
		OCIRuntime struct {
			Name string `json:"name"`
		} `json:"ociRuntime"`
	} `json:"host"`
	Store struct {
		Driver string `json:"graphDriverName"`
		Root   string `json:"graphRoot"`
	} `json:"store"`
	Version struct {
		Version string `json:"Version"`
	} `json:"version"`
}

func (e *engine) info(ctx context.Context) (i info, err error) {
	return i, e.call(ctx, http.MethodGet, api+"/info", nil, nil, &i)
}

// container is what is asked of one.
type container struct {
	ID    string `json:"Id"`
	Image string `json:"Image"`
	State struct {
		Status  string `json:"Status"`
		Pid     int    `json:"Pid"`
		Running bool   `json:"Running"`
	} `json:"State"`
	NetworkSettings struct {
		Networks map[string]struct {
			Gateway     string `json:"Gateway"`
			IPv6Gateway string `json:"IPv6Gateway"`
		} `json:"Networks"`
	} `json:"NetworkSettings"`
	GraphDriver struct {
		Data map[string]string `json:"Data"`
	} `json:"GraphDriver"`
}

// scratch is where what is written over the image lies on the machine.
func (c container) scratch() []string {
	if upper := c.GraphDriver.Data["UpperDir"]; upper != "" {
		return []string{upper}
	}
	return nil
}

// gateways are the node's own addresses in the container's networks: packets pass through them, and nothing of the node is
// to be reached at them.
func (c container) gateways() (all []netip.Prefix) {
	for _, n := range c.NetworkSettings.Networks {
		for _, text := range []string{n.Gateway, n.IPv6Gateway} {
			if a, err := netip.ParseAddr(text); err == nil {
				all = append(all, netip.PrefixFrom(a, a.BitLen()))
			}
		}
	}
	return all
}

func (e *engine) container(ctx context.Context, name string) (c container, err error) {
	return c, e.call(ctx, http.MethodGet, api+"/containers/"+name+"/json", nil, nil, &c)
}

func (e *engine) create(ctx context.Context, s spec) error {
	return e.call(ctx, http.MethodPost, api+"/containers/create", nil, s, nil)
}

func (e *engine) start(ctx context.Context, name string) error {
	return e.call(ctx, http.MethodPost, api+"/containers/"+name+"/start", nil, nil, nil)
}

// removePatience is how long the engine may be in its own way: when a container ends, it clears up by itself, and what it has
// half cleared up it refuses to remove.
const removePatience = 10 * time.Second

// remove ends a container, whatever its state, and deletes it. That there is none is no error.
func (e *engine) remove(ctx context.Context, name string) error {
	query := url.Values{"force": {"true"}, "timeout": {"0"}, "v": {"true"}}
	for waited := time.Duration(0); ; waited += removePause {
		err := e.call(ctx, http.MethodDelete, api+"/containers/"+name, query, nil, nil)
		if err == nil || missing(err) {
			return nil
		}
		var failed *engineError
		if waited >= removePatience || !errors.As(err, &failed) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(removePause):
		}
	}
}

const removePause = 100 * time.Millisecond

// image is what the engine knows of an image.
type image struct {
	ID       string            `json:"Id"`
	Digest   string            `json:"Digest"`
	RepoTags []string          `json:"RepoTags"`
	Size     int64             `json:"Size"` // bytes
	Labels   map[string]string `json:"Labels"`
	Created  time.Time         `json:"Created"`

	Architecture string `json:"Architecture"`

	Config struct {
		User string   `json:"User"`
		Env  []string `json:"Env"`
	} `json:"Config"`
}

func (e *engine) image(ctx context.Context, name string) (i image, err error) {
	return i, e.call(ctx, http.MethodGet, api+"/images/"+name+"/json", nil, nil, &i)
}

// network makes one that is cut off from the other networks of the engine.
func (e *engine) network(ctx context.Context, name string) error {
	return e.call(ctx, http.MethodPost, api+"/networks/create", nil, map[string]any{
		"name": name, "driver": "bridge", "dns_enabled": false, "options": map[string]string{"isolate": "true"}, "labels": map[string]string{label: name},
	}, nil)
}

func (e *engine) hasNetwork(ctx context.Context, name string) (bool, error) {
	err := e.call(ctx, http.MethodGet, api+"/networks/"+name+"/exists", nil, nil, nil)
	if missing(err) {
		return false, nil
	}
	return err == nil, err
}

func (e *engine) removeNetwork(ctx context.Context, name string) error {
	err := e.call(ctx, http.MethodDelete, api+"/networks/"+name, url.Values{"force": {"true"}}, nil, nil)
	if missing(err) {
		return nil
	}
	return err
}

// label marks what is ours in the engine; its value is the name of the instance's container.
const label = "io.meterhouse.instance"

// nameOf is what an instance's container, and its network, are called.
func nameOf(id string) string { return "meterhouse-" + strings.ToLower(id) }
