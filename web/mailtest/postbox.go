// Package mailtest is a real SMTP server (mailpit) with its mailbox, for tests of whatever sends mail. It imports nothing of
// the product.
package mailtest

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

// Postbox is a running SMTP server with what it was sent.
type Postbox struct {
	t    testing.TB
	SMTP string // host:port
	http string // host:port of its API
}

// Mail is one that came; a resend is another with the same MessageID.
type Mail struct {
	ID, MessageID, Subject string
	From                   struct{ Name, Address string }
	To                     []struct{ Address string }
	Text, HTML             string
}

// Start starts a server at a host:port ("": a free one), with more flags of mailpit's. It ends with the test, which is skipped
// where there is no mailpit.
func Start(t testing.TB, smtp string, args ...string) *Postbox {
	t.Helper()
	if smtp == "" {
		smtp = FreePort(t)
	}
	p := &Postbox{t: t, SMTP: smtp, http: FreePort(t)}
	cmd := exec.Command(program(t), append([]string{"--smtp", p.SMTP, "--listen", p.http, "--disable-version-check", "--quiet",
		"--smtp-disable-rdns", "--max", "0", "--database", filepath.Join(t.TempDir(), "mail.db")}, args...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed: its status says nothing
	})
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

// program finds mailpit where .ci/tools puts it, or on the path. Where all that CI needs is said to be there (METERHOUSE_TOOLS),
// it may not be missing.
func program(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("METERHOUSE_TOOLS")
	for _, name := range []string{filepath.Join(dir, "mailpit"), filepath.Join(root(), ".tools", "mailpit"), "mailpit"} {
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

// root is the module's directory: a test runs in that of its package.
func root() string {
	dir := "."
	for range 10 {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		dir = filepath.Join(dir, "..")
	}
	return dir
}

// FreePort is a host:port at which nothing listens.
func FreePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func (p *Postbox) get(path string, out any) {
	p.t.Helper()
	a, err := http.Get("http://" + p.http + "/api/v1" + path)
	if err == nil {
		defer a.Body.Close()
		err = json.NewDecoder(a.Body).Decode(out)
	}
	if err != nil {
		p.t.Fatalf("%s: %v", path, err)
	}
}

// Count is how many mails came.
func (p *Postbox) Count() int {
	p.t.Helper()
	var list struct{ Total int }
	p.get("/messages?limit=1", &list)
	return list.Total
}

// Mails are all that came, oldest first, whole.
func (p *Postbox) Mails() []Mail {
	p.t.Helper()
	var list struct{ Messages []Mail }
	p.get("/messages?limit=5000", &list)
	var all []Mail
	for i := len(list.Messages) - 1; i >= 0; i-- {
		var m Mail
		p.get("/message/"+list.Messages[i].ID, &m)
		all = append(all, m)
	}
	return all
}

// Header is a header of a mail as it came.
func (p *Postbox) Header(id, name string) string {
	p.t.Helper()
	var h map[string][]string
	p.get("/message/"+id+"/headers", &h)
	return strings.Join(h[name], "; ")
}
