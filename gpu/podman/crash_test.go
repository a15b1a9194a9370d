package podman

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited for: %s", what)
		}
	}
}

// pids are the processes of an instance that answer for it.
type pids struct {
	Shim struct{ PID int } `json:"shim"`
	Init struct{ PID int } `json:"init"`
}

// start starts an instance, waits until it has said ready, and ends it with the test.
func start(t *testing.T, e gpu.Executor, dir string, s gpu.Spec) (p pids) {
	t.Helper()
	if _, err := e.Start(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(t, e, s.ID) })
	home := filepath.Join(dir, "instances", s.ID)
	until(t, "it is ready", func() bool {
		b, _ := os.ReadFile(filepath.Join(home, "log"))
		return strings.Contains(string(b), "ready")
	})
	b, err := os.ReadFile(filepath.Join(home, "state.json"))
	if err == nil {
		err = json.Unmarshal(b, &p)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func end(t *testing.T, e gpu.Executor, id string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, err := e.Stop(ctx, id, 0); err != nil {
		t.Errorf("stopping: %v", err)
	}
	if left, err := e.Clean(ctx, id); err != nil || !left.Clean() {
		t.Errorf("left: %+v, %v", left, err)
	}
	if err := e.Remove(ctx, id); err != nil {
		t.Errorf("removing: %v", err)
	}
}

// sleepers counts processes whose last argument is this.
func sleepers(mark string) (n int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && strings.HasSuffix(string(b), "\x00"+mark+"\x00") {
			n++
		}
	}
	return n
}

const work = "(setsid sleep %s &) ; echo ready; sleep %s; :"

func TestWhoeverIsKilledNothingOfAContainerIsLeft(t *testing.T) {
	for name, kill := range map[string]func(p pids, id string) error{
		"shim":      func(p pids, _ string) error { return syscall.Kill(p.Shim.PID, syscall.SIGKILL) },
		"init":      func(p pids, _ string) error { return syscall.Kill(p.Init.PID, syscall.SIGKILL) },
		"container": func(_ pids, id string) error { return podmanCommand("kill", nameOf(id)).Run() },
		"removed":   func(_ pids, id string) error { return podmanCommand("rm", "-f", "-t", "0", nameOf(id)).Run() },
		"conmon": func(_ pids, id string) error { // the engine's own keeper of a container: its death ends nothing
			return exec.Command("pkill", "-KILL", "-f", "conmon.*"+nameOf(id)).Run()
		},
	} {
		t.Run(name, func(t *testing.T) {
			need(t)
			t.Parallel()
			dir := t.TempDir()
			e := open(t, dir)
			id, mark := "killed-"+name, fmt.Sprint(77_000_000+os.Getpid()*10+len(name))
			p := start(t, e, dir, gpu.Spec{ID: id, Command: fmt.Sprintf(work, mark, mark)})
			until(t, "both run", func() bool { return sleepers(mark) == 2 })
			if err := kill(p, id); err != nil {
				t.Fatal(err)
			}
			if name == "conmon" {
				if exit, err := e.Exec(t.Context(), id, gpu.ExecRequest{Argv: []string{"sh", "-c", "exit 4"}}); err != nil || exit.Code != 4 {
					t.Errorf("afterwards: %+v, %v", exit, err)
				}
				return
			}
			s, err := e.Wait(t.Context(), id)
			if err != nil || s.Phase != gpu.PhaseExited || s.Exit.Signal != "SIGKILL" || s.Exit.Err == "" {
				t.Errorf("%+v, %v", s, err)
			}
			if n := sleepers(mark); n != 0 {
				t.Errorf("%d of its processes live on", n)
			}
		})
	}
}

// TestAnEngineThatIsRestartedEndsNothing kills the engine's service under a running instance, works on, and starts it again.
func TestAnEngineThatIsRestartedEndsNothing(t *testing.T) {
	need(t)
	socket := filepath.Join(t.TempDir(), "own.sock")
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop) // after the instance's end, which needs the engine
	service, err := startService(ctx, socket)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	e := openAt(t, dir, socket)
	start(t, e, dir, gpu.Spec{ID: "restarted", Command: "echo ready; read x < /dev/zero; sleep 1000"})
	if err := errors.Join(service.Process.Kill(), ignoreExit(service.Wait())); err != nil {
		t.Fatal(err)
	}
	e = openAt(t, dir, socket) // the console is another one, too
	if exit, err := e.Exec(t.Context(), "restarted", gpu.ExecRequest{Argv: []string{"sh", "-c", "exit 4"}}); err != nil || exit.Code != 4 {
		t.Errorf("while the engine is away: %+v, %v", exit, err)
	}
	if _, err := e.Start(t.Context(), gpu.Spec{ID: "another", Command: "true"}); err == nil {
		t.Error("a start without an engine succeeded")
	} else if !errors.Is(err, errSilent) {
		t.Errorf("a start without an engine: %v", err)
	}
	if s, err := e.Stop(t.Context(), "restarted", 0); err != nil || s.Phase != gpu.PhaseExited {
		t.Errorf("stopped: %+v, %v", s, err)
	}
	if left, err := e.Clean(t.Context(), "restarted"); err == nil && left.Clean() {
		t.Error("without an engine, nobody can tell that nothing is left")
	}
	if _, err := startService(ctx, socket); err != nil {
		t.Fatal(err)
	}
	until(t, "the engine has cleared up", func() bool {
		left, err := e.Clean(t.Context(), "restarted")
		return err == nil && left.Clean()
	})
}

func ignoreExit(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}

func TestAnImageThatIsNotThereIsSaid(t *testing.T) {
	e := open(t, t.TempDir())
	_, err := e.Start(t.Context(), gpu.Spec{ID: "imageless", Image: "localhost/nobody-has-this:1"})
	if err == nil || !strings.Contains(err.Error(), "localhost/nobody-has-this:1") {
		t.Errorf("%v", err)
	}
	if _, err := e.State(t.Context(), "imageless"); !errors.Is(err, gpu.ErrNoInstance) {
		t.Errorf("afterwards: %v", err)
	}
}
