package process

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// execPatience is how long an exec's output may stay open after its program ended: something it left behind may hold it.
const execPatience = 300 * time.Millisecond

// serveAttach passes between a client and the terminal until one of them is over.
func (h *holder) serveAttach(c net.Conn, out *frameWriter, size gpu.Size) {
	v, err := h.term.attach(size)
	if out.sendJSON(frameReply, h.reply(err)) != nil || err != nil {
		if v != nil {
			h.term.detach(v)
		}
		return
	}
	h.work.Add(1)
	go func() {
		defer h.work.Done()
		defer h.term.detach(v) // ends the loop below
		for {
			f, err := readFrame(c)
			if err != nil {
				return
			}
			switch f.kind {
			case frameInput:
				err = h.term.input(f.payload)
			case frameResize:
				var s gpu.Size
				if s.Cols, s.Rows, err = parseResize(f.payload); err == nil {
					err = h.term.resize(s)
				}
			default:
				err = errFrame
			}
			if err != nil {
				return
			}
		}
	}()
	for chunk := range v.out {
		if out.send(frameOutput, chunk) != nil {
			break
		}
	}
	h.term.detach(v)
	if v.exit != nil {
		_ = out.sendJSON(frameDone, *v.exit)
	}
	_ = c.Close() // ends the goroutine above
}

// serveExec runs a further program with its streams in frames. A client that goes away takes its program along.
func (h *holder) serveExec(c net.Conn, out *frameWriter, q request) {
	if q.TTY {
		h.serveTTY(c, out, q)
		return
	}
	var ends pipes
	prog, err := h.startExec(q, &ends)
	if out.sendJSON(frameReply, h.reply(err)) != nil && err == nil {
		err = h.crew.signal(prog, syscall.SIGKILL)
	}
	if err != nil {
		ends.close()
		return
	}
	var reading, writing sync.WaitGroup
	reading.Add(2)
	for kind, r := range map[byte]*os.File{frameOutput: ends.stdout, frameErrors: ends.stderr} {
		go func() {
			defer reading.Done()
			if _, err := io.Copy(stream{out, kind}, r); err != nil && !errors.Is(err, os.ErrClosed) {
				_ = c.Close() // the client is gone, or as good as gone
			}
		}()
	}
	writing.Add(1)
	go func() {
		defer writing.Done()
		h.feed(c, prog, ends.stdin)
	}()
	<-prog.exited
	over := make(chan struct{})
	go func() { reading.Wait(); close(over) }()
	select {
	case <-over:
	case <-time.After(execPatience):
	}
	ends.close()
	<-over
	_ = out.sendJSON(frameDone, exitOf(prog.status))
	_ = c.Close()
	writing.Wait()
}

// feed passes stdin on until the client closes it, and ends the program when the client has left before it ended.
func (h *holder) feed(c net.Conn, prog *child, stdin *os.File) {
	for {
		f, err := readFrame(c)
		if err != nil {
			break
		}
		switch f.kind {
		case frameInput:
			_, _ = stdin.Write(f.payload) // a program that reads no more is not the client's mistake
		case frameEnd:
			_ = stdin.Close()
		case frameSignal:
			h.pass(prog, f.payload)
		}
	}
	select {
	case <-prog.exited:
		return
	default:
	}
	h.endProgram(prog, syscall.SIGTERM)
}

// endProgram asks a program to end whose client has left, and ends it where it does not.
func (h *holder) endProgram(prog *child, sig syscall.Signal) {
	_ = h.crew.signal(prog, sig)
	select {
	case <-prog.exited:
	case <-time.After(2 * time.Second):
		_ = h.crew.signal(prog, syscall.SIGKILL)
	}
}

// pass sends a program the signal that its client asks for; what is none is not sent.
func (h *holder) pass(prog *child, payload []byte) {
	if len(payload) == 1 && payload[0] > 0 && payload[0] <= 64 {
		_ = h.crew.signal(prog, syscall.Signal(payload[0])) // it may have ended just now
	}
}

// pipes are our ends of a program's three streams.
type pipes struct{ stdin, stdout, stderr *os.File }

func (p pipes) close() {
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr} {
		if f != nil {
			_ = f.Close() // closed twice is no harm
		}
	}
}

// order is what the init is told for an exec.
func (q request) order() (order, error) {
	if len(q.Argv) == 0 && !q.Shell && !q.SFTP {
		return order{}, errors.New("there is no program to run")
	}
	return order{Argv: q.Argv, Shell: q.Shell, SFTP: q.SFTP, Env: q.Env, TTY: q.TTY, Cols: q.Cols, Rows: q.Rows}, nil
}

func (h *holder) startExec(q request, p *pipes) (*child, error) {
	o, err := q.order()
	if err != nil {
		return nil, err
	}
	var theirs [3]*os.File
	for i, make := range []func() (ours, his *os.File, err error){
		func() (*os.File, *os.File, error) { r, w, err := os.Pipe(); return w, r, err },
		os.Pipe, os.Pipe,
	} {
		ours := []**os.File{&p.stdin, &p.stdout, &p.stderr}[i]
		if err == nil {
			*ours, theirs[i], err = make()
		}
	}
	var prog *child
	if err == nil {
		prog, _, err = h.spawn(o, theirs[:]...)
	}
	for _, f := range theirs {
		if f != nil {
			_ = f.Close()
		}
	}
	return prog, err
}
