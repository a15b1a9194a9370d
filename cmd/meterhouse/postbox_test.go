package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// postbox is a real SMTP server with its mailbox.
type postbox struct {
	t          *testing.T
	smtp, http string
}

// letter is one mail as it came: a resend is another with the same MessageID.
type letter struct {
	ID, MessageID string
	To            []struct{ Address string }
	Text          string
}

// startPostbox starts an SMTP server, which ends with the test. Where all that the tests need is said to be there
// (METERHOUSE_TOOLS), it may not be missing.
func startPostbox(t *testing.T) *postbox {
	t.Helper()
	dir, program := os.Getenv("METERHOUSE_TOOLS"), ""
	for _, name := range []string{filepath.Join(dir, "mailpit"), filepath.Join(root, ".tools", "mailpit"), "mailpit"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	switch {
	case program == "" && dir != "":
		t.Fatalf("mailpit is missing in %s: run .ci/tools", dir)
	case program == "":
		t.Skip("mailpit is not installed; make test installs it")
	}
	p := &postbox{t: t, smtp: freePort(t), http: freePort(t)}
	cmd := exec.Command(program, "--smtp", p.smtp, "--listen", p.http, "--disable-version-check", "--quiet", "--smtp-disable-rdns", "--max", "0", "--database", filepath.Join(t.TempDir(), "mail.db"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed: its status says nothing
	})
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if a, err := http.Get("http://" + p.http + "/readyz"); err == nil {
			_ = a.Body.Close()
			if a.StatusCode == http.StatusOK {
				return p
			}
		}
		if time.Now().After(deadline) {
			t.Fatal("the mail server did not start")
		}
	}
}

func (p *postbox) get(path string, out any) {
	p.t.Helper()
	a, err := http.Get("http://" + p.http + "/api/v1" + path)
	if err == nil {
		defer a.Body.Close()
		err = json.NewDecoder(a.Body).Decode(out)
	}
	if err != nil {
		p.t.Error(err) // also called beside the test
	}
}

// count is how many mails came.
func (p *postbox) count() int {
	p.t.Helper()
	var list struct{ Total int }
	p.get("/messages?limit=1", &list)
	return list.Total
}

// whole are all mails that came, by their Message-ID.
func (p *postbox) whole() map[string][]letter {
	p.t.Helper()
	var list struct{ Messages []letter }
	p.get("/messages?limit=5000", &list)
	all := map[string][]letter{}
	for _, m := range list.Messages {
		p.get("/message/"+m.ID, &m)
		all[m.MessageID] = append(all[m.MessageID], m)
	}
	return all
}
