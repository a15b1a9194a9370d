package mail

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// postbox is a real SMTP server with its mailbox.
type postbox struct {
	smtp, http string
	stop       func()
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

// mailpit finds the server's program where .ci/tools puts it, or on the path. Where all that CI needs is said to be there
// (METERHOUSE_TOOLS), it may not be missing.
func mailpit(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("METERHOUSE_TOOLS")
	for _, name := range []string{filepath.Join(dir, "mailpit"), filepath.Join("..", "..", ".tools", "mailpit"), "mailpit"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if dir != "" {
		t.Fatalf("mailpit is missing in %s: run .ci/tools", dir)
	}
	t.Skip("mailpit is not installed; make test installs it")
	return ""
}

func startPostbox(t *testing.T, smtp string, args ...string) *postbox {
	t.Helper()
	p := &postbox{smtp: smtp, http: freePort(t)}
	cmd := exec.Command(mailpit(t), append([]string{"--smtp", p.smtp, "--listen", p.http, "--quiet", "--disable-version-check"}, args...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stopped := false
	p.stop = func() {
		if !stopped {
			stopped = true
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // killed: its status says nothing
		}
	}
	t.Cleanup(p.stop)
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if a, err := http.Get("http://" + p.http + "/readyz"); err == nil {
			_ = a.Body.Close()
			if a.StatusCode == http.StatusOK {
				return p
			}
		}
		if time.Since(begun) > 20*time.Second {
			t.Fatal("the mail server did not start")
		}
	}
}

// received is a mail as the server holds it.
type received struct {
	ID, MessageID, Subject string
	From                   struct{ Name, Address string }
	To                     []struct{ Address string }
	Text, HTML             string
}

func (p *postbox) get(t *testing.T, path string, out any) {
	t.Helper()
	a, err := http.Get("http://" + p.http + "/api/v1" + path)
	if err == nil {
		defer a.Body.Close()
		err = json.NewDecoder(a.Body).Decode(out)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// mails are all that came, oldest first, whole.
func (p *postbox) mails(t *testing.T) []received {
	t.Helper()
	var list struct{ Messages []received }
	p.get(t, "/messages?limit=500", &list)
	var all []received
	for i := len(list.Messages) - 1; i >= 0; i-- {
		var m received
		p.get(t, "/message/"+list.Messages[i].ID, &m)
		all = append(all, m)
	}
	return all
}

func (p *postbox) header(t *testing.T, id, name string) string {
	t.Helper()
	var h map[string][]string
	p.get(t, "/message/"+id+"/headers", &h)
	return strings.Join(h[name], "; ")
}
