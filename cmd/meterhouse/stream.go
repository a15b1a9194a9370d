package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Streams of a command, as in web/API-STREAMS.md.
const (
	execProtocol = "meterhouse.exec.v1"
	streamStdin  = 0
	streamStdout = 1
	streamStderr = 2
	maxMessage   = 64 << 10
)

// execRequest is the first message of a command.
type execRequest struct {
	Argv  []string `json:"argv"`
	Stdin bool     `json:"stdin"`
}

// execExit is the last one.
type execExit struct {
	Type    string `json:"type"`
	Code    int    `json:"code"`
	Signal  string `json:"signal"`
	OOM     bool   `json:"oom"`
	Message string `json:"message,omitempty"`
}

// exec runs a command in an instance until it ends. in may be nil.
func (c *client) exec(ctx context.Context, id string, argv []string, in io.Reader, out, errOut io.Writer) (execExit, error) {
	var exit execExit
	address := "ws" + strings.TrimPrefix(c.base, "http") + "/api/v1/instances/" + url.PathEscape(id) + "/exec"
	dialer := websocket.Dialer{Subprotocols: []string{execProtocol}, HandshakeTimeout: clientPatience}
	socket, res, err := dialer.DialContext(ctx, address, http.Header{"Authorization": {"Bearer " + c.token}})
	if res != nil {
		defer func() { _ = res.Body.Close() }() // the handshake's answer, read below where it is a refusal
	}
	if err != nil {
		if res != nil && errors.Is(err, websocket.ErrBadHandshake) {
			return exit, readProblem(res)
		}
		return exit, c.unreached(err)
	}
	// Closing the socket ends the command, and whoever reads it or writes to it here.
	end := sync.OnceFunc(func() { _ = socket.Close() })
	defer end()
	defer context.AfterFunc(ctx, end)()
	if err := socket.WriteJSON(execRequest{Argv: argv, Stdin: in != nil}); err != nil {
		return exit, err
	}
	if in != nil {
		// It ends with its input or at the first write after the socket was closed. What blocks in a read of the terminal
		// ends with the program.
		go sendInput(socket, in)
	}
	for {
		kind, message, err := socket.ReadMessage()
		if err != nil {
			if ctx.Err() != nil {
				return exit, ctx.Err()
			}
			return exit, fmt.Errorf("the connection to the command was lost: %w", err)
		}
		if kind == websocket.TextMessage {
			if err := json.Unmarshal(message, &exit); err != nil {
				return exit, fmt.Errorf("the command's end can't be read: %w", err)
			}
			if exit.Type == "error" {
				return exit, errors.New(exit.Message)
			}
			return exit, nil
		}
		if len(message) < 2 {
			continue
		}
		to := out
		if message[0] == streamStderr {
			to = errOut
		}
		if _, err := to.Write(message[1:]); err != nil {
			return exit, err
		}
	}
}

// sendInput sends in to its end, which it says by an empty message.
func sendInput(socket *websocket.Conn, in io.Reader) {
	buffer := make([]byte, maxMessage)
	buffer[0] = streamStdin
	for {
		n, err := in.Read(buffer[1:])
		if n > 0 && socket.WriteMessage(websocket.BinaryMessage, buffer[:1+n]) != nil {
			return
		}
		if err != nil {
			break
		}
	}
	_ = socket.WriteMessage(websocket.BinaryMessage, buffer[:1]) // if it is gone, the reading side says so
}

// logChunk is what was read of an instance's output.
type logChunk struct {
	Offset int64  `json:"offset"`
	Text   string `json:"text"`
}

// followTries is how often in a row following may fail or bring nothing while the instance goes on.
const followTries = 40

// follow copies an instance's output from offset on until the instance has ended, and goes on after a lost connection. A
// console that is told to end closes its answers properly, so the end of an answer is not the end of the output.
func (c *client) follow(ctx context.Context, id string, offset int64, take func(logChunk) error) error {
	for idle := 0; ; idle++ {
		next, closed, err := c.readLog(ctx, id, offset, true, take)
		var p *problem
		if ctx.Err() != nil || errors.As(err, &p) && p.Status != http.StatusServiceUnavailable || closed && err != nil {
			return err
		}
		if next > offset {
			idle = 0
		}
		offset = next
		var i instance
		if closed && c.get(ctx, "/instances/"+url.PathEscape(id), nil, &i) == nil && i.ended() {
			// What it wrote between the end of the answer and its own end.
			_, _, err = c.readLog(ctx, id, offset, false, take)
			return err
		}
		if err != nil && idle >= followTries {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(clientWait * time.Duration(1+min(idle, 7))):
		}
	}
}

// readLog reads an instance's output once. It returns where to go on, and whether the answer came to its end,
// which it also has where take failed.
func (c *client) readLog(ctx context.Context, id string, offset int64, follow bool, take func(logChunk) error) (next int64, ended bool, err error) {
	query := url.Values{"offset": {strconv.FormatInt(offset, 10)}}
	if follow {
		query.Set("follow", "1")
	}
	res, err := c.send(ctx, http.MethodGet, "/instances/"+url.PathEscape(id)+"/logs?"+query.Encode(), nil)
	if err != nil {
		return offset, false, err
	}
	defer func() { _ = res.Body.Close() }() // only read from
	if at, err := strconv.ParseInt(res.Header.Get("X-Log-Offset"), 10, 64); err == nil {
		offset = at
	}
	buffer := make([]byte, maxMessage)
	for {
		n, err := res.Body.Read(buffer)
		if n > 0 {
			if err := take(logChunk{offset, string(buffer[:n])}); err != nil {
				return offset, true, err
			}
			offset += int64(n)
		}
		if errors.Is(err, io.EOF) {
			return offset, true, nil
		}
		if err != nil {
			return offset, false, err
		}
	}
}
