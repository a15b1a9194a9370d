package podman

import (
	"archive/tar"
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

func openImages(t *testing.T) *Images {
	t.Helper()
	need(t)
	i, err := NewImages(Config{Socket: station.socket, Init: station.init})
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func quiet(gpu.Progress) {}

func names(t *testing.T, i *Images) (all []string) {
	t.Helper()
	list, err := i.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, img := range list {
		all = append(all, img.References...)
	}
	return all
}

func TestAnImageIsPulledAndPinnedAndLookedInto(t *testing.T) {
	images, r := openImages(t), newRegistry(t)
	first := r.push(t, "team/trainer:1", map[string]string{"etc/os-release": `PRETTY_NAME="Debian GNU/Linux 12"`, "usr/lib/x86_64-linux-gnu/libnccl.so.2.21.5": "",
		"usr/local/cuda-12.4/version.json": `{"cuda":{"version":"12.4.1"}}`, "root/secret": "x"})
	ref := r.host + "/team/trainer:1"
	var steps []string
	got, err := images.Pull(t.Context(), ref, func(p gpu.Progress) { steps = append(steps, p.Step) })
	if err != nil {
		t.Fatal(err)
	}
	if got.Digest != first || !strings.HasPrefix(got.ID, "sha256:") || !slices.Contains(got.References, ref) || got.Architecture != "amd64" || len(steps) < 2 {
		t.Errorf("%+v after %q", got, steps)
	}
	if second := r.push(t, "team/trainer:1", map[string]string{"etc/os-release": "PRETTY_NAME=other"}); second == first {
		t.Fatal("two images are one")
	}
	pinned, err := images.Pull(t.Context(), r.host+"/team/trainer@"+first, quiet)
	if err != nil || pinned.ID != got.ID {
		t.Errorf("by digest: %+v %v, want %s", pinned, err, got.ID)
	}
	for _, name := range []string{ref, got.ID} {
		found, err := images.Contents(t.Context(), name)
		if err != nil || found.OS != "Debian GNU/Linux 12" || found.CUDA != "12.4.1" || found.NCCL != "2.21.5" || found.Incomplete {
			t.Errorf("%s: %+v %v", name, found, err)
		}
	}
	if out, err := podmanCommand("ps", "--all", "--quiet").Output(); err != nil || len(out) > 0 {
		t.Errorf("a container is left: %s %v", out, err)
	}
	moved, err := images.Pull(t.Context(), ref, quiet)
	if err != nil || moved.ID == got.ID {
		t.Errorf("the tag that moved: %+v %v", moved, err)
	}
	for _, name := range []string{ref, got.ID, ref} {
		if err := images.Remove(t.Context(), name); err != nil {
			t.Errorf("remove %s: %v", name, err)
		}
	}
	if left := names(t, images); slices.Contains(left, ref) {
		t.Errorf("still there: %q", left)
	}
}

func TestWhatCanNotBePulledSaysWhy(t *testing.T) {
	images, r := openImages(t), newRegistry(t)
	for _, ref := range []string{r.host + "/none:1", r.host + "/team/trainer@sha256:" + strings.Repeat("0", 64), "127.0.0.1:1/none:1"} {
		if got, err := images.Pull(t.Context(), ref, quiet); err == nil {
			t.Errorf("%s: %+v", ref, got)
		} else if len(err.Error()) > 1000 || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q", ref, err)
		}
	}
	if _, err := images.Contents(t.Context(), "localhost/none:1"); !errors.Is(err, gpu.ErrNoImage) {
		t.Errorf("contents of none: %v", err)
	}
	if err := images.Remove(t.Context(), "localhost/none:1"); err != nil {
		t.Errorf("removing none: %v", err)
	}
	away := &Images{engine: dialEngine(station.dir + "/none.sock")}
	if _, err := away.List(t.Context()); !errors.Is(err, gpu.ErrNoEngine) {
		t.Errorf("no engine: %v", err)
	}
}

func TestAnImageIsBuiltFromARecipeAndItsFiles(t *testing.T) {
	images := openImages(t)
	var files bytes.Buffer
	w := tar.NewWriter(&files)
	_ = w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "./etc/os-release", Mode: 0o644, Size: 15})
	_, _ = w.Write([]byte("PRETTY_NAME=own"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var last gpu.Progress
	ref := "localhost/meterhouse-built:1"
	got, err := images.Build(t.Context(), gpu.Recipe{Reference: ref, Context: &files,
		Dockerfile: "FROM " + testImage + "\nCOPY etc/os-release /etc/os-release\nRUN touch /etc/made && id -u > /etc/who && cat /proc/self/uid_map > /etc/map\n"}, func(p gpu.Progress) { last = p })
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(got.References, ref) || last.Total != 3 {
		t.Errorf("%+v %+v", got, last)
	}
	if found, err := images.Contents(t.Context(), ref); err != nil || found.OS != "own" {
		t.Errorf("%+v %v", found, err)
	}
	if space, err := images.Space(t.Context()); err != nil || space.Bytes <= 0 || space.FreeBytes <= 0 {
		t.Errorf("space: %+v %v", space, err)
	}
	if err := images.Remove(t.Context(), ref); err != nil {
		t.Error(err)
	}
	if got, err := images.Build(t.Context(), gpu.Recipe{Reference: "localhost/broken:1", Dockerfile: "FROM " + testImage + "\nRUN false\n"}, quiet); err == nil {
		t.Errorf("what fails was built: %+v", got)
	}
}

func TestAnInstanceIsSavedAsAnImageWithoutItsHome(t *testing.T) {
	images := openImages(t)
	e := open(t, t.TempDir())
	spec := gpu.Spec{ID: "i-save", Name: "save", Command: "echo PRETTY_NAME=saved > /etc/os-release; echo secret > /home/work/secret; echo done; sleep 600", MemoryBytes: 256 << 20, Pids: 64}
	if _, err := e.Start(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = e.Stop(t.Context(), spec.ID, 0); _ = e.Remove(t.Context(), spec.ID) })
	waitForLog(t, e, spec.ID, "done")
	ref := "localhost/meterhouse-saved:1"
	got, err := images.Commit(t.Context(), spec.ID, ref)
	if err != nil {
		t.Fatal(err)
	}
	found, err := images.Contents(t.Context(), got.ID)
	if err != nil || found.OS != "saved" {
		t.Errorf("%+v %v", found, err)
	}
	again := gpu.Spec{ID: "i-again", Name: "again", Image: ref, Command: "ls -ln /etc/os-release; ls /home/work; echo done", MemoryBytes: 256 << 20, Pids: 64}
	if _, err := e.Start(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = e.Stop(t.Context(), again.ID, 0); _ = e.Remove(t.Context(), again.ID) })
	log := waitForLog(t, e, again.ID, "done")
	if fields := strings.Fields(log); strings.Contains(log, "secret") || len(fields) < 4 || fields[2] != "0" {
		t.Errorf("the saved image: %s", log)
	}
	if _, err := images.Commit(t.Context(), "i-none", ref); !errors.Is(err, gpu.ErrNoInstance) {
		t.Errorf("saving none: %v", err)
	}
	if err := images.Remove(t.Context(), ref); err != nil && !errors.Is(err, gpu.ErrImageInUse) {
		t.Error(err)
	}
}

// waitForLog reads an instance's output until a word is in it.
func waitForLog(t *testing.T, e gpu.Executor, id, word string) (text string) {
	t.Helper()
	for range 200 {
		r, _, err := e.Log(t.Context(), id, 0, false)
		if err == nil {
			b := make([]byte, 64<<10)
			n, _ := r.Read(b)
			_ = r.Close()
			if text = string(b[:n]); strings.Contains(text, word) {
				return text
			}
		} else if !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("%q never came: %s", word, text)
	return ""
}
