package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func (c *console) volume(id string, done func(volumeLine) bool) (v volumeLine) {
	c.t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		var answer struct{ Volumes []volumeLine }
		if err := json.Unmarshal([]byte(c.cli("", "volume", "ls", "--json")), &answer); err != nil {
			c.t.Fatal(err)
		}
		for _, v = range answer.Volumes {
			if v.ID == id && done(v) {
				return v
			}
		}
	}
	c.t.Fatalf("volume %s: %+v", id, v)
	return v
}

func TestAVolumeOutlivesInstancesAndConsoles(t *testing.T) {
	c := withAdmin(t)
	ready := func(v volumeLine) bool { return v.Status == "ready" }
	id := strings.TrimSpace(c.cli("", "volume", "create", "data", "--gib", "1"))
	c.volume(id, ready)
	c.cli("weights", "volume", "put", "-", "data:model.bin")
	if got := c.cli("", "volume", "get", "data:model.bin", "-"); got != "weights" {
		t.Errorf("brought out: %q", got)
	}
	var i instance
	c.cliJSON(&i, "rent", "--cpu-only", "--volume", "data:/data", "--wait", "--", "sleep 600")
	if code, _, errOut := c.try("", "volume", "rm", "data"); code != exitFailed || !strings.Contains(errOut, "works in this volume") {
		t.Errorf("deleted under an instance: %d %s", code, errOut)
	}
	if code, _, errOut := c.try("", "rent", "--cpu-only", "--volume", "data:/data", "--", "true"); code != exitFailed || !strings.Contains(errOut, "works in this volume") {
		t.Errorf("a second writer: %d %s", code, errOut)
	}
	c.kill9()
	c.start()
	if v := c.volume(id, ready); len(v.Attachments) != 1 {
		t.Errorf("after a kill: %+v", v)
	}
	holds := func(when, name string) {
		t.Helper()
		if got := c.cli("", "volume", "get", name+":model.bin", "-"); got != "weights" {
			t.Errorf("%s: %q", when, got)
		}
	}
	holds("after a kill", "data")
	c.cli("", "stop", i.ID)
	c.reaches(i.ID, "stopped")
	c.cli("", "volume", "snapshot", "data", "before")
	v := c.volume(id, func(v volumeLine) bool { return len(v.Snapshots) == 1 && v.Snapshots[0].Status == "ready" })
	if len(v.Attachments) != 0 {
		t.Errorf("still attached: %+v", v)
	}
	holds("after its instance", "data")
	again := strings.TrimSpace(c.cli("", "volume", "create", "again", "--gib", "2", "--snapshot", v.Snapshots[0].ID))
	c.volume(again, ready)
	t.Log(c.cli("", "volume", "ls", "--json"))
	holds("from the snapshot", "again")
	for _, name := range []string{"data", "again"} {
		c.cli("", "volume", "rm", name)
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		left, err := filepath.Glob(filepath.Join(c.data, "volumes", "*", "*"))
		if err != nil || len(left) == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("left on the node: %v", left)
		}
	}
	if mounts, err := os.ReadFile("/proc/self/mounts"); err != nil || strings.Contains(string(mounts), c.data) {
		t.Errorf("still mounted: %s, %v", mounts, err)
	}
	if out := c.cli("", "doctor", "ledger", "--data", c.data); !strings.Contains(out, "ok") && !strings.Contains(out, "equal") {
		t.Logf("%s", out)
	}
}
