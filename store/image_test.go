package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// seen is a node's list of one image by each name.
func seen(t *testing.T, s *store.Store, node string, at time.Time, names ...string) {
	t.Helper()
	var found []store.FoundImage
	for _, n := range names {
		found = append(found, store.FoundImage{EngineID: "sha256:id-of-" + n, Digest: "sha256:" + strings.Repeat("0a", 32), References: []string{n}, Bytes: 1000})
	}
	if err := s.SeeImages(t.Context(), node, found, store.ImageSpace{Bytes: 1000, FreeBytes: 2000}, at); err != nil {
		t.Fatal(err)
	}
}

// refusal is why something was refused, "" if it was not.
func refusal(err error) store.Key {
	var e *store.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return ""
}

func TestAnInstanceIsPinnedToTheImageThatItWasRentedWith(t *testing.T) {
	s, clock := storetest.Open(t)
	site := storetest.Seed(t, s)
	ask := store.RentRequest{PersonID: site.Member.ID, CPUOnly: true, Kind: store.OnDemand, Image: "base:1"}
	if _, _, err := s.Rent(t.Context(), ask); refusal(err) != "no_image_engine" {
		t.Errorf("without an engine: %v", err)
	}
	seen(t, s, site.Node.ID, clock.Now(), "docker.io/library/other:1")
	if _, _, err := s.Rent(t.Context(), ask); refusal(err) != "image_not_here" || store.KindOf(err) != store.Invalid {
		t.Errorf("an image that is not here: %v", err)
	}
	seen(t, s, site.Node.ID, clock.Now(), "localhost/base:1", "docker.io/library/base:1")
	i, _, err := s.Rent(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	if pin, err := s.ImagePin(t.Context(), i.ID); err != nil || pin.EngineID != "sha256:id-of-localhost/base:1" {
		t.Errorf("%+v %v", pin, err)
	}
	ask.Image = "base@sha256:" + strings.Repeat("0a", 32)
	if _, _, err := s.Rent(t.Context(), ask); err != nil {
		t.Errorf("by digest: %v", err)
	}
	all, err := s.Images(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if m.Reference == "localhost/base:1" {
			if err := s.RemoveImage(t.Context(), site.Admin.ID, m.ID); refusal(err) != "image_in_use" {
				t.Errorf("removing what is used: %v", err)
			}
		}
	}
}

func TestAnImageThatNoDriverFitsIsRefused(t *testing.T) {
	s, clock := storetest.Open(t)
	site := storetest.Seed(t, s)
	gpus := []store.GPU{{UUID: "GPU-real", NodeID: site.Node.ID, Model: "H100", Vendor: "NVIDIA", Driver: "525.60.13", MemoryBytes: 80 << 30}}
	if err := s.SeeGPUs(t.Context(), site.Node.ID, append(gpus, site.GPUs...), clock.Now()); err != nil {
		t.Fatal(err)
	}
	seen(t, s, site.Node.ID, clock.Now(), "localhost/new:1", "localhost/old:1", "localhost/unknown:1")
	for name, cuda := range map[string]string{"new": "13.0", "old": "12.1"} {
		if err := s.SetImageContents(t.Context(), site.Node.ID, "sha256:id-of-localhost/"+name+":1", store.ImageContents{CUDA: cuda}, nil); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]store.Key{"new": "image_needs_driver", "old": "", "unknown": ""} {
		ask := store.RentRequest{PersonID: site.Member.ID, GPUModel: "H100", GPUCount: 1, Kind: store.OnDemand, Image: name + ":1", Queue: true}
		if _, _, err := s.Rent(t.Context(), ask); refusal(err) != want {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

func TestWorkOnImagesIsDoneAnewAfterAKillAndCanBeGivenUp(t *testing.T) {
	s, clock := storetest.Open(t)
	site := storetest.Seed(t, s)
	ask := store.NewImage{Origin: store.ImagePull, Reference: "registry.example.com/a/b:1"}
	if _, _, err := s.AskImage(t.Context(), site.Admin.ID, ask); refusal(err) != "no_image_engine" {
		t.Errorf("without an engine: %v", err)
	}
	seen(t, s, site.Node.ID, clock.Now())
	m, _, err := s.AskImage(t.Context(), site.Admin.ID, ask)
	if err != nil {
		t.Fatal(err)
	}
	if again, _, err := s.AskImage(t.Context(), site.Admin.ID, ask); err != nil || again.ID != m.ID {
		t.Errorf("asked again: %+v %v", again, err)
	}
	for range 2 { // the first console was killed
		if w, found, err := s.NextImageWork(t.Context(), site.Node.ID); err != nil || !found || w.ID != m.ID || w.State != store.ImageWorking && w.State != store.ImageQueued {
			t.Errorf("%+v %v %v", w, found, err)
		}
	}
	if on, err := s.ImageProgress(t.Context(), m.ID, "layer", 1, 2); err != nil || !on {
		t.Errorf("%v %v", on, err)
	}
	if err := s.RemoveImage(t.Context(), site.Admin.ID, m.ID); err != nil {
		t.Fatal(err)
	}
	if on, err := s.ImageProgress(t.Context(), m.ID, "layer", 2, 2); err != nil || on {
		t.Errorf("given up: %v %v", on, err)
	}
	if err := s.FinishImage(t.Context(), m.ID, store.FoundImage{EngineID: "sha256:x"}, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Image(t.Context(), m.ID); err != nil || got.State != store.ImageRemoved {
		t.Errorf("%+v %v", got, err)
	}
}

func TestMembersPullFromListedRegistriesAlone(t *testing.T) {
	s, clock := storetest.Open(t)
	site := storetest.Seed(t, s)
	seen(t, s, site.Node.ID, clock.Now())
	pull := func(ref string) store.Key {
		_, _, err := s.AskImage(t.Context(), site.Member.ID, store.NewImage{Origin: store.ImagePull, Reference: ref})
		return refusal(err)
	}
	if got := pull("nvcr.io/nvidia/cuda:1"); got != "pull_needs_manager" {
		t.Errorf("by default: %q", got)
	}
	if err := s.SetImageRule(t.Context(), site.Member.ID, store.ImageRule{}); store.KindOf(err) != store.Forbidden {
		t.Errorf("a member set the rule: %v", err)
	}
	if err := s.SetImageRule(t.Context(), site.Admin.ID, store.ImageRule{MembersPull: true, Registries: []string{"nvcr.io/nvidia", "Not one"}}); refusal(err) != "registry_wrong" {
		t.Errorf("%v", err)
	}
	if err := s.SetImageRule(t.Context(), site.Admin.ID, store.ImageRule{MembersPull: true, Registries: []string{" nvcr.io/nvidia/ ", "127.0.0.1:5000"}}); err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]store.Key{"nvcr.io/nvidia/cuda:1": "", "127.0.0.1:5000/x": "", "nvcr.io/nvidiax/cuda:1": "pull_from_listed", "busybox": "pull_from_listed", "A b": "image_name_wrong", "localhost/x": "image_not_pullable"} {
		if got := pull(ref); got != want {
			t.Errorf("%s: %q, want %q", ref, got, want)
		}
	}
	build := store.NewImage{Origin: store.ImageBuild, Reference: "own:1", Dockerfile: "FROM scratch"}
	if _, _, err := s.AskImage(t.Context(), site.Member.ID, build); refusal(err) != "build_needs_manager" {
		t.Errorf("a member builds: %v", err)
	}
}

func TestImagesThatNobodyUsesGoAndThoseOfTemplatesStay(t *testing.T) {
	s, clock := storetest.Open(t)
	site := storetest.Seed(t, s)
	seen(t, s, site.Node.ID, clock.Now(), "localhost/kept:1", "localhost/gone:1")
	if err := s.SetImageRule(t.Context(), site.Admin.ID, store.ImageRule{KeepDays: 3}); err != nil {
		t.Fatal(err)
	}
	f, err := s.SaveTemplate(t.Context(), site.Member.ID, "train", true, store.TemplateForm{Image: "kept:1", CPUOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	for days, want := range map[int]int{2: 0, 4: 1} {
		clock.Set(storetest.Start.AddDate(0, 0, days))
		leaving, err := s.ImagesToRemove(t.Context(), site.Node.ID)
		if err != nil || len(leaving) != want {
			t.Errorf("after %d days: %+v %v", days, leaving, err)
		}
		for _, m := range leaving {
			if m.Reference != "localhost/gone:1" {
				t.Errorf("%s goes", m.Reference)
			}
			if err := s.ImageGone(t.Context(), m.ID, nil); err != nil {
				t.Fatal(err)
			}
		}
		if days == 4 {
			break
		}
	}
	if err := s.RemoveTemplate(t.Context(), site.Member.ID, f.ID); err != nil {
		t.Fatal(err)
	}
}

func TestASecretReachesItsInstanceAndNothingElse(t *testing.T) {
	clock, dir := storetest.NewClock(), t.TempDir()
	s := storetest.OpenDir(t, dir, clock)
	site := storetest.Seed(t, s)
	const value = "hf_verysecretvalue"
	made, err := s.SetSecret(t.Context(), site.Member.ID, "HF_TOKEN", value, false)
	if err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(filepath.Join(dir, "secrets.key")); err != nil || st.Mode().Perm() != 0o600 || st.Size() != 32 {
		t.Errorf("the key's file: %v %v", st, err)
	}
	i, _, err := s.Rent(t.Context(), store.RentRequest{PersonID: site.Member.ID, CPUOnly: true, Kind: store.OnDemand, Env: map[string]string{"EPOCHS": "3"}, Secrets: map[string]string{"TOKEN": "HF_TOKEN"}})
	if err != nil {
		t.Fatal(err)
	}
	env, err := s.Environment(t.Context(), i.ID)
	if err != nil || strings.Join(env, " ") != "EPOCHS=3 TOKEN="+value {
		t.Errorf("%q %v", env, err)
	}
	plain, names, err := s.EnvironmentNames(t.Context(), i.ID)
	if err != nil || plain["EPOCHS"] != "3" || names["TOKEN"] != "HF_TOKEN" || len(plain)+len(names) != 2 {
		t.Errorf("%v %v %v", plain, names, err)
	}
	if _, _, err := s.Rent(t.Context(), store.RentRequest{PersonID: site.Admin.ID, CPUOnly: true, Kind: store.OnDemand, Secrets: map[string]string{"TOKEN": "HF_TOKEN"}}); refusal(err) != "secret_not_here" {
		t.Errorf("another's secret: %v", err)
	}
	for _, pattern := range []string{"*", "*/*"} {
		files, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, f := range files {
			if b, _ := os.ReadFile(f); strings.Contains(string(b), value) {
				t.Errorf("%s has the value", f)
			}
		}
	}
	if err := s.RemoveSecret(t.Context(), site.Member.ID, made.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Environment(t.Context(), i.ID); refusal(err) != "secret_removed" {
		t.Errorf("what was removed: %v", err)
	}
}

func TestTheEnvironmentIsChecked(t *testing.T) {
	s, _ := storetest.Open(t)
	site := storetest.Seed(t, s)
	for key, want := range map[string]store.Key{"A": "", "a_1": "", "1A": "env_key_wrong", "A-B": "env_key_wrong", "": "env_key_wrong", "METERHOUSE_RUN": "env_key_wrong", "A=B": "env_key_wrong"} {
		_, _, err := s.Rent(t.Context(), store.RentRequest{PersonID: site.Member.ID, CPUOnly: true, Kind: store.OnDemand, Env: map[string]string{key: "x"}})
		if got := refusal(err); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
}

func TestATemplateIsThePersonsOrTheTeams(t *testing.T) {
	s, _ := storetest.Open(t)
	site := storetest.Seed(t, s)
	form := store.TemplateForm{CPUOnly: true, Command: "train", Env: map[string]string{"EPOCHS": "3"}, Secrets: map[string]string{"TOKEN": "HF_TOKEN"}, Ports: []int{8888},
		Volumes: []store.TemplateVolume{{Name: "data", Target: "/data"}}}
	own, err := s.SaveTemplate(t.Context(), site.Member.ID, "Train", false, form)
	if err != nil {
		t.Fatal(err)
	}
	shared, err := s.SaveTemplate(t.Context(), site.Member.ID, "train", true, form)
	if err != nil || shared.ID == own.ID {
		t.Fatalf("%+v %v", shared, err)
	}
	if got, err := s.Template(t.Context(), site.Member.ID, "TRAIN"); err != nil || got.ID != own.ID || got.Form.Env["EPOCHS"] != "3" || got.Form.Volumes[0].Target != "/data" {
		t.Errorf("by name: %+v %v", got, err)
	}
	if again, err := s.SaveTemplate(t.Context(), site.Member.ID, "train", true, store.TemplateForm{CPUOnly: true}); err != nil || again.ID != shared.ID || again.Form.Command != "" {
		t.Errorf("saved again: %+v %v", again, err)
	}
	for _, wrong := range []store.TemplateForm{{Ports: []int{0}}, {Volumes: []store.TemplateVolume{{Name: "data", Target: "data"}}}, {Env: map[string]string{"1": ""}}, {Kind: "never"}} {
		if _, err := s.SaveTemplate(t.Context(), site.Member.ID, "x", false, wrong); store.KindOf(err) != store.Invalid {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
	if err := s.RemoveTemplate(t.Context(), site.Member.ID, own.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Template(t.Context(), site.Member.ID, own.ID); store.KindOf(err) != store.NotFound {
		t.Errorf("removed: %v", err)
	}
}
