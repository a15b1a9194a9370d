package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"golang.org/x/sys/unix"
)

// dialPatience is how long a port of the same machine may take to answer.
const dialPatience = 5 * time.Second

// Dial connects to a port of the instance. The connection comes to us as it is: nothing is between, also when the shim ends.
func (e *Executor) Dial(ctx context.Context, id, network, address string) (net.Conn, error) {
	if network != "tcp" {
		return nil, gpu.ErrNotItsPort
	}
	if _, err := loopback(address); err != nil {
		return nil, err
	}
	c, err := e.open(ctx, id, request{Verb: "dial", Port: address})
	if err != nil {
		return nil, err
	}
	conn, err := receiveConn(c, e.now().Add(dialPatience))
	return conn, errors.Join(err, c.Close())
}

// loopback reads an address as it may be dialed.
func loopback(address string) (netip.AddrPort, error) {
	a, err := netip.ParseAddrPort(address)
	if err != nil || a.Port() == 0 || !a.Addr().Unmap().IsLoopback() || a.Addr().Zone() != "" {
		return a, gpu.ErrNotItsPort
	}
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()), nil
}

func receiveConn(c net.Conn, deadline time.Time) (net.Conn, error) {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return nil, errFrame
	}
	if err := u.SetReadDeadline(deadline); err != nil {
		return nil, err
	}
	oob := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := u.ReadMsgUnix(make([]byte, 1), oob)
	if err != nil {
		return nil, fmt.Errorf("its shim did not hand the connection over: %w", err)
	}
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil || len(messages) != 1 {
		return nil, errors.Join(errFrame, err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return nil, errors.Join(errFrame, err)
	}
	unix.CloseOnExec(fds[0])
	f := os.NewFile(uintptr(fds[0]), "dialed")
	conn, err := net.FileConn(f)
	return conn, errors.Join(err, f.Close())
}

// serveDial connects where a process of the instance listens, and hands the connection over.
func (h *holder) serveDial(c net.Conn, out *frameWriter, port string) {
	conn, err := h.dial(port)
	if conn != nil {
		defer func() { _ = conn.Close() }()
	}
	if out.sendJSON(frameReply, h.reply(err)) != nil || err != nil {
		return
	}
	raw, err := conn.SyscallConn()
	u, ok := c.(*net.UnixConn)
	if err != nil || !ok {
		return
	}
	_ = raw.Control(func(fd uintptr) { // the client is told by the end of c
		_, _, _ = u.WriteMsgUnix([]byte{'F'}, unix.UnixRights(int(fd)), nil)
	})
}

func (h *holder) dial(port string) (*os.File, error) {
	target, err := loopback(port)
	if err != nil {
		return nil, err
	}
	if own, foreign, err := h.listeners(target); err != nil || own == 0 || foreign > 0 {
		return nil, errors.Join(gpu.ErrNotItsPort, err)
	}
	h.mu.Lock()
	suspended := h.st.Phase == gpu.PhaseSuspended
	h.mu.Unlock()
	if suspended {
		return nil, errors.New("the instance is suspended: resume it first")
	}
	conn, err := h.crew.dial(target.String())
	if err != nil {
		return nil, err
	}
	// Another may have come between. That nobody listens any more is no harm: what takes one connection has taken ours.
	if _, foreign, err := h.listeners(target); err != nil || foreign > 0 {
		return nil, errors.Join(gpu.ErrNotItsPort, err, conn.Close())
	}
	return conn, nil
}

// dial connects in the network of the instance, for an order.
func (n *nursery) dial(o order) {
	answer := news{Op: "started", ID: o.ID}
	f, err := connect(o.Port)
	if err != nil {
		answer.Error = err.Error()
		_ = n.link.send(answer)
		return
	}
	_ = n.link.send(answer, f)
	_ = f.Close()
}

func connect(port string) (*os.File, error) {
	d := net.Dialer{Timeout: dialPatience}
	c, err := d.Dial("tcp", port)
	if err != nil {
		if errors.Is(err, syscall.ECONNREFUSED) {
			err = gpu.ErrNotItsPort
		}
		return nil, err
	}
	t, ok := c.(*net.TCPConn)
	if !ok {
		return nil, errors.Join(errors.New("no TCP connection"), c.Close())
	}
	f, err := t.File()
	return f, errors.Join(err, t.Close())
}
