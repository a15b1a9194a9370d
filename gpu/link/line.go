package link

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"github.com/hashicorp/yamux"
)

// maxMessage is the longest websocket message: a multiplexer's window, and a little.
const maxMessage = 1 << 20

// line is a websocket as a stream of bytes. One goroutine may read while another writes.
type line struct {
	ws   *websocket.Conn
	rest io.Reader
}

func newLine(ws *websocket.Conn) *line {
	ws.SetReadLimit(maxMessage)
	return &line{ws: ws}
}

func (l *line) Read(p []byte) (int, error) {
	for {
		if l.rest == nil {
			kind, r, err := l.ws.NextReader()
			if err != nil {
				return 0, err
			}
			if kind != websocket.BinaryMessage {
				continue
			}
			l.rest = r
		}
		n, err := l.rest.Read(p)
		if errors.Is(err, io.EOF) {
			l.rest, err = nil, nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// Write does not wait longer than patience: who takes nothing for that long is not there.
func (l *line) Write(p []byte) (int, error) {
	if err := l.ws.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		return 0, err
	}
	if err := l.ws.WriteMessage(websocket.BinaryMessage, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (l *line) Close() error         { return l.ws.Close() }
func (l *line) LocalAddr() net.Addr  { return l.ws.LocalAddr() }
func (l *line) RemoteAddr() net.Addr { return l.ws.RemoteAddr() }

// muxConfig bounds what is under way: 256 KiB each way and stream, 256 streams that the other end has not yet taken.
func muxConfig() *yamux.Config {
	c := yamux.DefaultConfig()
	c.KeepAliveInterval, c.ConnectionWriteTimeout = keepAlive, patience
	c.StreamOpenTimeout, c.StreamCloseTimeout = 3*patience, 3*patience
	c.LogOutput = io.Discard
	return c
}

// crew are the goroutines of one line; none begins once they are waited for.
type crew struct {
	mu   sync.Mutex
	over bool
	work sync.WaitGroup
}

// start runs f, and reports whether it does.
func (c *crew) start(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return false
	}
	c.work.Go(f)
	return true
}

func (c *crew) wait() {
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	c.work.Wait()
}
