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

// serveTTY runs a further program in a terminal of its own. A client that goes away hangs up.
func (h *holder) serveTTY(c net.Conn, out *frameWriter, q request) {
	o, err := q.order()
	var prog *child
	var master *os.File
	if err == nil {
		prog, master, err = h.spawn(o)
	}
	if out.sendJSON(frameReply, h.reply(err)) != nil && err == nil {
		err = errors.Join(net.ErrClosed, h.crew.signal(prog, syscall.SIGKILL))
	}
	if err != nil {
		if master != nil {
			_ = master.Close()
		}
		return
	}
	var reading, typing sync.WaitGroup
	reading.Go(func() {
		_, err := io.Copy(stream{out, frameOutput}, master)
		if err != nil && !errors.Is(err, syscall.EIO) && !errors.Is(err, os.ErrDeadlineExceeded) { // EIO: nobody has the terminal open now
			_ = c.Close() // the client is gone, or as good as gone
		}
	})
	typing.Go(func() { h.typeInto(c, prog, master) })
	<-prog.exited
	_ = master.SetReadDeadline(h.now().Add(lastWords)) // what it left behind may hold the terminal open
	reading.Wait()
	_ = master.Close() // hangs up what is left
	_ = out.sendJSON(frameDone, exitOf(prog.status))
	_ = c.Close()
	typing.Wait()
}

// typeInto passes on what the client types, and hangs up when it has left before the program ended. The end of its input says
// nothing to a terminal.
func (h *holder) typeInto(c net.Conn, prog *child, master *os.File) {
	for {
		f, err := readFrame(c)
		if err != nil {
			break
		}
		switch f.kind {
		case frameInput:
			_, err = master.Write(f.payload)
		case frameResize:
			var s gpu.Size
			if s.Cols, s.Rows, err = parseResize(f.payload); err == nil {
				err = resize(master, s)
			}
		case frameSignal:
			h.pass(prog, f.payload)
		}
		if err != nil {
			break
		}
	}
	select {
	case <-prog.exited:
		return
	default:
	}
	_ = master.SetDeadline(h.now().Add(-time.Second)) // ends who reads from it or types into it
	h.endProgram(prog, syscall.SIGHUP)
}
