package gputest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

var ttyTests = map[string]func(*testing.T, *rig){
	"ExecInATerminalHasItsSizeAndStatus":     ttySize,
	"ExecInATerminalEchoesAndIsInterrupted":  ttyEcho,
	"ExecInATerminalHangsUpWithItsContext":   ttyHangUp,
	"ExecPassesSignalsOn":                    execSignals,
	"ExecOfTheShellTakesWordsAndEnvironment": execShell,
	"DialReachesNothingButItsOwnPorts":       dialForeign,
	"DialReachesAPortOfItsOwn":               dialOwn,
	"ExecServesFiles":                        execSFTP,
}

// screen keeps what a terminal shows.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) has(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(s.text.String(), text)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func ttySize(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: "sleep 1000"})
	in, keys := io.Pipe()
	defer func() { _ = keys.Close() }()
	sizes := make(chan gpu.Size)
	var out screen
	done := make(chan error, 1)
	var exit gpu.Exit
	go func() {
		var err error
		exit, err = r.Exec(r.ctx, r.id, gpu.ExecRequest{
			Argv: []string{"sh", "-c", `tty >/dev/null && stty size; while [ "$(stty size)" = "33 91" ]; do sleep 0.02; done; stty size; exit 7`},
			TTY:  &gpu.Size{Cols: 91, Rows: 33}, Stdin: in, Stdout: &out, Resize: sizes,
		})
		done <- err
	}()
	r.until("it shows its size", func() bool { return out.has("33 91") })
	sizes <- gpu.Size{Cols: 120, Rows: 40}
	if err := <-done; err != nil || exit.Code != 7 || !out.has("40 120") {
		t.Errorf("%+v, %v, it showed %q", exit, err, out.String())
	}
}

func ttyEcho(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: "sleep 1000"})
	in, keys := io.Pipe()
	defer func() { _ = keys.Close() }()
	var out screen
	done := make(chan error, 1)
	var exit gpu.Exit
	go func() {
		var err error
		exit, err = r.Exec(r.ctx, r.id, gpu.ExecRequest{Shell: true, TTY: &gpu.Size{Cols: 80, Rows: 24}, Stdin: in, Stdout: &out})
		done <- err
	}()
	for _, step := range []struct{ typed, shown string }{
		{"echo one$((1+1))three\n", "one2three"},
		{"sleep " + r.mark + "\n", "sleep " + r.mark},
		{"\x03", "^C"},
		{"echo status=$?\n", "status=130"},
	} {
		if step.typed == "\x03" {
			r.until("the shell has started it", func() bool { return len(runningWith(r.mark)) > 0 })
		}
		if _, err := io.WriteString(keys, step.typed); err != nil {
			t.Fatal(err)
		}
		r.until("it shows "+step.shown, func() bool { return out.has(step.shown) })
	}
	if _, err := io.WriteString(keys, "exit 3\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil || exit.Code != 3 {
		t.Errorf("%+v, %v, it showed %q", exit, err, out.String())
	}
}

func ttyHangUp(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: "sleep 1000"})
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := r.Exec(ctx, r.id, gpu.ExecRequest{Argv: []string{"sh", "-c", "trap 'echo hung up > hup; exit' HUP; sleep " + r.mark + " & wait"}, TTY: &gpu.Size{Cols: 80, Rows: 24}})
		done <- err
	}()
	r.until("the program runs", func() bool { return len(runningWith(r.mark)) > 0 })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Exec: %v", err)
	}
	r.until("the program was hung up", func() bool {
		exit, err := r.Exec(r.ctx, r.id, gpu.ExecRequest{Argv: []string{"test", "-s", "hup"}})
		return err == nil && exit.Code == 0
	})
}

func execSignals(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: "sleep 1000"})
	signals := make(chan syscall.Signal)
	var out screen
	done := make(chan error, 1)
	var exit gpu.Exit
	go func() {
		var err error
		exit, err = r.Exec(r.ctx, r.id, gpu.ExecRequest{
			Argv: []string{"sh", "-c", "trap 'echo told; exit 5' USR1; echo ready; while :; do sleep 0.05; done"}, Stdout: &out, Signals: signals,
		})
		done <- err
	}()
	r.until("it is ready", func() bool { return out.has("ready") })
	signals <- syscall.SIGUSR1
	if err := <-done; err != nil || exit.Code != 5 || !out.has("told") {
		// The shell may die of it where its sleep is hit first; both say that the signal came.
		t.Errorf("%+v, %v, %q", exit, err, out.String())
	}
}

func execShell(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: "sleep 1000", Env: []string{"MINE=1"}})
	var out bytes.Buffer
	exit, err := r.Exec(r.ctx, r.id, gpu.ExecRequest{
		Shell: true, Argv: []string{"-c", `echo "$MINE $LANG $LC_TIME $HOME" && pwd`}, Env: []string{"LANG=C", "LC_TIME=xx"}, Stdout: &out,
	})
	lines := strings.Split(out.String(), "\n")
	if err != nil || exit.Code != 0 || len(lines) != 3 || lines[0] != "1 C xx "+lines[1] {
		t.Errorf("%+v, %v, %q", exit, err, out.String())
	}
}

// dialForeign has a port that something else of this machine listens on, as other instances do, and one of nobody.
func dialForeign(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: "sleep 1000"})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().String()
	for _, address := range []string{port, "127.0.0.1:1", "[::1]:1", "0.0.0.0:80", "192.0.2.1:80", "127.0.0.1:0", "localhost:80", "127.0.0.1", ""} {
		if c, err := r.Dial(r.ctx, r.id, "tcp", address); !errors.Is(err, gpu.ErrNotItsPort) {
			t.Errorf("%q: %v, %v", address, c, err)
		}
	}
	if c, err := r.Dial(r.ctx, r.id, "unix", "/run/some.sock"); !errors.Is(err, gpu.ErrNotItsPort) {
		t.Errorf("a unix socket: %v, %v", c, err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// dialOwn needs busybox's nc in the instance.
func dialOwn(t *testing.T, r *rig) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	r.start(gpu.Spec{Command: "busybox nc -l -p " + port + " -e cat || { echo no nc; sleep 1000; }"})
	other := r.beside(gpu.Spec{Command: "echo ready; sleep 1000"})
	var c net.Conn
	r.until("its port can be dialed", func() bool {
		if text, _ := r.log(0); strings.Contains(text, "no nc") {
			t.Skip("no busybox in the instance")
		}
		// Not its own: nobody gets there, whether or not the other listens yet.
		if foreign, err := r.Dial(r.ctx, other, "tcp", address); !errors.Is(err, gpu.ErrNotItsPort) {
			t.Fatalf("from another instance: %v, %v", foreign, err)
		}
		c, err = r.Dial(r.ctx, r.id, "tcp", address)
		if err != nil && !errors.Is(err, gpu.ErrNotItsPort) {
			t.Fatal(err)
		}
		return err == nil
	})
	if _, err := io.WriteString(c, "hello\n"); err != nil {
		t.Error(err)
	}
	got := make([]byte, 6)
	if _, err := io.ReadFull(c, got); err != nil || string(got) != "hello\n" {
		t.Errorf("%q, %v", got, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// execSFTP begins the protocol (draft-ietf-secsh-filexfer-02, 4): SSH_FXP_INIT is answered with SSH_FXP_VERSION, 3. The client
// leaves when it has its answer.
func execSFTP(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: "sleep 1000"})
	in, client := io.Pipe()
	var out, errs screen
	go func() {
		_, _ = io.WriteString(client, "\x00\x00\x00\x05\x01\x00\x00\x00\x03")
		for len(out.String()) < 9 && r.ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		_ = client.Close()
	}()
	exit, err := r.Exec(r.ctx, r.id, gpu.ExecRequest{SFTP: true, Stdin: in, Stdout: &out, Stderr: &errs})
	_ = in.Close()
	if answer := out.String(); err != nil || exit.Code != 0 || len(answer) < 9 || answer[4:9] != "\x02\x00\x00\x00\x03" {
		t.Errorf("%+v, %v, %q, errors %q", exit, err, answer, errs.String())
	}
}
