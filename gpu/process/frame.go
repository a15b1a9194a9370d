package process

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/meterhouse/meterhouse/gpu"
)

// Frame kinds, see PROTOCOL.md. They are letters so that a captured stream can be read by eye.
const (
	frameRequest byte = 'Q' // client: a request, JSON
	frameInput   byte = 'I' // client: bytes for stdin or the terminal
	frameEnd     byte = 'E' // client: stdin has ended
	frameResize  byte = 'W' // client: columns and rows, two big-endian uint16
	frameSignal  byte = 'S' // client: a signal's number, one byte
	frameReply   byte = 'R' // shim: the answer, JSON
	frameOutput  byte = 'O' // shim: stdout or the terminal's output
	frameErrors  byte = 'X' // shim: stderr
	frameDone    byte = 'D' // shim: how the program ended, JSON; the last frame
)

// maxFrame is the longest payload. It holds a terminal's replay in one frame, and bounds what a broken peer makes us keep.
const maxFrame = 64 << 10

var errFrame = errors.New("broken frame")

type frame struct {
	kind    byte
	payload []byte
}

// readFrame returns io.EOF only between frames; a frame cut short is io.ErrUnexpectedEOF.
func readFrame(r io.Reader) (frame, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return frame{}, err
	}
	f := frame{kind: head[0]}
	switch f.kind {
	case frameRequest, frameInput, frameEnd, frameResize, frameSignal, frameReply, frameOutput, frameErrors, frameDone:
	default:
		return frame{}, fmt.Errorf("%w: kind %d", errFrame, f.kind)
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > maxFrame {
		return frame{}, fmt.Errorf("%w: %d bytes, more than %d", errFrame, n, maxFrame)
	}
	f.payload = make([]byte, n)
	if _, err := io.ReadFull(r, f.payload); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return frame{}, err
	}
	return f, nil
}

// frameWriter lets several goroutines send whole frames over one connection.
type frameWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (fw *frameWriter) send(kind byte, payload []byte) error {
	if len(payload) > maxFrame {
		return fmt.Errorf("%w: %d bytes, more than %d", errFrame, len(payload), maxFrame)
	}
	b := make([]byte, 5, 5+len(payload))
	b[0] = kind
	binary.BigEndian.PutUint32(b[1:], uint32(len(payload)))
	fw.mu.Lock()
	defer fw.mu.Unlock()
	_, err := fw.w.Write(append(b, payload...))
	return err
}

func (fw *frameWriter) sendJSON(kind byte, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return fw.send(kind, b)
}

// stream is an io.Writer whose bytes become frames of one kind.
type stream struct {
	fw   *frameWriter
	kind byte
}

func (s stream) Write(p []byte) (int, error) {
	for done := 0; done < len(p); {
		n := min(len(p)-done, maxFrame)
		if err := s.fw.send(s.kind, p[done:done+n]); err != nil {
			return done, err
		}
		done += n
	}
	return len(p), nil
}

// request is what a client asks; one connection carries one request.
type request struct {
	Verb   string   `json:"verb"`               // status, wait, attach, exec, dial, signal, suspend, resume, stop
	Cols   uint16   `json:"cols,omitempty"`     // attach, exec
	Rows   uint16   `json:"rows,omitempty"`     // attach, exec
	Argv   []string `json:"argv,omitempty"`     // exec
	Shell  bool     `json:"shell,omitempty"`    // exec
	SFTP   bool     `json:"sftp,omitempty"`     // exec
	Env    []string `json:"env,omitempty"`      // exec
	TTY    bool     `json:"tty,omitempty"`      // exec
	Port   string   `json:"port,omitempty"`     // dial: address and port
	Signal int      `json:"signal,omitempty"`   // signal
	Grace  int64    `json:"grace_ms,omitempty"` // stop
}

// reply is the answer to a request: an error in words, or the state.
type reply struct {
	Error string `json:"error,omitempty"`
	Ended bool   `json:"ended,omitempty"` // the error is gpu.ErrNotRunning
	State state  `json:"state"`

	NotStarted *gpu.NotStarted `json:"not_started,omitempty"`  // where that is what the error says
	NotItsPort bool            `json:"not_its_port,omitempty"` // the error is gpu.ErrNotItsPort
}

func parseResize(p []byte) (cols, rows uint16, err error) {
	if len(p) != 4 {
		return 0, 0, fmt.Errorf("%w: a size of %d bytes", errFrame, len(p))
	}
	return binary.BigEndian.Uint16(p), binary.BigEndian.Uint16(p[2:]), nil
}
