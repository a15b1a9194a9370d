package link

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// cable passes bytes between the agent and the console, until it is cut: then it takes nothing and gives nothing, as a cable
// that is pulled out; nobody is told.
type cable struct {
	net.Listener
	to   string
	mu   sync.Mutex
	cut  bool
	ends []net.Conn
	work sync.WaitGroup
}

func newCable(t *testing.T, to string) *cable {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{Listener: l, to: to}
	c.work.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				near.Close()
				continue
			}
			c.mu.Lock()
			c.ends = append(c.ends, near, far)
			c.mu.Unlock()
			c.work.Go(func() { c.pass(near, far) })
			c.work.Go(func() { c.pass(far, near) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		c.mu.Lock()
		for _, e := range c.ends {
			e.Close()
		}
		c.mu.Unlock()
		c.work.Wait()
	})
	return c
}

func (c *cable) pass(from, to net.Conn) {
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return // the end is not passed on: a cable does not speak
		}
		c.mu.Lock()
		cut := c.cut
		c.mu.Unlock()
		if cut {
			continue
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

func (c *cable) set(cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = cut
}

func throughCable(c **cable) func(*rig) {
	return func(r *rig) {
		*c = newCable(r.t, r.server.Listener.Addr().String())
		r.agent.Console.Host = (*c).Addr().String()
	}
}

// TestACutCableIsUnknownAndNotTheEnd: every call that is under way ends with gpu.ErrUnreachable within the time that the
// protocol promises, and the instance is there when the cable is back.
func TestACutCableIsUnknownAndNotTheEnd(t *testing.T) {
	var wire *cable
	r := newRig(t, processes(t, t.TempDir()), nil, throughCable(&wire)).connected()
	x, ctx := r.node.Executor(), t.Context()
	if _, err := x.Start(ctx, gpu.Spec{ID: "stays", Command: "echo ready; sleep 1000"}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := x.Stop(context.Background(), "stays", 0); err != nil {
			t.Error(err)
		}
	}()
	term, err := x.Attach(ctx, "stays", gpu.Size{Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	log, _, err := x.Log(ctx, "stays", 0, true)
	if err != nil {
		t.Fatal(err)
	}
	under := map[string]func() error{
		"wait":   func() error { _, err := x.Wait(ctx, "stays"); return err },
		"attach": func() error { _, err := io.Copy(io.Discard, term); return err },
		"log":    func() error { _, err := io.Copy(io.Discard, log); return err },
		"exec": func() error {
			_, err := x.Exec(ctx, "stays", gpu.ExecRequest{Argv: []string{"sleep", "1000"}})
			return err
		},
	}
	ended := make(map[string]chan error)
	for name, call := range under {
		end := make(chan error, 1)
		ended[name] = end
		go func() { end <- call() }()
	}
	time.Sleep(100 * time.Millisecond) // so that they are under way; sooner must work as well
	wire.set(true)
	began := time.Now()
	for name, end := range ended {
		if err := <-end; !errors.Is(err, gpu.ErrUnreachable) || errors.Is(err, gpu.ErrNotRunning) {
			t.Errorf("%s ended with %v", name, err)
		}
	}
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("the cut was noticed after %v", took)
	}
	if _, err := x.State(ctx, "stays"); !errors.Is(err, gpu.ErrUnreachable) {
		t.Errorf("while it is cut, State says %v", err)
	}
	for _, c := range []io.Closer{term, log} {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	wire.set(false)
	r.connected()
	if st, err := x.State(ctx, "stays"); err != nil || st.Phase != gpu.PhaseRunning {
		t.Errorf("once it is back, State says %+v, %v", st, err)
	}
}

// stuck is an executor whose calls do not return before their context's end.
type stuck struct{ gpu.Executor }

func (stuck) State(ctx context.Context, id string) (gpu.State, error) {
	<-ctx.Done()
	time.Sleep(500 * time.Millisecond) // and later than they should
	return gpu.State{}, ctx.Err()
}

// TestANodeThatHangsHoldsNobodyUp: a thousand callers get their context's end, and the next call works.
func TestANodeThatHangsHoldsNobodyUp(t *testing.T) {
	x := processes(t, t.TempDir())
	r := newRig(t, stuck{x}, nil, nil).connected()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	var all sync.WaitGroup
	for range 1000 {
		all.Go(func() {
			if _, err := r.node.Executor().State(ctx, "any"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("State says %v", err)
			}
		})
	}
	all.Wait()
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("callers waited %v with 300 ms", took)
	}
	if _, err := r.node.Executor().List(t.Context()); err != nil {
		t.Errorf("the next call: %v", err)
	}
}

// TestAnExecThatNobodyReadsQueuesNothing: what runs there waits until it is read, and a call beside it is not held up.
func TestAnExecThatNobodyReadsQueuesNothing(t *testing.T) {
	r := newRig(t, processes(t, t.TempDir()), nil, nil).connected()
	x := r.node.Executor()
	if _, err := x.Start(t.Context(), gpu.Spec{ID: "loud", Command: "sleep 1000"}); err != nil {
		t.Fatal(err)
	}
	defer x.Stop(context.Background(), "loud", 0)
	reader, writer := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := x.Exec(t.Context(), "loud", gpu.ExecRequest{Argv: []string{"sh", "-c", "head -c 50000000 /dev/zero"}, Stdout: writer})
		done <- errors.Join(err, writer.Close())
	}()
	if _, err := io.ReadFull(reader, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := x.Exec(t.Context(), "loud", gpu.ExecRequest{Argv: []string{"echo", "beside"}, Stdout: &out}); err != nil || out.String() != "beside\n" {
		t.Errorf("beside it: %v, %q", err, &out)
	}
	if n, err := io.Copy(io.Discard, reader); err != nil || n != 50000000-10 {
		t.Errorf("%d bytes, %v", n, err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestAnErrorKeepsWhatItIs(t *testing.T) {
	for _, is := range []error{gpu.ErrNoInstance, gpu.ErrNotRunning, gpu.ErrNoDevice, gpu.ErrClosed, gpu.ErrUnreachable, context.DeadlineExceeded,
		context.Canceled, io.ErrUnexpectedEOF} {
		back := failureOf(errors.Join(errors.New("in words"), is)).err()
		if !errors.Is(back, is) || !strings.Contains(back.Error(), "in words") {
			t.Errorf("%v comes back as %v", is, back)
		}
	}
	want := gpu.NotStarted{Program: "x", Why: gpu.ProgramForeign}
	var got *gpu.NotStarted
	if back := failureOf(&want).err(); !errors.As(back, &got) || *got != want || back.Error() != want.Error() {
		t.Errorf("%+v came back as %+v", want, got)
	}
	if failureOf(nil).err() != nil {
		t.Error("no error came back as one")
	}
}
