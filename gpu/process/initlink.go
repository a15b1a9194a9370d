package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/meterhouse/meterhouse/gpu"
	"golang.org/x/sys/unix"
)

// order is what a shim asks of the init of its instance, news what that answers. Each is one packet of JSON on a socket
// pair that only the two of them have; open files travel beside it. Both are the same binary, so there are no versions.
type order struct {
	Op     string   `json:"op"` // furnish, spawn, dial, signal, everyone, tell, quit
	ID     int      `json:"id,omitempty"`
	Argv   []string `json:"argv,omitempty"`
	Shell  bool     `json:"shell,omitempty"` // whichever is there, with Argv, or an interactive one without
	SFTP   bool     `json:"sftp,omitempty"`  // our own server of it, in place of Argv
	Env    []string `json:"env,omitempty"`   // besides what everyone has
	Port   string   `json:"port,omitempty"`  // to connect to: address and port
	Main   bool     `json:"main,omitempty"`  // it is the instance's own program, wherever that was bound to
	TTY    bool     `json:"tty,omitempty"`   // else three files come along: stdin, stdout, stderr
	Cols   uint16   `json:"cols,omitempty"`
	Rows   uint16   `json:"rows,omitempty"`
	Signal int      `json:"signal,omitempty"`

	Furnish *Furnishing `json:"furnish,omitempty"` // the first order to an init that can't read its instance's spec.json
}

type news struct {
	Op     string `json:"op"` // ready, started (with a terminal's master, or a connection), exited
	ID     int    `json:"id,omitempty"`
	Error  string `json:"error,omitempty"`
	Status int    `json:"status,omitempty"` // as wait(2) gives it

	NotStarted *gpu.NotStarted `json:"not_started,omitempty"` // where that is what the error says
}

// maxPacket is more than a command line may have (128 KiB for one argument, execve(2)).
const maxPacket = 256 << 10

// initLink is one end of that socket pair.
type initLink struct {
	conn *net.UnixConn
	buf  []byte
	wake bool // files that arrive are for us to wait on, not for a child
}

func newLinkPair() (ours *initLink, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("socket pair: %w", err)
	}
	theirs = os.NewFile(uintptr(fds[1]), "init link")
	ours, err = newLink(os.NewFile(uintptr(fds[0]), "shim link"))
	if err != nil {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	ours.wake = true
	return ours, theirs, nil
}

// newLink takes over f.
func newLink(f *os.File) (*initLink, error) {
	c, err := net.FileConn(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	u, ok := c.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(errors.New("the link is no unix socket"), c.Close())
	}
	return &initLink{conn: u, buf: make([]byte, maxPacket)}, nil
}

// ready waits for the init to say that it is.
func (l *initLink) ready() error {
	var n news
	if _, err := l.receive(&n); err != nil {
		return fmt.Errorf("the instance's init ended before it was ready: %w", err)
	}
	if n.Error != "" {
		return errors.New(n.Error)
	}
	return nil
}

func (l *initLink) send(v any, files ...*os.File) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(b) > maxPacket {
		return fmt.Errorf("a command of %d bytes is too long", len(b))
	}
	var rights []byte
	if len(files) > 0 {
		fds := make([]int, len(files))
		for i, f := range files {
			fds[i] = int(f.Fd())
		}
		rights = unix.UnixRights(fds...)
	}
	_, _, err = l.conn.WriteMsgUnix(b, rights, nil)
	return err
}

func (l *initLink) receive(v any) ([]*os.File, error) {
	oob := make([]byte, unix.CmsgSpace(4*4))
	n, oobn, _, _, err := l.conn.ReadMsgUnix(l.buf, oob)
	if err != nil {
		return nil, err
	}
	var files []*os.File
	messages, err := unix.ParseSocketControlMessage(oob[:oobn])
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			return nil, err
		}
		for _, fd := range fds {
			unix.CloseOnExec(fd)
			if l.wake {
				if err := unix.SetNonblock(fd, true); err != nil {
					return nil, err
				}
			}
			files = append(files, os.NewFile(uintptr(fd), "passed"))
		}
	}
	if n == 0 {
		return nil, errors.Join(net.ErrClosed, closeAll(files))
	}
	if err := json.Unmarshal(l.buf[:n], v); err != nil {
		return nil, errors.Join(err, closeAll(files))
	}
	return files, nil
}

func closeAll(files []*os.File) error {
	var errs []error
	for _, f := range files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
