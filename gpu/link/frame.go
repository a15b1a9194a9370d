package link

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Frame kinds, see PROTOCOL.md. They are letters so that a captured stream can be read by eye.
const (
	frameHello   byte = 'H' // both: a part of the hello, JSON
	frameRequest byte = 'Q' // console: what is called, JSON
	frameInput   byte = 'I' // console: bytes for stdin or the terminal
	frameEnd     byte = 'E' // console: stdin has ended
	frameResize  byte = 'W' // console: a terminal's new size, JSON
	frameSignal  byte = 'S' // console: a signal for a program's process group, JSON
	frameReply   byte = 'R' // agent: the answer, JSON
	frameOutput  byte = 'O' // agent: stdout, the terminal's output or the log
	frameErrors  byte = 'X' // agent: stderr
	frameDone    byte = 'D' // agent: how a call with streams ended, a reply; the last frame
)

const (
	// maxFrame bounds what a broken peer makes us keep. The longest answer is a list of some ten thousand instances.
	maxFrame = 8 << 20
	// maxHello bounds what is read of who has not said who it is.
	maxHello = 64 << 10
	// maxChunk is the longest piece of a stream in one frame: a key pressed meanwhile waits for no more than that.
	maxChunk = 32 << 10
)

var errFrame = errors.New("broken frame")

type frame struct {
	kind    byte
	payload []byte
}

// readFrame returns io.EOF only between frames. Unknown kinds are the caller's: a newer peer may have more.
func readFrame(r io.Reader, limit uint32) (frame, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return frame{}, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > limit {
		return frame{}, fmt.Errorf("%w: %d bytes, more than %d", errFrame, n, limit)
	}
	f := frame{kind: head[0], payload: make([]byte, n)}
	if _, err := io.ReadFull(r, f.payload); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return frame{}, err
	}
	return f, nil
}

// readJSON reads one frame of a kind into v.
func readJSON(r io.Reader, kind byte, limit uint32, v any) error {
	f, err := readFrame(r, limit)
	if err != nil {
		return err
	}
	if f.kind != kind {
		return fmt.Errorf("%w: %q in place of %q", errFrame, f.kind, kind)
	}
	if err := json.Unmarshal(f.payload, v); err != nil {
		return fmt.Errorf("%w: %w", errFrame, err)
	}
	return nil
}

// frameWriter writes whole frames, whoever writes.
type frameWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (w *frameWriter) send(kind byte, payload []byte) error {
	if len(payload) > maxFrame {
		return fmt.Errorf("%w: %d bytes to send, more than %d", errFrame, len(payload), maxFrame)
	}
	b := make([]byte, 0, 5+len(payload))
	b = binary.BigEndian.AppendUint32(append(b, kind), uint32(len(payload)))
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.w.Write(append(b, payload...))
	return err
}

func (w *frameWriter) sendJSON(kind byte, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return w.send(kind, text)
}

// chunks is an io.Writer whose bytes become frames of one kind.
type chunks struct {
	to   *frameWriter
	kind byte
}

func (c chunks) Write(p []byte) (n int, err error) {
	for len(p) > 0 {
		piece := p[:min(len(p), maxChunk)]
		if err := c.to.send(c.kind, piece); err != nil {
			return n, err
		}
		n += len(piece)
		p = p[len(piece):]
	}
	return n, nil
}
