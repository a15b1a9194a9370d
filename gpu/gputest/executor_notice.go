package gputest

import (
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

var noticeTests = map[string]func(*testing.T, *rig){
	"ANoticeIsSeenInside":             noticeIsSeen,
	"ANoticeEndsNobody":               noticeEndsNobody,
	"ASecondRunGoesOnInTheFirstsHome": homeGoesOn,
	"TheHomeOfWhatRunsIsItsOwn":       homeOfWhatRuns,
}

func noticeIsSeen(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: `test ! -e "$METERHOUSE_NOTICE" && echo none
		trap 'cat "$METERHOUSE_NOTICE"; echo changed >"$METERHOUSE_NOTICE" || echo kept' USR1; echo ready; while :; do sleep 0.05; done`})
	r.await("ready")
	r.await("none")
	for _, content := range []string{`{"run":1}`, `{"run":2}`} {
		if err := r.Notice(r.ctx, r.id, []byte(content+"\n")); err != nil {
			t.Fatal(err)
		}
		r.await(content)
	}
	for _, l := range r.Limits(r.ctx) {
		if l.Name == "namespaces" && l.Enforced {
			r.await("kept")
			var out strings.Builder
			_, err := r.Exec(r.ctx, r.id, gpu.ExecRequest{Argv: []string{"/bin/sh", "-c", "cat " + gpu.NoticeFile}, Stdout: &out})
			if err != nil || out.String() != `{"run":2}`+"\n" {
				t.Errorf("%s: %q %v", gpu.NoticeFile, out.String(), err)
			}
		}
	}
}

// SIGUSR1 would end who does not expect it, two minutes before the time.
func noticeEndsNobody(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: `sleep ` + r.mark + ` & echo ready; wait`})
	r.await("ready")
	if err := r.Notice(r.ctx, r.id, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	if s, err := r.State(r.ctx, r.id); err != nil || s.Phase != gpu.PhaseRunning {
		t.Errorf("%+v %v", s, err)
	}
}

func homeGoesOn(t *testing.T, r *rig) {
	r.run(gpu.Spec{Command: `echo saved >checkpoint; chmod 600 checkpoint`})
	if err := r.Remove(r.ctx, r.id); err != nil {
		t.Fatal(err)
	}
	next := *r
	next.id += "-next"
	defer next.end(next.id)
	// A start that fails leaves the home where it was.
	if _, err := next.Start(r.ctx, gpu.Spec{ID: next.id, HomeOf: r.id, Argv: []string{"/no/such/program"}}); err == nil {
		t.Fatal("a program that is none was started")
	}
	if s := next.run(gpu.Spec{HomeOf: r.id, Command: `test "$(cat checkpoint)" = saved && echo more >>checkpoint`}); s.Exit != (gpu.Exit{}) {
		t.Errorf("%+v", s.Exit)
	}
	third := *r
	third.id += "-third"
	if _, err := third.Start(r.ctx, gpu.Spec{ID: third.id, HomeOf: r.id, Command: "true"}); err == nil || !strings.Contains(err.Error(), r.id) {
		t.Errorf("a home was given twice: %v", err)
	}
}

func homeOfWhatRuns(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: "sleep " + r.mark})
	other := *r
	other.id += "-other"
	if _, err := other.Start(r.ctx, gpu.Spec{ID: other.id, HomeOf: r.id, Command: "true"}); err == nil || !strings.Contains(err.Error(), r.id) {
		t.Errorf("the home of what runs was taken: %v", err)
	}
}
