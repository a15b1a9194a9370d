package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// built is the program under test, built once by the first test that needs it.
var built struct {
	once sync.Once
	dir  string
	path string
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

func programFile(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "meterhouse-test-"); built.err != nil {
			return
		}
		// An instance's user must be able to execute it.
		if built.err = os.Chmod(built.dir, 0o755); built.err != nil {
			return
		}
		built.path = filepath.Join(built.dir, "meterhouse")
		out, err := exec.Command("go", "build", "-o", built.path, ".").CombinedOutput()
		if err != nil {
			built.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}

// console is a real console in a process of its own, which can be killed and started again on the same data.
type console struct {
	t      *testing.T
	bin    string
	listen string
	data   string
	args   []string
	token  string
	on     *machine    // nil: the tests' own
	cert   certificate // what it shows; nothing: it speaks plainly

	mu     sync.Mutex // guards cmd and ended: tests kill it while others use it
	cmd    *exec.Cmd
	ended  chan struct{}
	output *output
}

// output keeps what a program writes while it writes.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func newConsole(t *testing.T, args ...string) *console {
	t.Helper()
	return newConsoleIn(t, filepath.Join(t.TempDir(), "data"), args...)
}

func newConsoleIn(t *testing.T, data string, args ...string) *console {
	t.Helper()
	if testing.Short() {
		t.Skip("starts real consoles")
	}
	c := &console{t: t, bin: programFile(t), listen: freePort(t), data: data, args: args, output: &output{}}
	t.Cleanup(c.close)
	c.start()
	return c
}

// withAdmin is newConsole with an admin and a token.
func withAdmin(t *testing.T, args ...string) *console {
	t.Helper()
	return withAdminIn(t, filepath.Join(t.TempDir(), "data"), append([]string{"--demo"}, args...)...)
}

func withAdminIn(t *testing.T, data string, args ...string) *console {
	t.Helper()
	c := newConsoleIn(t, data, args...)
	c.addAdmin()
	return c
}

// addAdmin makes an admin, and takes a token for its own use.
func (c *console) addAdmin() {
	c.t.Helper()
	c.cli("correct horse battery staple\n", "admin", "user", "add", "boss", "--email", "boss@example.com", "--role", "admin", "--team", "research", "--data", c.data, "--password-stdin")
	c.token = strings.TrimSpace(c.cli("", "admin", "token", "create", "--user", "boss", "--data", c.data))
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start runs the program and waits until it is ready.
func (c *console) start() {
	c.t.Helper()
	if err := c.tryStart(); err != nil {
		c.t.Fatal(err)
	}
}

func (c *console) tryStart() error {
	cmd := exec.Command(c.bin, append([]string{"serve", "--listen", c.listen, "--data", c.data}, c.args...)...)
	cmd.Stdout, cmd.Stderr = c.output, c.output
	cmd.WaitDelay = 100 * time.Millisecond
	if err := c.on.launch(cmd); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	c.mu.Lock()
	c.cmd, c.ended = cmd, ended
	c.mu.Unlock()
	for deadline := time.Now().Add(30 * time.Second); !c.ready(); {
		select {
		case <-ended:
			return fmt.Errorf("the console ended with %v:\n%s", cmd.ProcessState, c.output)
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the console is not ready after 30 s:\n%s", c.output)
		}
	}
	return nil
}

// base is the console's address.
func (c *console) base() string {
	if c.cert.file != "" {
		return "https://" + c.listen
	}
	return "http://" + c.listen
}

// api is a client with the console's token.
func (c *console) api() *client {
	return &client{base: c.base(), token: c.token, http: c.cert.client(10 * time.Second)}
}

func (c *console) ready() bool {
	res, err := c.cert.client(time.Second).Get(c.base() + "/readyz")
	if err != nil {
		return false
	}
	res.Body.Close()
	return res.StatusCode == http.StatusOK
}

func (c *console) process() (*exec.Cmd, chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cmd, c.ended
}

// kill9 ends the console as a crash would.
func (c *console) kill9() {
	cmd, ended := c.process()
	cmd.Process.Kill()
	<-ended
}

// terminate ends it as a service manager would, and returns how long that took.
func (c *console) terminate() time.Duration {
	c.t.Helper()
	cmd, ended := c.process()
	began := time.Now()
	cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(15 * time.Second):
		c.t.Errorf("SIGTERM did not end the console in 15 s:\n%s", c.output)
		c.kill9()
	}
	return time.Since(began)
}

// close ends the console and everything that it has started.
func (c *console) close() {
	cmd, ended := c.process()
	if cmd == nil {
		return
	}
	select {
	case <-ended:
	default:
		if c.token != "" {
			if _, out, _ := c.try("", "ls", "--json"); out != "" {
				var list struct{ Instances []struct{ ID string } }
				if json.Unmarshal([]byte(out), &list) == nil {
					for _, i := range list.Instances {
						c.try("", "stop", i.ID, "--wait")
					}
				}
			}
		}
		c.terminate()
	}
	for _, pid := range c.left() {
		c.t.Errorf("process %d is left", pid)
		syscall.Kill(pid, syscall.SIGKILL)
	}
	if c.t.Failed() {
		text := c.output.String()
		c.t.Logf("the console said:\n%s", text[max(0, len(text)-6000):])
	}
}

// left are the processes that name this console's data directory, after they had a moment to end.
func (c *console) left() (pids []int) {
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		pids = nil
		files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, file := range files {
			text, err := os.ReadFile(file)
			var pid int
			if err == nil && bytes.Contains(text, []byte(c.data)) {
				fmt.Sscanf(file, "/proc/%d/", &pid)
				pids = append(pids, pid)
			}
		}
		if len(pids) == 0 || time.Now().After(deadline) {
			return pids
		}
	}
}

// try runs the program's command line against this console.
func (c *console) try(stdin string, args ...string) (code int, out, errOut string) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.bin, args...)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "METERHOUSE_TOKEN="+c.token)
	if c.listen != "" {
		cmd.Env = append(cmd.Env, "METERHOUSE_URL="+c.base())
	}
	if c.cert.file != "" {
		cmd.Env = append(cmd.Env, "SSL_CERT_FILE="+c.cert.file)
	}
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return -1, o.String(), err.Error()
	}
	return cmd.ProcessState.ExitCode(), o.String(), e.String()
}

// cli is try for what must work.
func (c *console) cli(stdin string, args ...string) string {
	c.t.Helper()
	code, out, errOut := c.try(stdin, args...)
	if code != exitDone {
		c.t.Fatalf("meterhouse %s: status %d\n%s%s", strings.Join(args, " "), code, out, errOut)
	}
	return out
}

// cliJSON is cli with --json, decoded.
func (c *console) cliJSON(into any, args ...string) {
	c.t.Helper()
	out := c.cli("", append([]string{args[0], "--json"}, args[1:]...)...)
	if err := json.Unmarshal([]byte(out), into); err != nil {
		c.t.Fatalf("meterhouse %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func (c *console) instance(id string) (i instance) {
	c.t.Helper()
	c.cliJSON(&i, "show", id)
	return i
}

// reaches waits until an instance has a status.
func (c *console) reaches(id, status string) instance {
	c.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		i := c.instance(id)
		if i.Status == status {
			return i
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("%s is %s after 30 s, not %s", id, i.Status, status)
		}
	}
}
