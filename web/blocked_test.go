package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/lang"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// L16: each GPU that can't be rented says why, on its tile, in the catalogue and by the API.
func TestEachGPUThatCanNotBeRentedSaysWhy(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	for _, l := range lang.All() {
		for _, reason := range []string{"in_use", "watch", "quarantined", "fenced", "lost", "node_lost", "node_cordoned", "node_draining", "node_maintenance", "reserved", "promised", "waiting", "no_price"} {
			if l.BlockedWhy(reason) == reason {
				t.Errorf("%s: %q has no words", l.Code(), reason)
			}
		}
	}
	member := site.Program(t, site.Member)
	for _, body := range []string{`{"gpu_count":2}`, `{"gpu_count":4,"queue":true}`} { // what is free is for who waits for all
		if a := member.Call("POST", "/instances", body, nil); a.Status >= http.StatusBadRequest {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	if err := site.Store.SetGPUState(t.Context(), site.GPUs[3].UUID, store.GPUWatch, "odd"); err != nil {
		t.Fatal(err)
	}
	var gpus web.GPUs
	member.Call("GET", "/gpus", nil, &gpus)
	var got []string
	for _, g := range gpus.GPUs {
		got = append(got, g.Blocked)
	}
	if strings.Join(got, " ") != "in_use in_use  watch" { // three are left: the four will never be free together
		t.Errorf("blocked: %q", got)
	}
	browser := site.Browser(t, site.Viewer)
	for _, path := range []string{"/fleet", "/rent"} {
		if page := browser.Get(path).Body; !strings.Contains(page, "something is odd: what runs may finish") {
			t.Errorf("%s does not say why", path)
		}
	}
}
