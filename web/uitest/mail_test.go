package uitest

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// mailbox is a real SMTP server that keeps what it is sent.
type mailbox struct {
	t    *testing.T
	smtp string // host:port
	http string // host:port of its API
}

// message is one mail that has arrived.
type message struct {
	ID        string
	MessageID string
	Subject   string
	To        []struct{ Address string }
	Text      string
	HTML      string
}

// startMailbox starts an SMTP server, which ends with the test.
func startMailbox(t *testing.T) *mailbox {
	t.Helper()
	m := &mailbox{t: t, smtp: freeAddress(t), http: freeAddress(t)}
	cmd := exec.Command(tool(t, "mailpit"), "--smtp", m.smtp, "--listen", m.http, "--disable-version-check", "--quiet",
		"--smtp-disable-rdns", "--database", filepath.Join(t.TempDir(), "mail.db"))
	out := &output{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		ended := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
		defer ended.Stop()
		cmd.Wait()
	})
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if res, err := http.Get("http://" + m.http + "/readyz"); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return m
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("the SMTP server is not ready after 10 s:\n%s", out)
		}
	}
}

// messages returns the mails that have arrived, with their texts, newest first.
func (m *mailbox) messages() []message {
	m.t.Helper()
	var list struct{ Messages []message }
	m.get("/api/v1/messages?limit=200", &list)
	for i := range list.Messages {
		m.get("/api/v1/message/"+list.Messages[i].ID, &list.Messages[i])
	}
	return list.Messages
}

func (m *mailbox) get(path string, out any) {
	m.t.Helper()
	res, err := http.Get("http://" + m.http + path)
	if err != nil {
		m.t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(out); err != nil {
		m.t.Fatalf("%s: %v", path, err)
	}
}
