package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// withImage puts an image onto the site's own node.
func withImage(t *testing.T, site *webtest.Site, reference string) {
	t.Helper()
	nodes, err := site.Store.Nodes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes {
		if !n.Local {
			continue
		}
		err := site.Store.SeeImages(t.Context(), n.ID, []store.FoundImage{{EngineID: "sha256:1", References: []string{reference}, Bytes: 5_000_000}}, store.ImageSpace{Bytes: 5_000_000, FreeBytes: 9_000_000_000}, site.Clock.Now())
		if err == nil {
			err = site.Store.SetImageContents(t.Context(), n.ID, "sha256:1", store.ImageContents{CUDA: "12.4", PyTorch: "2.6.0"}, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheCatalogueIsWhatCanBeRentedWith(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	member := site.Program(t, site.Member)
	body := map[string]any{"cpu_only": true, "image": "trainer:1"}
	if a := member.Call("POST", "/instances", body, nil); a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, "No container engine") {
		t.Errorf("without an engine: %d %s", a.Status, a.Body)
	}
	withImage(t, site, "localhost/trainer:1")
	if a := member.Call("POST", "/instances", map[string]any{"cpu_only": true, "image": "none:1"}, nil); a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, "none:1") {
		t.Errorf("an image that is not here: %d %s", a.Status, a.Body)
	}
	var images web.Images
	if a := member.Call("GET", "/images", nil, &images); a.Status != http.StatusOK || len(images.Images) != 1 || images.Images[0].Contents.PyTorch != "2.6.0" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	browser := site.Browser(t, site.Member)
	for path, want := range map[string]string{"/images": "PyTorch 2.6.0", "/rent/new?image=localhost/trainer:1": `<option value="localhost/trainer:1" selected>`} {
		if a := browser.Get(path); a.Status != http.StatusOK || !strings.Contains(a.Body, want) {
			t.Errorf("%s: %d, without %q", path, a.Status, want)
		}
	}
	if a := member.Call("POST", "/images", map[string]any{"reference": "nvcr.io/x:1"}, nil); a.Status != http.StatusForbidden {
		t.Errorf("a member pulls: %d %s", a.Status, a.Body)
	}
	var asked web.Image
	if a := site.Program(t, site.Manager).Call("POST", "/images", map[string]any{"reference": "nvcr.io/x:1"}, &asked); a.Status != http.StatusAccepted || asked.Status != "queued" {
		t.Errorf("a manager pulls: %d %s", a.Status, a.Body)
	}
	var in web.Instance
	if a := member.Call("POST", "/instances", body, &in); a.Status != http.StatusCreated {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if a := site.Program(t, site.Admin).Call("DELETE", "/images/"+images.Images[0].ID, nil, nil); a.Status != http.StatusConflict {
		t.Errorf("removing what is used: %d %s", a.Status, a.Body)
	}
}

func TestATemplateFillsTheFormAndTheRequest(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	withImage(t, site, "localhost/trainer:1")
	member, browser := site.Program(t, site.Member), site.Browser(t, site.Member)
	const value = "hf_verysecret"
	if a := browser.Form("/templates/secrets", url.Values{"name": {"HF_TOKEN"}, "value": {value}}); a.Status != http.StatusSeeOther {
		t.Fatalf("secret: %d %s", a.Status, a.Body)
	}
	form := map[string]any{"cpu_only": true, "image": "trainer:1", "command": "train", "env": map[string]string{"EPOCHS": "3"}, "secrets": map[string]string{"TOKEN": "HF_TOKEN"}}
	var saved web.Template
	if a := member.Call("POST", "/templates", map[string]any{"name": "bert", "form": form}, &saved); a.Status != http.StatusOK || saved.Form.Command != "train" {
		t.Fatalf("save: %d %s", a.Status, a.Body)
	}
	page := browser.Get("/rent/new?template=" + saved.ID)
	for _, want := range []string{"EPOCHS=3", "TOKEN=HF_TOKEN", ">train</textarea>", `value="localhost/trainer:1"`} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("the form has no %q: %d", want, page.Status)
		}
	}
	var in web.Instance
	if a := member.Call("POST", "/instances", map[string]any{"template": "bert", "env": map[string]string{"EPOCHS": "5"}}, &in); a.Status != http.StatusCreated || in.Command != "train" || in.Image != "trainer:1" {
		t.Fatalf("rent: %d %s", a.Status, a.Body)
	}
	env, err := site.Store.Environment(t.Context(), in.ID)
	if err != nil || strings.Join(env, " ") != "EPOCHS=5 TOKEN="+value {
		t.Errorf("%q %v", env, err)
	}
	if a := member.Call("POST", "/instances", map[string]any{"template": "none"}, nil); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("no template: %d %s", a.Status, a.Body)
	}
	for _, path := range []string{"/templates", "/rent/new?template=" + saved.ID, "/rent/new?instance=" + in.ID, "/instances/" + in.ID} {
		if a := browser.Get(path); a.Status != http.StatusOK || strings.Contains(a.Body, value) {
			t.Errorf("%s: %d, or it shows the secret", path, a.Status)
		}
	}
	for _, path := range []string{"/secrets", "/templates", "/instances/" + in.ID, "/instances/" + in.ID + "/events"} {
		if a := member.Call("GET", path, nil, nil); a.Status != http.StatusOK || strings.Contains(a.Body, value) {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	if a := site.Program(t, site.Stranger).Call("GET", "/templates/"+saved.ID, nil, nil); a.Status != http.StatusNotFound {
		t.Errorf("another team: %d", a.Status)
	}
}
