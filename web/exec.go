package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
)

const (
	execProtocol = "meterhouse.exec.v1"
	maxArgs      = 256
	maxArgBytes  = 64 << 10
	// The first byte of a binary message says which stream the rest belongs to.
	streamIn, streamOut, streamErr = 0, 1, 2
)

// execBegin is the client's first message.
type execBegin struct {
	Argv  []string `json:"argv"`
	Stdin bool     `json:"stdin"`
}

// execEnd is the server's last one.
type execEnd struct {
	Type   string `json:"type"` // "exit"
	Code   int    `json:"code"`
	Signal string `json:"signal"`
	OOM    bool   `json:"oom"`
}

// exec is GET /instances/{id}/exec: a further command in a running instance, as API-STREAMS.md says.
func (s *Server) exec(c *call) error {
	in, err := s.ownInstance(c)
	if err != nil {
		return err
	}
	if c.token == "" {
		return forbidden("token_wrong")
	}
	if in.State != life.Running {
		return &store.Error{Kind: store.Conflict, Message: "instance_not_running"}
	}
	return s.upgrade(c, execProtocol, func(k *conn) error { return s.serveExec(c, k, in.ID) })
}

func (s *Server) serveExec(c *call, k *conn, instance string) error {
	begin, err := readBegin(k)
	if err != nil {
		_ = k.finish(control{Type: "error", Message: words(c.t, invalid("argv", "wrong_argv"))})
		return nil
	}
	ctx, cancel := context.WithCancel(c.Request().Context())
	defer cancel()
	request := gpu.ExecRequest{Argv: begin.Argv, Stdout: &streamWriter{k: k, id: streamOut}, Stderr: &streamWriter{k: k, id: streamErr}}
	var input *io.PipeWriter
	if begin.Stdin {
		request.Stdin, input = io.Pipe()
	}
	var group sync.WaitGroup
	group.Go(func() { // the client left: the command has nobody to work for
		defer cancel()
		readInput(k, input)
	})
	group.Go(func() { s.watchExec(ctx, c, k, cancel) })
	exit, err := s.fleet.Exec(ctx, instance, request)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		e := explain(err)
		var refused *gpu.NotStarted
		if errors.As(err, &refused) {
			e = cmp.Or(explainNotStarted(refused), e)
		}
		if e.Kind == store.Internal {
			s.log.Warn("command not run", "id", c.id, "instance", instance, "error", err)
			e = &store.Error{Kind: store.Unavailable, Message: "exec_failed"}
		}
		_ = k.finish(control{Type: "error", Message: words(c.t, e)})
	default:
		_ = k.finish(execEnd{Type: "exit", Code: exit.Code, Signal: exit.Signal, OOM: exit.OOM})
	}
	k.close()
	cancel()
	group.Wait()
	return nil
}

// explainNotStarted tells what is wrong with a program: who named it can mend that, unlike any other fault in there. Nil where
// there are no words for it.
func explainNotStarted(e *gpu.NotStarted) *store.Error {
	args := map[string]string{"program": e.Program}
	switch e.Why {
	case gpu.ProgramNotInPath:
		return &store.Error{Kind: store.Invalid, Message: "program_not_in_path", Args: args}
	case gpu.ProgramMissing:
		return &store.Error{Kind: store.Invalid, Message: "program_missing", Args: args}
	case gpu.ProgramNotExecutable:
		return &store.Error{Kind: store.Invalid, Message: "program_not_executable", Args: args}
	case gpu.ProgramForeign:
		return &store.Error{Kind: store.Invalid, Message: "program_foreign", Args: args}
	case gpu.TooManyProcesses:
		return &store.Error{Kind: store.Invalid, Message: "too_many_processes", Args: args}
	}
	return nil
}

func readBegin(k *conn) (execBegin, error) {
	var b execBegin
	kind, data, err := k.ws.ReadMessage()
	if err == nil && kind != websocket.TextMessage {
		err = errors.New("text wanted")
	}
	if err == nil {
		err = json.Unmarshal(data, &b)
	}
	size := 0
	for _, a := range b.Argv {
		size += len(a)
		for i := range len(a) {
			if a[i] == 0 && err == nil {
				err = errors.New("NUL in an argument")
			}
		}
	}
	if err == nil && (len(b.Argv) == 0 || len(b.Argv) > maxArgs || size > maxArgBytes || b.Argv[0] == "") {
		err = errors.New("no command, or too long")
	}
	return b, err
}

// readInput passes stdin on until the client closes it or leaves. The pipe waits for the command to read.
func readInput(k *conn, input *io.PipeWriter) {
	if input != nil {
		defer input.Close() //nolint:errcheck // it never fails
	}
	for {
		kind, data, err := k.ws.ReadMessage()
		if err != nil {
			return
		}
		if kind != websocket.BinaryMessage || len(data) == 0 || data[0] != streamIn || input == nil {
			continue
		}
		if len(data) == 1 {
			_ = input.Close()
			continue
		}
		if _, err := input.Write(data[1:]); err != nil {
			continue // the command reads no more; what is typed goes nowhere, as in a pipe
		}
	}
}

// watchExec keeps the connection alive and ends the command when the token is revoked.
func (s *Server) watchExec(ctx context.Context, c *call, k *conn, cancel func()) {
	ping, check := time.NewTicker(pingEvery), time.NewTicker(recheckEvery)
	defer ping.Stop()
	defer check.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.done:
			cancel()
			return
		case <-ping.C:
			_ = k.ping() // a dead one is found by the reader
			continue
		case <-check.C:
		case <-k.ask:
		}
		if s.stillActs(c) != "" {
			cancel()
			k.close()
			return
		}
	}
}

// streamWriter sends a command's output, in pieces that fit a message.
type streamWriter struct {
	k  *conn
	id byte
}

func (w *streamWriter) Write(p []byte) (int, error) {
	for sent := 0; sent < len(p); {
		n := min(len(p)-sent, maxSocketFrame-1)
		if err := w.k.send(websocket.BinaryMessage, append([]byte{w.id}, p[sent:sent+n]...)); err != nil {
			return sent, err
		}
		sent += n
	}
	return len(p), nil
}
