package gputest

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

var execTests = map[string]func(*testing.T, *rig){
	"ExecPassesStreamsAndStatus":     execStreams,
	"ExecOfNothingSaysSo":            execMissing,
	"ExecCarriesMuchBothWays":        execMuch,
	"ExecEndsWithItsContext":         execContext,
	"ExecSeesWhatTheCommandSees":     execInside,
	"ExecDoesNotWaitForWhatItLeaves": execLeaves,
}

func execStreams(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: "sleep 1000"})
	for _, c := range []struct {
		script, in, out, errs string
		want                  gpu.Exit
	}{
		{`cat; echo no >&2; exit 3`, "hello", "hello", "no\n", gpu.Exit{Code: 3}},
		{`cat`, "", "", "", gpu.Exit{}},
		{`kill -9 $$`, "", "", "", gpu.Exit{Code: 137, Signal: "SIGKILL"}},
	} {
		var out, errs bytes.Buffer
		req := gpu.ExecRequest{Argv: []string{"sh", "-c", c.script}, Stdout: &out, Stderr: &errs}
		if c.in != "" {
			req.Stdin = strings.NewReader(c.in)
		}
		exit, err := r.Exec(r.ctx, r.id, req)
		if err != nil || exit != c.want || out.String() != c.out || errs.String() != c.errs {
			t.Errorf("%q: %+v, %v, out %q, errors %q", c.script, exit, err, &out, &errs)
		}
	}
	if exit, err := r.Exec(r.ctx, r.id, gpu.ExecRequest{Argv: []string{"sh", "-c", "echo dropped; exit 2"}}); err != nil || exit.Code != 2 {
		t.Errorf("without streams: %+v, %v", exit, err)
	}
}

func execMissing(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: "sleep 1000"})
	for program, why := range map[string]gpu.StartReason{
		"no-such-program-anywhere": gpu.ProgramNotInPath, "/no/such/program": gpu.ProgramMissing, "/etc/passwd": gpu.ProgramNotExecutable, "/": gpu.ProgramNotExecutable,
	} {
		exit, err := r.Exec(r.ctx, r.id, gpu.ExecRequest{Argv: []string{program}})
		var reason *gpu.NotStarted
		if !errors.As(err, &reason) || *reason != (gpu.NotStarted{Program: program, Why: why}) {
			t.Errorf("%q: %+v, %v", program, exit, err)
		}
	}
	if exit, err := r.Exec(r.ctx, r.id, gpu.ExecRequest{}); err == nil || errors.Is(err, gpu.ErrNotRunning) {
		t.Errorf("no words: %+v, %v", exit, err)
	}
}

func execMuch(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: "sleep 1000"})
	in := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	var out bytes.Buffer
	exit, err := r.Exec(r.ctx, r.id, gpu.ExecRequest{Argv: []string{"cat"}, Stdin: bytes.NewReader(in), Stdout: &out})
	if err != nil || exit.Code != 0 || !bytes.Equal(out.Bytes(), in) {
		t.Errorf("%+v, %v, %d of %d bytes", exit, err, out.Len(), len(in))
	}
}

func execContext(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: "sleep 1000"})
	ctx, cancel := context.WithCancel(r.ctx)
	go func() {
		r.until("the program runs", func() bool { return len(runningWith(r.mark)) > 0 })
		cancel()
	}()
	if _, err := r.Exec(ctx, r.id, gpu.ExecRequest{Argv: []string{"sleep", r.mark}}); !errors.Is(err, context.Canceled) {
		t.Errorf("Exec: %v", err)
	}
	r.until("the program is ended", func() bool { return len(runningWith(r.mark)) == 0 })
}

func execInside(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: "echo seen > seen; sleep 1000", Env: []string{"MINE=1"}})
	r.until("it sees the command's file", func() bool {
		var out bytes.Buffer
		exit, err := r.Exec(r.ctx, r.id, gpu.ExecRequest{Argv: []string{"sh", "-c", `cat seen && echo "$MINE" && id -u`}, Stdout: &out})
		if err != nil {
			t.Fatal(err)
		}
		return exit.Code == 0 && strings.HasPrefix(out.String(), "seen\n1\n")
	})
}

func execLeaves(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: "sleep 1000"})
	before := time.Now()
	exit, err := r.Exec(r.ctx, r.id, gpu.ExecRequest{Argv: []string{"sh", "-c", "sleep 1000 & exit 0"}})
	if took := time.Since(before); err != nil || exit.Code != 0 || took > 10*time.Second {
		t.Errorf("after %v: %+v, %v", took, exit, err)
	}
}
