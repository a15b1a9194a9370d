package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// agentOf runs an agent until the test ends; ended gets its exit.
func agentOf(t *testing.T, c *console, data string, args ...string) (said *output, ended chan error) {
	t.Helper()
	cmd := exec.Command(c.bin, append([]string{"agent", "--console", "http://" + c.listen, "--data", data, "--name", "far", "--engine", "none"}, args...)...)
	said, ended = &output{}, make(chan error, 1)
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		ended <- cmd.Wait()
		close(done)
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-done
	})
	return said, ended
}

func says(t *testing.T, o *output, text string) {
	t.Helper()
	for limit := time.Now().Add(30 * time.Second); !strings.Contains(o.String(), text); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("it does not say %q:\n%s", text, o)
		}
	}
}

// A token is good for one machine; that machine comes back by its key, until its node is removed.
func TestAnAgentJoinsOnceAndIsKnownByItsKey(t *testing.T) {
	c := withAdmin(t)
	token := strings.TrimSpace(c.cli("", "admin", "node", "join", "--data", c.data))
	data := filepath.Join(t.TempDir(), "agent")
	said, _ := agentOf(t, c, data, "--join", token)
	says(t, said, "line to the console")

	other, ended := agentOf(t, c, filepath.Join(t.TempDir(), "other"), "--join", token)
	if err := <-ended; err == nil || !strings.Contains(other.String(), "was used already") {
		t.Errorf("a second machine with the same token: %v\n%s", err, other)
	}
	said, _ = agentOf(t, c, data)
	says(t, said, "line to the console")

	c.cli("", "admin", "node", "remove", "far", "--data", c.data)
	said, ended = agentOf(t, c, data)
	if err := <-ended; err == nil || !strings.Contains(said.String(), "was removed from the console") {
		t.Errorf("after its node was removed: %v\n%s", err, said)
	}
}
