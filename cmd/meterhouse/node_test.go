package main

import (
	"strings"
	"testing"
)

func TestANodeIsClosedAndOpenedOnTheCommandLine(t *testing.T) {
	c := withAdmin(t)
	name := strings.Fields(strings.Split(c.cli("", "node", "ls"), "\n")[1])[1]
	for _, verb := range []struct {
		args []string
		says string
	}{
		{[]string{"node", "cordon", name, "--reason", "fans"}, "cordoned"}, {[]string{"node", "drain", name}, "drained"}, {[]string{"node", "drain", name, "--by", "2h"}, "drained"},
		{[]string{"node", "uncordon", name}, "open"},
	} {
		if out := c.cli("", verb.args...); !strings.Contains(out, verb.says) {
			t.Errorf("%v: %s", verb.args, out)
		}
	}
	id := strings.Fields(c.cli("", "node", "maintenance", name, "--start", "2h", "--end", "3h", "--reason", "firmware"))[0]
	if out := c.cli("", "node", "ls"); !strings.Contains(out, "Z/") {
		t.Errorf("the window is not listed: %s", out)
	}
	c.cli("", "node", "maintenance", name, "--cancel", id)
	var i instance
	c.cliJSON(&i, "rent", "--cpu-only", "--node", name, "--wait", "--", "true")
	if code, _, errOut := c.try("", "rent", "--cpu-only", "--node", "nowhere", "--", "true"); code != exitFailed || !strings.Contains(errOut, "no node nowhere") {
		t.Errorf("a node that is not there: %d %s", code, errOut)
	}
	if code, _, _ := c.try("", "node", "maintenance", name, "--reason", "x"); code != exitUsage {
		t.Errorf("a window without times: %d", code)
	}
}
