package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web/webtest"
)

func TestANodesPageClosesItBooksItsMaintenanceAndSaysWhatHappened(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	nodes, err := site.Store.Nodes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := nodes[0]
	in := site.Running(t, site.Member, "job")
	path, b := "/nodes/"+n.ID, site.Browser(t, site.Admin)
	flows(t, b, b.Form(path+"/service", url.Values{"do": {"cordon"}, "reason": {"<fans>"}}), path)
	if a := site.Browser(t, site.Viewer).Get(path); a.Status != http.StatusOK || !strings.Contains(a.Body, "&lt;fans&gt;") || strings.Contains(a.Body, "/service\"") {
		t.Errorf("a viewer sees %d %s", a.Status, a.Body)
	}
	site.Clock.Advance(time.Second)
	wall := func(d time.Duration) string { return site.Clock.Now().Add(d).Format("2006-01-02T15:04") }
	if a := b.Form(path+"/service", url.Values{"do": {"drain"}, "by": {"soon"}}); a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, `value="soon"`) {
		t.Errorf("a drain by no time: %d", a.Status)
	}
	flows(t, b, b.Form(path+"/service", url.Values{"do": {"drain"}, "by": {wall(3 * time.Hour)}}), path)
	if got, err := site.Store.Instance(t.Context(), in.ID); err != nil || got.EndsBecause != "drain" {
		t.Errorf("what runs ends because of %q: %v", got.EndsBecause, err)
	}
	flows(t, b, b.Form(path+"/service", url.Values{"do": {"uncordon"}}), path)
	window := url.Values{"start": {wall(time.Hour)}, "end": {wall(2 * time.Hour)}, "reason": {"firmware"}}
	if a := b.Form(path+"/maintenance", window); a.Status != http.StatusConflict || !strings.Contains(a.Body, `href="/instances/`+in.ID) || !strings.Contains(a.Body, `value="firmware"`) {
		t.Errorf("over what runs: %d", a.Status)
	}
	window.Set("force", "1")
	flows(t, b, b.Form(path+"/maintenance", window), path)
	nodes, err = site.Store.Nodes(t.Context())
	if err != nil || len(nodes[0].Windows) != 1 {
		t.Fatalf("%+v %v", nodes[0].Windows, err)
	}
	flows(t, b, b.Form(path+"/maintenance/cancel", url.Values{"window": {nodes[0].Windows[0].ID}}), path)
	for _, what := range []string{"cordoned", "back into service", "maintenance booked", "maintenance cancelled"} {
		if a := b.Get(path); !strings.Contains(a.Body, what) {
			t.Errorf("its page does not say: %s", what)
		}
	}
}

func TestAJoinTokenIsShownOnceWithItsCommandAndANodeRemovedAfterAsking(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	b := site.Browser(t, site.Admin)
	if a := b.Form("/admin/nodes", url.Values{"name": {"rack-9"}, "minutes": {"x"}}); a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, `value="rack-9"`) {
		t.Errorf("%d", a.Status)
	}
	if a := b.Form("/admin/nodes", url.Values{"name": {"rack-9"}, "minutes": {"5"}}); a.Status != http.StatusSeeOther {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	_, after, found := strings.Cut(b.Get("/admin/nodes").Body, "--join mhj_")
	if !found {
		t.Fatal("the token is not shown")
	}
	if a := b.Get("/admin/nodes"); strings.Contains(a.Body, "mhj_") {
		t.Error("the token is shown twice")
	}
	n, err := site.Store.AdmitNode(t.Context(), []byte("key"), "mhj_"+strings.TrimSpace(after[:strings.IndexAny(after, "<\n ")]), "x")
	if err != nil || n.Name != "rack-9" {
		t.Fatalf("%+v %v", n, err)
	}
	if a := b.Get("/nodes/" + n.ID + "?ask=remove"); !strings.Contains(a.Body, "Remove rack-9?") {
		t.Error("it does not ask")
	}
	for range 2 {
		if a := b.Form("/nodes/"+n.ID+"/remove", nil); a.Status != http.StatusSeeOther {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
	if _, err := site.Store.AdmitNode(t.Context(), []byte("key"), "", "x"); store.KindOf(err) != store.Unauthorized {
		t.Errorf("its key is good after: %v", err)
	}
	nodes, err := site.Store.Nodes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if a := b.Form("/nodes/"+nodes[0].ID+"/remove", nil); a.Status != http.StatusConflict {
		t.Errorf("the console's own machine is removed: %d", a.Status)
	}
}
