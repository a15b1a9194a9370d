package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const recordedWorkload = "../../../shared/data/alibaba-gpu-2023/tasks.csv"

// workload writes a workload of one half of a GPU on demand and one whole GPU as spot, an hour each.
func workload(t *testing.T) string {
	file := filepath.Join(t.TempDir(), "tasks.csv")
	text := "name,num_gpu,gpu_milli,qos,creation_time,deletion_time,scheduled_time\na,1,500,LS,0,3600,0\nb,1,1000,BE,0,3600,\nc,0,0,BE,0,1,\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestReplayPrintsWhatItsLedgerHolds(t *testing.T) {
	file, dir := workload(t), filepath.Join(t.TempDir(), "ledger")
	code, out, errOut := typed(t, nil, "", "plan", "replay", file, "--gpus", "2", "--ledger", dir, "--json")
	var r replayed
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitDone {
		t.Fatalf("%d: %s%s: %v", code, out, errOut, err)
	}
	if r.Served != 1.5 || r.Asked != 1.5 || r.Sum != 0 || r.Revenue.OnDemand != 1_250_000 || r.Revenue.Spot != 750_000 || r.Tasks.Served != 2 || r.Tasks.Refused["no_gpu"] != 1 {
		t.Errorf("%s", out)
	}
	if code, out, errOut := typed(t, nil, "", "doctor", "ledger", "--data", dir); code != exitDone {
		t.Errorf("the ledger that it kept: %d %s%s", code, out, errOut)
	}
	if code, _, errOut := typed(t, nil, "", "plan", "replay", file, "--gpus", "2", "--ledger", dir); code != exitFailed || !strings.Contains(errOut, "already") {
		t.Errorf("into the same ledger: %d %s", code, errOut)
	}
	if code, out, _ := typed(t, nil, "", "plan", "replay", file, "--gpus", "2"); code != exitDone || !strings.Contains(out, "2.00") {
		t.Errorf("for people: %d\n%s", code, out)
	}
}

func TestReplaySaysWhatIsWrong(t *testing.T) {
	file, bad := workload(t), filepath.Join(t.TempDir(), "bad.csv")
	if err := os.WriteFile(bad, []byte("name,num_gpu,gpu_milli,qos,creation_time,deletion_time,scheduled_time\na,x,1,LS,0,1,0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{bad, "--gpus", "2"}, exitFailed, "line 2: num_gpu"},
		{[]string{bad + "x", "--gpus", "2"}, exitFailed, "no such file"},
		{[]string{file}, exitUsage, "--gpus"},
		{[]string{file, "--gpus", "-1"}, exitUsage, "--gpus"},
		{[]string{file, "--gpus", "2", "--gpus-per-node", "0"}, exitUsage, "--gpus-per-node"},
		{[]string{file, "--gpus", "2", "--price", "much"}, exitUsage, "--price"},
		{[]string{"--gpus", "2"}, exitUsage, "argument"},
	} {
		if code, _, errOut := typed(t, nil, "", append([]string{"plan", "replay"}, c.args...)...); code != c.code || !strings.Contains(errOut, c.says) {
			t.Errorf("%v: %d %s", c.args, code, errOut)
		}
	}
}

// METERHOUSE_REPLAY_GPUS=48,64,96 tries other pools than the one that takes least time under the race detector.
func TestARecordedWorkloadIsServedWholeAndItsLedgerBalances(t *testing.T) {
	if _, err := os.Stat(recordedWorkload); err != nil {
		t.Skipf("no recorded workload in %s", recordedWorkload)
	}
	pools := "64"
	if asked := os.Getenv("METERHOUSE_REPLAY_GPUS"); asked != "" {
		pools = asked
	}
	for gpus := range strings.SplitSeq(pools, ",") {
		out := replayedBy(t, recordedWorkload, gpus)
		var r replayed
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		if r.Served != r.Asked || r.Served < 51_498.7 || r.Served > 51_498.8 || r.Sum != 0 || r.Tasks.Served != 7063 {
			t.Errorf("%s GPUs: %s", gpus, out)
		}
	}
}

func TestTheSameReplayedAgainGivesTheSameBytes(t *testing.T) {
	whole, err := os.ReadFile(recordedWorkload)
	if err != nil {
		t.Skipf("no recorded workload in %s", recordedWorkload)
	}
	file := filepath.Join(t.TempDir(), "tasks.csv")
	if err := os.WriteFile(file, []byte(strings.Join(strings.SplitAfterN(string(whole), "\n", 1500)[:1499], "")), 0o600); err != nil {
		t.Fatal(err)
	}
	if a, b := replayedBy(t, file, "16"), replayedBy(t, file, "16"); a != b {
		t.Errorf("two replays differ:\n%s\n%s", a, b)
	}
}

func replayedBy(t *testing.T, file, gpus string) string {
	t.Helper()
	code, out, errOut := typed(t, nil, "", "plan", "replay", file, "--gpus", gpus, "--json")
	if code != exitDone {
		t.Fatalf("%d: %s", code, errOut)
	}
	return out
}
