package process

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"golang.org/x/sys/unix"
)

// until waits for a condition.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited for: %s", what)
		}
	}
}

// start starts an instance and ends it with the test.
func start(t *testing.T, e *Executor, spec gpu.Spec) (dir string, s state) {
	t.Helper()
	if _, err := e.Start(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(t, e, spec.ID) })
	dir, err := e.known(spec.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := readJSON(dir, stateFile, &s); err != nil {
		t.Fatal(err)
	}
	return dir, s
}

func end(t *testing.T, e *Executor, id string) {
	t.Helper()
	if _, err := e.Stop(background, id, 0); err != nil {
		t.Errorf("stopping: %v", err)
	}
	if left, err := e.Clean(background, id); err != nil || !left.Clean() {
		t.Errorf("left: %+v, %v", left, err)
	}
	if err := e.Remove(background, id); err != nil {
		t.Errorf("removing: %v", err)
	}
}

// sleepers counts processes whose first argument is this; /proc is read as the machine's owner would.
func sleepers(mark string) (n int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && strings.HasSuffix(string(b), "\x00"+mark+"\x00") {
			n++
		}
	}
	return n
}

func TestAKilledShimTakesItsWorkAlongAndIsMourned(t *testing.T) {
	e := open(t, t.TempDir())
	_, s := start(t, e, gpu.Spec{ID: "orphan", Command: "(setsid sleep 66601 &) ; sleep 66601; :"})
	until(t, "both run", func() bool { return sleepers("66601") == 2 })
	if err := syscall.Kill(s.Shim.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	got, err := e.Wait(t.Context(), "orphan")
	if err != nil || got.Phase != gpu.PhaseExited || got.Exit.Signal != "SIGKILL" || !strings.Contains(got.Exit.Err, "shim") {
		t.Errorf("%+v, %v", got, err)
	}
	if got.EndedAt.Before(got.StartedAt) || got.EndedAt.After(time.Now()) || !got.EndedAt.Equal(got.LastProof) {
		t.Errorf("started %v, ended %v, last proof %v", got.StartedAt, got.EndedAt, got.LastProof)
	}
	if n := sleepers("66601"); n != 0 {
		t.Errorf("%d of its processes live on", n)
	}
	again, err := open(t, e.dir).State(t.Context(), "orphan")
	if err != nil || again.Exit != got.Exit || !again.EndedAt.Equal(got.EndedAt) {
		t.Errorf("asked again: %+v, %v", again, err)
	}
}

func TestAKilledShimIsMournedOnOtherMachinesToo(t *testing.T) {
	for name, machine := range machines {
		t.Run(name, func(t *testing.T) {
			e := machine(t, t.TempDir())
			_, s := start(t, e, gpu.Spec{ID: "orphan", Command: "(setsid sleep 66608 &) ; sleep 66608; :"})
			until(t, "both run", func() bool { return sleepers("66608") == 2 })
			if err := syscall.Kill(s.Shim.PID, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			got, err := e.Wait(t.Context(), "orphan")
			if err != nil || got.Phase != gpu.PhaseExited || got.Exit.Err == "" {
				t.Errorf("%+v, %v", got, err)
			}
			if n := sleepers("66608"); n != 0 {
				t.Errorf("%d of its processes live on", n)
			}
		})
	}
}

func TestWorkIsGoneAtOnceWhenItsShimIsKilledThoughNobodyLooks(t *testing.T) {
	e := open(t, t.TempDir())
	if e.Limits(t.Context()); e.level == levelPlain {
		t.Skip("needs namespaces")
	}
	_, s := start(t, e, gpu.Spec{ID: "alone", Command: "setsid sleep 66602 & sleep 66602; :"})
	until(t, "both run", func() bool { return sleepers("66602") == 2 })
	if err := syscall.Kill(s.Shim.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, "they are gone", func() bool { return sleepers("66602") == 0 })
}

func TestAKilledInitEndsTheInstance(t *testing.T) {
	e := open(t, t.TempDir())
	_, s := start(t, e, gpu.Spec{ID: "headless", Command: "sleep 66603"})
	if err := syscall.Kill(s.Init.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	got, err := e.Wait(t.Context(), "headless")
	if err != nil || got.Phase != gpu.PhaseExited || got.Exit.Signal != "SIGKILL" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAShimIgnoresHangUpAndBrokenPipes(t *testing.T) {
	e := open(t, t.TempDir())
	_, s := start(t, e, gpu.Spec{ID: "steady", Command: "sleep 66604"})
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGPIPE, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGUSR1} {
		if err := syscall.Kill(s.Shim.PID, sig); err != nil {
			t.Fatal(err)
		}
	}
	exit, err := e.Exec(t.Context(), "steady", gpu.ExecRequest{Argv: []string{"sh", "-c", "exit 3"}})
	if err != nil || exit.Code != 3 {
		t.Errorf("afterwards: %+v, %v", exit, err)
	}
}

func TestAShutdownOfTheMachineIsAnEndWithItsReason(t *testing.T) {
	e := open(t, t.TempDir())
	_, s := start(t, e, gpu.Spec{ID: "shutdown", Command: "trap 'echo saved; exit 0' TERM; while :; do sleep 0.05; done"})
	if err := syscall.Kill(s.Shim.PID, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	got, err := e.Wait(t.Context(), "shutdown")
	if err != nil || got.Phase != gpu.PhaseExited || got.Exit.Err == "" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAfterARebootTheLastProofIsTheHeartbeat(t *testing.T) {
	e := open(t, t.TempDir())
	dir, s := start(t, e, gpu.Spec{ID: "reboot", Command: "sleep 66605"})
	if _, err := e.Stop(t.Context(), "reboot", 0); err != nil {
		t.Fatal(err)
	}
	// What the disk has after the machine went down: a state that says running, of another boot.
	s.Boot = "another"
	beat := s.StartedAt.Add(90 * time.Minute).Truncate(time.Second)
	if err := writeJSON(dir, stateFile, s); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(dir, heartbeatFile), beat, beat); err != nil {
		t.Fatal(err)
	}
	got, err := e.State(t.Context(), "reboot")
	if err != nil || got.Phase != gpu.PhaseGone || !got.LastProof.Equal(beat) || got.Exit.Err == "" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err = e.Stop(t.Context(), "reboot", 0); err != nil || got.Phase != gpu.PhaseGone {
		t.Errorf("stopped: %+v, %v", got, err)
	}
}

func TestAnotherProcessWithTheShimsPIDIsNotTheShim(t *testing.T) {
	e := open(t, t.TempDir())
	dir, s := start(t, e, gpu.Spec{ID: "reused", Command: "sleep 66606"})
	if _, err := e.Stop(t.Context(), "reused", 0); err != nil {
		t.Fatal(err)
	}
	s.Shim = processID{PID: os.Getpid(), Start: 1}
	s.Init = processID{PID: os.Getpid(), Start: 1}
	if err := writeJSON(dir, stateFile, s); err != nil {
		t.Fatal(err)
	}
	if got, err := e.State(t.Context(), "reused"); err != nil || got.Phase != gpu.PhaseExited {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestTheHeartbeatBeats(t *testing.T) {
	e := open(t, t.TempDir())
	dir, _ := start(t, e, gpu.Spec{ID: "beat", Command: "sleep 66607"})
	begin := time.Now()
	until(t, "a beat", func() bool {
		st, err := os.Stat(filepath.Join(dir, heartbeatFile))
		return err == nil && st.ModTime().After(begin)
	})
}

// TestConsoleProcess is no test: it is the console that TestInstancesOutliveAKilledConsole kills.
func TestConsoleProcess(t *testing.T) {
	dir := os.Getenv("CONSOLE_DIR")
	if dir == "" {
		t.Skip("only for TestInstancesOutliveAKilledConsole")
	}
	e := open(t, dir)
	if _, err := e.Start(t.Context(), gpu.Spec{ID: "survivor", Command: "i=0; while :; do i=$((i+1)); echo $i; sleep 0.02; done"}); err != nil {
		t.Fatal(err)
	}
	term, err := e.Attach(t.Context(), "survivor", gpu.Size{Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := term.Write([]byte("kept=$((11*11))\n")); err != nil {
		t.Fatal(err)
	}
	os.Stdout.WriteString("started\n")
	select {}
}

func TestInstancesOutliveAKilledConsole(t *testing.T) {
	dir := t.TempDir()
	console := exec.Command(os.Args[0], "-test.run", "^TestConsoleProcess$")
	console.Env = append(os.Environ(), "CONSOLE_DIR="+dir)
	console.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := console.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := console.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "started\n" {
		t.Fatalf("%q, %v", line, err)
	}
	// All of its session, as a terminal that is closed would do.
	if err := syscall.Kill(-console.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = console.Wait()
	e := open(t, dir)
	t.Cleanup(func() { end(t, e, "survivor") })
	s, err := e.State(t.Context(), "survivor")
	if err != nil || s.Phase != gpu.PhaseRunning {
		t.Fatalf("%+v, %v", s, err)
	}
	size := func() int64 {
		st, err := os.Stat(filepath.Join(dir, "instances", "survivor", logFile))
		if err != nil {
			t.Fatal(err)
		}
		return st.Size()
	}
	before := size()
	until(t, "the command writes on", func() bool { return size() > before })
	term, err := e.Attach(t.Context(), "survivor", gpu.Size{Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = term.Close() }()
	if _, err := term.Write([]byte("echo still-$kept\n")); err != nil {
		t.Fatal(err)
	}
	var seen strings.Builder
	for buf := make([]byte, 4096); !strings.Contains(seen.String(), "still-121"); {
		n, err := term.Read(buf)
		if err != nil {
			t.Fatalf("%v after %q", err, seen.String())
		}
		seen.Write(buf[:n])
	}
}

func TestAStartThatWasCutOffLeavesNothing(t *testing.T) {
	e := open(t, t.TempDir())
	e.Limits(t.Context())
	dir, _ := e.path("cut")
	for _, d := range []string{dir, filepath.Join(dir, homeDir), filepath.Join(dir, tmpDir)} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// The console was killed after it had written the order: there is no state.
	if err := writeJSON(dir, specFile, record{Spec: gpu.Spec{ID: "cut"}, Cgroup: e.plan}); err != nil {
		t.Fatal(err)
	}
	if all, err := e.List(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := os.Stat(filepath.Join(dir, specFile)); !os.IsNotExist(err) {
		t.Errorf("the order is still there: %v", err)
	}
}

// L5, L15: TestManyShortInstancesLeaveNoZombieAndNoCgroup runs as a console that is PID 1 of its container: every orphan becomes its child.
func TestManyShortInstancesLeaveNoZombieAndNoCgroup(t *testing.T) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Skip(err)
	}
	defer func() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) }()
	e := open(t, t.TempDir())
	for i := range 8 {
		id := fmt.Sprint("short-", i)
		if _, err := e.Start(t.Context(), gpu.Spec{ID: id, Command: "(true &) ; (setsid sleep 66620 &) ; exit 0"}); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Wait(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		dirs := e.plan.dirs(id)
		end(t, e, id)
		for _, d := range dirs {
			if _, err := os.Stat(d); !os.IsNotExist(err) {
				t.Errorf("%s: %v", d, err)
			}
		}
	}
	all, err := allProcesses()
	if err != nil {
		t.Fatal(err)
	}
	for pid, s := range all {
		if s.parent == os.Getpid() && s.state == 'Z' {
			t.Errorf("process %d is a zombie: %q", pid, content(t, "/proc", fmt.Sprint(pid), "status"))
		}
	}
}

func TestTheConsolesUmaskIsNotTheInstances(t *testing.T) {
	e := open(t, t.TempDir())
	defer syscall.Umask(syscall.Umask(0o077))
	if got := output(t, e, gpu.Spec{ID: "umask", Command: "umask; id -u > f && stat -c %a f; whoami > /dev/null && cat /etc/passwd > /dev/null && echo readable"}); got != "0022\n644\nreadable\n" {
		t.Errorf("%q", got)
	}
}
