package gputest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/gpu"
)

var mountTests = map[string]func(*testing.T, *rig){
	"WhatIsMountedIsItsOwnAndOutlivesIt":  mountOutlives,
	"WhatIsMountedReadOnlyIsNotWritten":   mountReadOnly,
	"AMountThatCannotBeMadeLeavesNothing": mountFails,
}

func mountOutlives(t *testing.T, r *rig) {
	r.need("namespaces")
	dir := filepath.Join(t.TempDir(), "volume")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	mounts := []gpu.Mount{{Source: dir, Target: "/home/work/data"}}
	if s := r.run(gpu.Spec{Command: "echo kept > ~/data/note && chmod 600 ~/data/note", Mounts: mounts}); s.Exit.Code != 0 {
		text, _ := r.log(0)
		t.Fatalf("exit %+v, log %q", s.Exit, text)
	}
	r.end(r.id)
	if b, err := os.ReadFile(filepath.Join(dir, "note")); err != nil || string(b) != "kept\n" {
		t.Errorf("after its end: %q, %v", b, err)
	}
	// Another instance has another user.
	other := *r
	other.id = r.id + "-next"
	defer other.end(other.id)
	s := other.run(gpu.Spec{Command: "cat ~/data/note; [ -O ~/data/note ] && rm ~/data/note && echo more > ~/data/more", Mounts: mounts})
	if text, _ := other.log(0); s.Exit.Code != 0 || text != "kept\n" {
		t.Errorf("the next one: %+v, log %q", s.Exit, text)
	}
}

func mountReadOnly(t *testing.T, r *rig) {
	r.need("namespaces")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "note"), []byte("kept\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r.run(gpu.Spec{Command: "echo changed > ~/data/note; touch ~/data/more; cat ~/data/note", Mounts: []gpu.Mount{{Source: dir, Target: "/home/work/data", ReadOnly: true}}})
	if text, _ := r.log(0); !strings.HasSuffix(text, "\nkept\n") {
		t.Errorf("log %q", text)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("it has %v, %v", files, err)
	}
}

func mountFails(t *testing.T, r *rig) {
	s, err := r.Start(r.ctx, gpu.Spec{ID: r.id, Command: "true", Mounts: []gpu.Mount{{Source: "/no/such/volume", Target: "/home/work/data"}}})
	if err == nil || s.Exit.Err == "" {
		t.Errorf("%+v, %v", s, err)
	}
	if s, ok := listed(r, r.Executor); ok {
		t.Errorf("afterwards it is listed: %+v", s)
	}
}
