package podman

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// DefaultSocket is where podman's service listens for root (podman-system-service(1)).
const DefaultSocket = "/run/podman/podman.sock"

// engine speaks HTTP to a container engine over its unix socket. Each call is a connection of its own: the calls are few, and
// nothing is left open when an engine is restarted under us.
type engine struct {
	socket string
	client *http.Client
}

func dialEngine(socket string) *engine {
	return &engine{socket: socket, client: &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		},
	}}}
}

// engineError is an answer of the engine that is no success.
type engineError struct {
	Status  int
	Message string `json:"message"`
	Cause   string `json:"cause"`
}

func (e *engineError) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("the container engine answered %d", e.Status)
	}
	return e.Message
}

// missing reports whether the engine knows no such thing.
func missing(err error) bool {
	var e *engineError
	return errors.As(err, &e) && e.Status == http.StatusNotFound
}

// errSilent is an engine that can't be reached.
var errSilent = errors.New("the container engine does not answer")

// call sends in as JSON (nil: nothing) and decodes the answer into out (nil: thrown away).
func (e *engine) call(ctx context.Context, method, path string, query url.Values, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(b)
	}
	answer, err := e.send(ctx, method, path, query, "application/json", body)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Close() }()
	if out == nil {
		_, err = io.Copy(io.Discard, answer)
		return err
	}
	if err := json.NewDecoder(answer).Decode(out); err != nil {
		return fmt.Errorf("the container engine's answer to %s %s: %w", method, path, err)
	}
	return nil
}

// send is call for what is no JSON, or long: the answer is the caller's to close.
func (e *engine) send(ctx context.Context, method, path string, query url.Values, kind string, body io.Reader) (io.ReadCloser, error) {
	target := url.URL{Scheme: "http", Host: "engine", Path: path, RawQuery: query.Encode()}
	request, err := http.NewRequestWithContext(ctx, method, target.String(), body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", kind)
	}
	answer, err := e.client.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%w at %s: %w", errSilent, e.socket, err)
	}
	if answer.StatusCode < 400 {
		return answer.Body, nil
	}
	failed := &engineError{Status: answer.StatusCode}
	b, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if json.Unmarshal(b, failed) != nil {
		failed.Message = strings.TrimSpace(string(b))
	}
	return nil, errors.Join(failed, err, answer.Body.Close())
}
