package gputest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/meterhouse/meterhouse/gpu"
)

// logBomb prints without end: what is kept stays within its limit, and the instance is as quick to reach as before.
func logBomb(t *testing.T, r *rig) {
	const limit = 256 << 10
	r.start(gpu.Spec{Command: "yes a line of a log bomb", LogBytes: limit})
	r.until("much more was printed than is kept", func() bool {
		if kept := r.logOnDisk(); kept > limit {
			t.Fatalf("%d bytes are on the disk, the limit is %d", kept, limit)
		}
		_, at := r.log(0) // more may be read than is kept at any moment: it rotates meanwhile
		return at > 16*limit
	})
	if exit, err := r.Exec(r.ctx, r.id, gpu.ExecRequest{Argv: []string{"sh", "-c", "exit 5"}}); err != nil || exit.Code != 5 {
		t.Errorf("Exec beside the bomb: %+v, %v", exit, err)
	}
	if s, err := r.Stop(r.ctx, r.id, 0); err != nil || s.Phase != gpu.PhaseExited {
		t.Errorf("Stop: %+v, %v", s, err)
	}
	if text, _ := r.log(0); len(text) > limit {
		t.Errorf("%d bytes are kept, the limit is %d", len(text), limit)
	}
}

// logOnDisk is what the files of the instance's log take.
func (r *rig) logOnDisk() (bytes int64) {
	for _, d := range r.suite.data {
		for _, name := range []string{"log", "log.1"} {
			if st, err := os.Stat(filepath.Join(d, "instances", r.id, name)); err == nil {
				bytes += st.Size()
			}
		}
	}
	return bytes
}

// terminalBomb opens all terminals, watches and files that it can, and holds them.
func terminalBomb(t *testing.T, r *rig) {
	r.need("namespaces")
	r.need("user")
	neighbour := r.beside(gpu.Spec{Command: "echo ready; sleep 1000; :"})
	r.start(gpu.Spec{Argv: []string{r.suite.attacker, "exhaust"}})
	r.await("over")
	var out bytes.Buffer
	exit, err := r.Exec(r.ctx, neighbour, gpu.ExecRequest{Argv: []string{"sh", "-c", "exit 5"}, Stdout: &out, TTY: &gpu.Size{Cols: 80, Rows: 24}})
	if err != nil || exit.Code != 5 {
		text, _ := r.log(0)
		t.Errorf("the neighbour gets no terminal: %+v, %v, %q; the bomb: %s", exit, err, &out, text)
	}
}
