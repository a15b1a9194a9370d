package gputest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/gpu"
)

// attackTests are what somebody does in an instance who wants out of it, or wants to harm the others. What the machine can't
// refuse, as Limits says, is skipped with that reason.
var attackTests = map[string]func(*testing.T, *rig){
	"AForkBombStaysInItsInstance":          forkBomb,
	"AMemoryBombHarmsItsInstanceAlone":     memoryBomb,
	"ADiskBombEndsItsInstanceAlone":        diskBomb,
	"ALogBombStaysWithinItsLog":            logBomb,
	"OpenTerminalsLeaveSomeToOthers":       terminalBomb,
	"WithoutGPUsNoneCanBeOpened":           noGPU,
	"NothingOfTheConsolesEnvironmentLeaks": cleanEnvironment,
	"MountsAreNotChanged":                  attackOf("mounts", "namespaces"),
	"DevicesAreNeitherMadeNorOpened":       attackOf("devices", "namespaces", "user"),
	"TheKernelsSettingsAreClosed":          attackOf("kernel", "namespaces", "user"),
	"CgroupsAreNotChangedFromWithin":       attackOf("cgroups", "namespaces", "user"),
	"NoPrivilegeIsGained":                  attackOf("privileges", "namespaces", "user"),
	"ProcessesOfOthersAreOutOfReach":       attackProcesses,
	"NamespacesOfOthersAreNotEntered":      attackNamespaces,
	"SocketsOfOthersAreOutOfReach":         attackSockets,
	"AbstractSocketsOfOthersAreToo":        attackAbstractSockets,
	"KeysOfTheConsoleAreOutOfReach":        attackKeys,
	"FilesOfTheConsoleAreOutOfReach":       attackFiles,
	"ALinkLeadsNowhereOutside":             attackLinks,
	"MetadataOfTheNodeIsOutOfReach":        attackMetadata,
	"OtherNetworksAreReached":              egressAllowed,
}

// buildAttacker makes the program that attacks, without a library.
func buildAttacker(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "attacker")
	build := exec.Command("go", "build", "-o", program, "github.com/meterhouse/meterhouse/gpu/gputest/attacker")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the attacker: %v: %s", err, out)
	}
	return program
}

// attackOf is a test of one attack that needs to know nothing.
func attackOf(name string, needs ...string) func(*testing.T, *rig) {
	return func(_ *testing.T, r *rig) {
		for _, n := range needs {
			r.need(n)
		}
		r.attack(name)
	}
}

// attack runs the attacker and demands that each of its tries was refused.
func (r *rig) attack(name string, words ...string) {
	r.t.Helper()
	s := r.run(gpu.Spec{Argv: append([]string{r.suite.attacker, name}, words...)})
	text, _ := r.log(0)
	if s.Exit.Code != 0 || !strings.HasSuffix(text, "over\n") {
		r.t.Fatalf("the attack did not get to its end: %+v, log %q", s.Exit, text)
	}
	tries := 0
	for line := range strings.Lines(text) {
		switch line = strings.TrimSpace(line); {
		case strings.HasSuffix(line, ": done"):
			r.t.Errorf("it was let through: %s", line)
		case strings.Contains(line, ": refused: "):
			tries++
		}
	}
	if tries == 0 {
		r.t.Errorf("it tried nothing: %q", text)
	}
}

// neighbours are the PIDs of another instance, of the console and of its parent.
func (r *rig) neighbours() (words []string) {
	r.t.Helper()
	pids, err := r.PIDs(r.ctx, r.beside(gpu.Spec{Command: "echo ready; sleep 1000; :"}))
	if err != nil || len(pids) == 0 {
		r.t.Fatalf("PIDs: %v, %v", pids, err)
	}
	for _, pid := range append(pids, os.Getpid(), os.Getppid()) {
		words = append(words, strconv.Itoa(pid))
	}
	return words
}
