package gputest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

var logTests = map[string]func(*testing.T, *rig){
	"TheLogHasBothStreamsFromAnyOffset":   logOffsets,
	"ALogKeepsItsOffsetsOverRotation":     logRotates,
	"AFollowerGetsEverythingAndThenEOF":   logFollows,
	"AFollowerThatLeavesIsNotKeptWaiting": logCancel,
	"TheLogOutlivesTheRecord":             logStays,
}

func logOffsets(t *testing.T, r *rig) {
	r.run(gpu.Spec{Command: `printf 0123456789; printf abcdef >&2; printf XYZ`})
	for offset, want := range map[int64]string{0: "0123456789abcdefXYZ", 10: "abcdefXYZ", 18: "Z", 19: "", 1000: ""} {
		text, at := r.log(offset)
		if text != want || at != min(offset, 19) {
			t.Errorf("from %d: %q at %d; want %q", offset, text, at, want)
		}
	}
	if _, _, err := r.Log(r.ctx, r.id, -1, false); err == nil {
		t.Error("an offset of -1 was accepted")
	}
}

// numbered is what `seq n` prints.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintln(&b, i+1)
	}
	return b.String()
}

func logRotates(t *testing.T, r *rig) {
	const limit = 64 << 10
	all := numbered(30000)
	r.run(gpu.Spec{Command: "seq 30000", LogBytes: limit})
	text, at := r.log(0)
	if at == 0 || len(text) > limit || len(text) < limit/4 {
		t.Errorf("%d bytes from %d on are kept, the limit is %d", len(text), at, limit)
	}
	if all[at:] != text {
		t.Errorf("what is kept does not begin at byte %d", at)
	}
	middle := (at + int64(len(all))) / 2
	if text, got := r.log(middle); got != middle || text != all[middle:] {
		t.Errorf("from %d on: %d bytes at %d", middle, len(text), got)
	}
}

func logFollows(t *testing.T, r *rig) {
	// One rotation happens on the way, so that nothing of what the follower wants is dropped, however slow the machine is.
	r.start(gpu.Spec{Command: `for n in 1 2 3 4 5 6; do seq 3000; sleep 0.1; done`, LogBytes: 100 << 10})
	f, at, err := r.Log(r.ctx, r.id, 0, true)
	if err != nil || at != 0 {
		t.Fatal(at, err)
	}
	b, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	if want := strings.Repeat(numbered(3000), 6); string(b) != want {
		t.Errorf("%d bytes, want %d", len(b), len(want))
	}
	if s, err := r.State(r.ctx, r.id); err != nil || s.Phase != gpu.PhaseExited {
		t.Errorf("the follower got EOF while the command runs: %+v, %v", s, err)
	}
}

func logCancel(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: "echo ready; sleep 1000"})
	r.await("ready")
	for name, leave := range map[string]func(cancel func(), f io.Closer){
		"its context ends": func(cancel func(), f io.Closer) { cancel() },
		"it is closed":     func(cancel func(), f io.Closer) { _ = f.Close() },
	} {
		ctx, cancel := context.WithCancel(r.ctx)
		f, _, err := r.Log(ctx, r.id, 0, true)
		if err != nil {
			t.Fatal(err)
		}
		over := make(chan error, 1)
		go func() {
			_, err := io.Copy(io.Discard, f)
			over <- err
		}()
		time.Sleep(20 * time.Millisecond) // so that it waits; sooner must work as well
		leave(cancel, f)
		select {
		case err := <-over:
			if err == nil {
				t.Errorf("%s: it got EOF, as if the command had ended", name)
			}
		case <-time.After(longWait):
			t.Fatalf("%s: it still waits", name)
		}
		cancel()
		_ = f.Close()
	}
}

func logStays(t *testing.T, r *rig) {
	r.run(gpu.Spec{Command: "echo stays"})
	if err := r.Remove(r.ctx, r.id); err != nil {
		t.Fatal(err)
	}
	if text, _ := r.log(0); text != "stays\n" {
		t.Errorf("after Remove the log is %q", text)
	}
}
