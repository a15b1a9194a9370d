package main

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestKillingTheConsoleEndsNoInstance(t *testing.T) {
	c := withAdmin(t)
	var i instance
	c.cliJSON(&i, "rent", "--name", "counter", "--wait", "--", `echo "pid $$"; n=0; while :; do n=$((n+1)); echo $n > new; mv new count; echo tick $n; sleep 0.2; done`)
	count := func() int {
		n, err := strconv.Atoi(strings.TrimSpace(c.cli("", "exec", i.ID, "--", "sh", "-c", "until test -e count; do sleep 0.05; done; cat count")))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := c.reaches(i.ID, "running")
	for count() < 3 {
		time.Sleep(100 * time.Millisecond)
	}
	followed := &output{}
	follower := exec.Command(c.bin, "logs", "-f", i.ID)
	follower.Env = append(os.Environ(), "METERHOUSE_URL=http://"+c.listen, "METERHOUSE_TOKEN="+c.token)
	follower.Stdout, follower.Stderr = followed, followed
	if err := follower.Start(); err != nil {
		t.Fatal(err)
	}
	reached := 0
	for range 3 {
		reached = count()
		c.kill9()
		time.Sleep(time.Second)
		c.start()
		if now := count(); now <= reached {
			t.Fatalf("the command stood still at %d", now)
		}
	}
	after := c.reaches(i.ID, "running")
	if !after.StartedAt.Equal(*before.StartedAt) {
		t.Errorf("started at %v, before the kills %v", after.StartedAt, before.StartedAt)
	}
	if text := c.cli("", "logs", i.ID); strings.Count(text, "pid ") != 1 {
		t.Errorf("the command began again:\n%s", text)
	}
	if took := c.terminate(); took > 10*time.Second {
		t.Errorf("SIGTERM took %v", took)
	}
	if info, err := os.Stat(filepath.Join(c.data, "meterhouse.db-wal")); err == nil && info.Size() > 0 {
		t.Errorf("the write-ahead log has %d bytes after a graceful end", info.Size())
	}
	time.Sleep(500 * time.Millisecond)
	c.start()
	if count() <= reached {
		t.Error("a graceful end of the console ended the command")
	}
	c.cli("", "stop", i.ID, "--wait")
	if err := follower.Wait(); err != nil {
		t.Errorf("logs -f ended with %v", err)
	}
	if text := c.cli("", "logs", i.ID); followed.String() != text {
		t.Errorf("logs -f over the kills differs from the log: %d and %d bytes\n%.2000s", len(followed.String()), len(text), followed)
	}
	var bill bill
	c.billOf(i.ID, &bill)
	if s := bill.Segments; len(s) == 0 || s[0].State != "running" || len(s) == 2 && !s[1].Minimum || len(s) > 2 {
		t.Errorf("the bill is %+v, want one segment without a gap, and the minimum", s)
	}
	c.cli("", "doctor", "ledger", "--data", c.data)
}

func (c *console) billOf(id string, into *bill) {
	c.t.Helper()
	if err := c.api().get(c.t.Context(), "/instances/"+id+"/bill", nil, into); err != nil {
		c.t.Fatal(err)
	}
}

func TestTheWholeCommandLine(t *testing.T) {
	c := withAdmin(t)
	var i instance
	c.cliJSON(&i, "rent", "--name", "first", "--hours", "2", "--label", "project=vision", "--wait", "--", "echo marker; cat; sleep 600")
	if i.Status != "running" || !i.Simulated || i.EndsAt == nil || i.Labels["project"] != "vision" {
		t.Errorf("rented %+v", i)
	}
	if out := c.cli("", "ls"); !strings.Contains(out, i.ID) || !strings.Contains(out, "simulated") {
		t.Errorf("ls:\n%s", out)
	}
	if out := c.cli("", "show", i.ID); !strings.Contains(out, "running") || !strings.Contains(out, i.GPUs[0]) {
		t.Errorf("show:\n%s", out)
	}
	if out := c.cli("", "logs", i.ID); !strings.Contains(out, "marker") {
		t.Errorf("logs: %q", out)
	}
	if out := c.cli("from outside\n", "exec", "--stdin", i.ID, "--", "cat"); out != "from outside\n" {
		t.Errorf("exec: %q", out)
	}
	if code, _, errOut := c.try("", "exec", i.ID, "--", "sh", "-c", "exit 3"); code != 3 || !strings.Contains(errOut, "status 3") {
		t.Errorf("exec of what fails: status %d, %q", code, errOut)
	}
	var ran struct {
		Code   int
		Stdout string
	}
	c.cliJSON(&ran, "exec", i.ID, "--", "sh", "-c", "echo $CUDA_DEVICE_ORDER")
	c.cli("", "suspend", i.ID, "--wait")
	c.reaches(i.ID, "suspended")
	c.cli("", "resume", i.ID, "--wait")
	c.cli("", "stop", i.ID, "--wait")
	if got := c.reaches(i.ID, "stopped"); got.Cost == 0 {
		t.Error("it cost nothing")
	}
	if out := c.cli("", "ls"); strings.Contains(out, i.ID) {
		t.Errorf("ls lists what has ended:\n%s", out)
	}
	if out := c.cli("", "ls", "--all"); !strings.Contains(out, i.ID) {
		t.Errorf("ls --all does not:\n%s", out)
	}
	for _, by := range []string{"member", "team", "gpu_model", "day", "kind", "label:project"} {
		if out := c.cli("", "cost", "--by", by); !strings.Contains(out, "total") {
			t.Errorf("cost --by %s:\n%s", by, out)
		}
	}
	c.cli("", "budget")
	if code, _, errOut := c.try("", "show", "i-nothere"); code != exitFailed || errOut == "" {
		t.Errorf("show of nothing: status %d, %q", code, errOut)
	}
	var same [2]instance
	for n := range same {
		c.cliJSON(&same[n], "rent", "--cpu-only", "--idempotency-key", "once")
	}
	if same[0].ID != same[1].ID {
		t.Error("one key rented twice")
	}
	c.cli("", "stop", same[0].ID, "--wait")
}

func TestABenchmarkFromTheCommandLine(t *testing.T) {
	c := withAdmin(t)
	if code, _, errOut := c.try("", "bench", "nonsense"); code != exitFailed || !strings.Contains(errOut, "no such suite") || !strings.Contains(errOut, "stream, matmul") {
		t.Errorf("a suite that is none: status %d, %q", code, errOut)
	}
	var run benchmarkRun
	code, out, errOut := c.try("", "bench", "stream", "--seconds", "5", "--size", "65536", "--json")
	if err := json.Unmarshal([]byte(out), &run); err != nil || code != exitDone {
		t.Fatalf("status %d, %v\n%s%s", code, err, out, errOut)
	}
	if run.Status != "done" && run.Status != "unstable" {
		t.Errorf("it is %s: %s", run.Status, run.Error)
	}
	if len(run.Results) == 0 || run.Results[0].Median <= 0 {
		t.Errorf("results %+v", run.Results)
	}
}

func TestAdminVerbsWorkWhileAConsoleRuns(t *testing.T) {
	c := withAdmin(t)
	if out := c.cli("", "admin", "user", "list", "--data", c.data); !strings.Contains(out, "boss@example.com") {
		t.Errorf("user list:\n%s", out)
	}
	if out := c.cli("", "admin", "login-link", "--user", "boss", "--data", c.data); !strings.Contains(out, "/login/link?code=") {
		t.Errorf("login-link: %q", out)
	}
	c.cli("", "admin", "price", "set", "cpu-2", "0.123456", "--data", c.data)
	var i instance
	c.cliJSON(&i, "rent", "--cpu-only")
	if i.Rate != 123456 {
		t.Errorf("rented at %d, the price was set to 123456", i.Rate)
	}
	c.cli("", "stop", i.ID, "--wait")
	code, _, errOut := c.try("x\n", "admin", "user", "add", "boss", "--email", "b@example.com", "--role", "admin", "--team", "research", "--data", c.data, "--password-stdin")
	if code != exitFailed || errOut == "" {
		t.Errorf("the same name again: status %d, %q", code, errOut)
	}
	file := filepath.Join(t.TempDir(), "copy.db")
	c.cli("", "backup", file, "--data", c.data)
	if code, _, _ := c.try("", "backup", file, "--data", c.data); code != exitFailed {
		t.Errorf("a backup over another: status %d", code)
	}
	fresh := filepath.Join(t.TempDir(), "restored")
	c.cli("", "restore", file, "--data", fresh)
	if out := c.cli("", "admin", "user", "list", "--data", fresh); !strings.Contains(out, "boss@example.com") {
		t.Errorf("restored:\n%s", out)
	}
	if code, _, _ := c.try("", "restore", file, "--data", fresh); code != exitFailed {
		t.Errorf("a restore over another: status %d", code)
	}
	c.cli("", "doctor", "ledger", "--data", fresh)
}

func TestTheDoctorSaysWhatIsBroken(t *testing.T) {
	c := withAdmin(t)
	var report struct {
		OK     bool
		Checks []finding
	}
	c.cliJSON(&report, "doctor", "--data", c.data)
	if !report.OK || len(report.Checks) < 8 {
		t.Errorf("the doctor says %+v", report)
	}
	bad := t.TempDir()
	if err := os.WriteFile(filepath.Join(bad, "meterhouse.db"), []byte("this is no database, but long enough"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := c.try("", "doctor", "--data", bad); code != exitFailed || !strings.Contains(out, "broken") {
		t.Errorf("over a broken database: status %d\n%s", code, out)
	}
	if code, out, _ := c.try("", "doctor", "--data", c.data, "--smtp", "smtp://"+freePort(t)); code != exitFailed || !strings.Contains(out, "mail server") {
		t.Errorf("without a mail server: status %d\n%s", code, out)
	}
}

func TestWhatKeepsAConsoleFromStartingIsSaidInWords(t *testing.T) {
	c := newConsole(t, "--demo")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	copied := func(change func([]byte) []byte) string {
		dir := t.TempDir()
		name := filepath.Join(dir, "meterhouse.db")
		c.cli("", "backup", name, "--data", c.data)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, change(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	newer := copied(func(text []byte) []byte {
		binary.BigEndian.PutUint32(text[60:], 9999) // user_version, by SQLite's file format
		return text
	})
	damaged := copied(func(text []byte) []byte {
		for i := 4096; i < len(text) && i < 60000; i++ {
			text[i] ^= 0x5a
		}
		return text
	})
	unmade := filepath.Join(t.TempDir(), "not", "made")
	for _, bad := range []struct {
		name, listen, data, words string
	}{
		{"port in use", c.listen, unmade, c.listen},
		{"two consoles on one directory", "127.0.0.1:0", c.data, "Another console"},
		{"the directory is a file", "127.0.0.1:0", file, "directory"},
		{"below a file", "127.0.0.1:0", filepath.Join(file, "data"), "--data"},
		{"newer database", "127.0.0.1:0", newer, "newer"},
		{"damaged database", "127.0.0.1:0", damaged, "damaged"},
		{"no certificate", "127.0.0.1:0", t.TempDir(), "--tls-cert"},
		{"no such simulator file", "127.0.0.1:0", t.TempDir(), "--sim"},
	} {
		t.Run(bad.name, func(t *testing.T) {
			args := []string{"serve", "--listen", bad.listen, "--data", bad.data}
			if strings.Contains(bad.name, "simulator") {
				args = append(args, "--sim", file+".json")
			}
			if strings.Contains(bad.name, "certificate") {
				args = append(args, "--tls-cert", file, "--tls-key", file)
			}
			code, _, errOut := c.try("", args...)
			if code != exitFailed || !strings.Contains(errOut, bad.words) {
				t.Errorf("status %d, stderr %q; want status 1 and %q", code, errOut, bad.words)
			}
		})
	}
	if !c.ready() {
		t.Error("the console that ran has ended")
	}
	if _, err := os.Stat(filepath.Dir(unmade)); err == nil {
		t.Error("a busy port left a data directory")
	}
}

func TestTheFirstStartPrintsOneSetupLinkAndTheSecondADemoLink(t *testing.T) {
	c := newConsole(t, "--demo")
	if n := strings.Count(c.output.String(), "/setup?code="); n != 1 {
		t.Errorf("%d setup links:\n%s", n, c.output)
	}
	if info, err := os.Stat(c.data); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the data directory is %v, %v", info.Mode(), err)
	}
	c.cli("correct horse battery staple\n", "admin", "user", "add", "boss", "--email", "boss@example.com", "--role", "admin", "--team", "research", "--data", c.data, "--password-stdin")
	c.terminate()
	c.start()
	if out := c.output.String(); strings.Count(out, "/setup?code=") != 1 || !strings.Contains(out, "/login/link?code=") {
		t.Errorf("after the second start:\n%s", out)
	}
}
