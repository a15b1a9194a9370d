package uitest

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/web/mailtest"
)

// console is a real console on its own data directory. It can be killed and started again; its instances are stopped and it
// is ended when the test is over.
type console struct {
	t       *testing.T
	bin     string
	address string // host:port
	data    string
	smtp    string   // host:port of the SMTP server, "" for none
	more    []string // of its command line
	cmd     *exec.Cmd
	ended   chan struct{} // closed when cmd has ended
	output  *output
	admin   *person       // set by the first use of asAdmin
	ready   time.Duration // from the start of the program to readiness, of the last start
}

// output keeps what a program writes, while it writes.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// startConsole starts a console with simulated GPUs. mail may be nil.
func startConsole(t *testing.T, mail *mailtest.Postbox, change ...func(*console)) *console {
	t.Helper()
	c := &console{t: t, bin: program(t), address: freeAddress(t), output: &output{}}
	c.data = filepath.Join(t.TempDir(), "data")
	if mail != nil {
		c.smtp = mail.SMTP
	}
	for _, f := range change {
		f(c)
	}
	c.start()
	t.Cleanup(c.close)
	return c
}

// start runs the program and waits until it says that it is ready.
func (c *console) start() {
	c.t.Helper()
	args := []string{"serve", "--demo", "--listen", c.address, "--data", c.data}
	if c.smtp != "" {
		args = append(args, "--smtp", "smtp://"+c.smtp, "--mail-from", "meterhouse@example.com")
	}
	cmd := exec.Command(c.bin, append(args, c.more...)...)
	cmd.Stdout, cmd.Stderr = c.output, c.output
	// Its instances' processes may hold the pipe of its output after it was killed.
	cmd.WaitDelay = 100 * time.Millisecond
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	c.cmd, c.ended = cmd, ended
	for deadline := began.Add(20 * time.Second); ; {
		if c.answers("/readyz") {
			break
		}
		select {
		case <-ended:
			c.t.Fatalf("the console ended with %v:\n%s", cmd.ProcessState, c.output)
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("the console is not ready after 20 s:\n%s", c.output)
		}
	}
	c.ready = time.Since(began)
}

func (c *console) answers(path string) bool {
	client := http.Client{Timeout: 2 * time.Second}
	res, err := client.Get(c.url(path))
	if err != nil {
		return false
	}
	res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// kill9 ends the console as a crash would: at once.
func (c *console) kill9() {
	c.t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		c.t.Fatal(err)
	}
	<-c.ended
}

// url is the address of a page.
func (c *console) url(path string) string { return "http://" + c.address + path }

// setupPath is the path and query of the one-time link to set the site up.
func (c *console) setupPath() string { return c.printed("/setup?code=") }

// loginPath is the path and query of the one-time link with which a demo lets its admin in.
func (c *console) loginPath() string { return c.printed("/login") }

// printed returns the last link to a path that the console has printed, without its host.
func (c *console) printed(path string) string {
	c.t.Helper()
	link := regexp.MustCompile(regexp.QuoteMeta(c.url(path)) + `\S*`)
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if found := link.FindAllString(c.output.String(), -1); found != nil {
			return strings.TrimPrefix(found[len(found)-1], c.url(""))
		}
	}
	c.t.Fatalf("the console printed no link to %s:\n%s", path, c.output)
	return ""
}

// close stops every instance, ends the console as systemd would and fails the test if anything of it is left.
func (c *console) close() {
	running := true
	select {
	case <-c.ended:
		running = false
	default:
	}
	if !running && !c.t.Failed() {
		c.t.Errorf("the console ended by itself:\n%s", c.output)
	}
	if running {
		c.stopInstances()
		c.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-c.ended:
		case <-time.After(15 * time.Second):
			c.t.Error("SIGTERM did not end the console within 15 s")
			c.cmd.Process.Kill()
			<-c.ended
		}
	}
	for _, left := range processesOf(c.data, 5*time.Second) {
		c.t.Errorf("process %d is left: %s", left.pid, left.command)
		syscall.Kill(left.pid, syscall.SIGKILL)
	}
	if c.t.Failed() {
		c.t.Logf("the console's output:\n%s", tail(c.output.String(), 6000))
	}
}

// cli runs the program's own command line against this console and returns what it printed.
func (c *console) cli(stdin string, args ...string) string {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.bin, args...)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "METERHOUSE_URL="+c.url(""))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		c.t.Fatalf("meterhouse %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSpace(stdout.String())
}

func tail(s string, n int) string {
	if len(s) > n {
		return "…" + s[len(s)-n:]
	}
	return s
}
