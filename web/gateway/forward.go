package gateway

import (
	"context"
	"io"
	"net"
	"strconv"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
)

// dialTime is how long a port of the instance may take to answer.
const dialTime = 10 * time.Second

// forward passes between the client and a port of the instance (RFC 4254, 7.2). Whether it is one, the executor says.
func (c *connection) forward(ctx context.Context, n ssh.NewChannel) {
	var m struct {
		Host       string
		Port       uint32
		OriginHost string
		OriginPort uint32
	}
	if ssh.Unmarshal(n.ExtraData(), &m) != nil || m.Port > 65535 {
		_ = n.Reject(ssh.ConnectionFailed, "broken request")
		return
	}
	if c.refused != nil {
		_ = n.Reject(ssh.Prohibited, c.words(c.refused))
		return
	}
	to, err := c.dial(ctx, m.Host, strconv.Itoa(int(m.Port)))
	if err != nil {
		c.g.Log.Debug("a port was not forwarded", "instance", c.instance, "host", m.Host, "port", m.Port, "error", err)
		_ = n.Reject(ssh.ConnectionFailed, "no process of the instance listens there")
		return
	}
	defer func() { _ = to.Close() }()
	ch, requests, err := n.Accept()
	if err != nil {
		return
	}
	stop := context.AfterFunc(ctx, func() { _ = to.Close(); _ = ch.Close() })
	defer stop()
	var in, asked sync.WaitGroup
	defer asked.Wait() // they end when the channel is closed
	defer func() { _ = ch.Close() }()
	asked.Go(func() { ssh.DiscardRequests(requests) })
	in.Go(func() {
		_, err := io.Copy(to, ch)
		if half, ok := to.(interface{ CloseWrite() error }); ok && err == nil {
			err = half.CloseWrite() // it may still have something to say
		}
		if err != nil {
			_ = to.Close()
		}
	})
	if _, err := io.Copy(ch, to); err != nil {
		_ = to.Close()
		_ = ch.Close()
	}
	_ = ch.CloseWrite() // and so may the client
	in.Wait()
}

// dial tries what a name for this machine can mean.
func (c *connection) dial(ctx context.Context, host, port string) (to net.Conn, err error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	hosts := []string{host}
	if host == "localhost" || host == "" {
		hosts = []string{"127.0.0.1", "::1"}
	}
	for _, h := range hosts {
		if to, err = c.g.Fleet.Dial(ctx, c.instance, "tcp", net.JoinHostPort(h, port)); err == nil {
			return to, nil
		}
	}
	return nil, err
}
