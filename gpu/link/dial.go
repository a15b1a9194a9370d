package link

import (
	"context"
	"errors"
	"io"
	"net"
	"time"
)

// remoteConn is a connection to a port of an instance on the node.
type remoteConn struct {
	remoteTerminal
	port string
}

// Dial connects; its context ends with the connecting.
func (e executor) Dial(ctx context.Context, id, network, address string) (net.Conn, error) {
	t, err := e.watch(ctx, "dial", id, dialArgs{network, address}, nil)
	if err != nil {
		return nil, err
	}
	return remoteConn{remoteTerminal{t}, address}, nil
}

// CloseWrite tells the other end that nothing more comes.
func (c remoteConn) CloseWrite() error { return c.st.out.send(frameEnd, nil) }

func (c remoteConn) LocalAddr() net.Addr                { return namedAddr("link") }
func (c remoteConn) RemoteAddr() net.Addr               { return namedAddr(c.port) }
func (c remoteConn) SetDeadline(t time.Time) error      { return c.st.SetDeadline(t) }
func (c remoteConn) SetReadDeadline(t time.Time) error  { return c.st.SetReadDeadline(t) }
func (c remoteConn) SetWriteDeadline(t time.Time) error { return c.st.SetWriteDeadline(t) }

type namedAddr string

func (namedAddr) Network() string  { return "tcp" }
func (a namedAddr) String() string { return string(a) }

// dial carries out what Dial asks of the agent.
func (c *incoming) dial(ctx context.Context, cancel context.CancelFunc) {
	var args dialArgs
	if err := c.understand(&args); err != nil {
		_ = c.reply(frameReply, nil, err)
		return
	}
	opened := c.opening(cancel)
	conn, err := c.a.Executor.Dial(ctx, c.ID, args.Network, args.Address)
	opened()
	if c.reply(frameReply, nil, err) != nil || err != nil {
		if conn != nil {
			_ = conn.Close()
		}
		return
	}
	listening := make(chan struct{})
	go func() { // waited for by finish
		defer close(listening)
		c.listen(func() { _ = conn.Close() }, func(f frame) error {
			switch f.kind {
			case frameInput:
				_, err := conn.Write(f.payload)
				return err
			case frameEnd:
				if half, ok := conn.(interface{ CloseWrite() error }); ok {
					return half.CloseWrite()
				}
			}
			return nil
		})
	}()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	_, err = io.Copy(chunks{c.out, frameOutput}, plainReader{conn})
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	c.finish(nil, err, listening)
	_ = conn.Close()
}
