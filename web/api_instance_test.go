package web_test

import (
	"net/http"
	"testing"

	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/webtest"
)

func TestRentingAnswersWithTheInstanceAndWhereItIs(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	member := site.Program(t, site.Member)
	var in web.Instance
	a := member.Call("POST", "/instances", map[string]any{"name": "training", "gpu_count": 1, "kind": "on_demand", "command": "sleep 600", "hours": 2.5, "labels": map[string]string{"project": "vision"}}, &in)
	if a.Status != http.StatusCreated || a.Header.Get("Location") != "/api/v1/instances/"+in.ID {
		t.Fatalf("%d %s %s", a.Status, a.Header, a.Body)
	}
	if in.Status != "starting" || in.Name != "training" || !in.Simulated || len(in.GPUs) != 1 || in.RateMicrosPerHour <= 0 || in.Labels["project"] != "vision" {
		t.Errorf("%+v", in)
	}
	if site.Fleet.Kicks() == 0 {
		t.Error("the fleet was not woken")
	}
	var again web.Instance
	if a := member.Call("GET", "/instances/"+in.ID, nil, &again); a.Status != http.StatusOK || again.ID != in.ID {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	var list web.Instances
	if member.Call("GET", "/instances?status=live&person=me", nil, &list); len(list.Instances) != 1 {
		t.Errorf("%+v", list)
	}
}

func TestARetriedRentHasOneEffect(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	member := site.Program(t, site.Member)
	body := map[string]any{"gpu_count": 1, "idempotency_key": "once"}
	var first, second web.Instance
	member.Call("POST", "/instances", body, &first)
	if a := member.Call("POST", "/instances", body, &second); first.ID == "" || first.ID != second.ID {
		t.Errorf("%s and %s: %d %s", first.ID, second.ID, a.Status, a.Body)
	}
	body["name"] = "other"
	if a := member.Call("POST", "/instances", body, nil); a.Status != http.StatusConflict {
		t.Errorf("the same key with another body: %d", a.Status)
	}
}

func TestWithoutAFreeGPUARentIsRefusedOrWaits(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	member := site.Program(t, site.Member)
	if a := member.Call("POST", "/instances", `{"gpu_count":4}`, nil); a.Status != http.StatusCreated {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if a := member.Call("POST", "/instances", `{"gpu_count":1}`, nil); a.Status != http.StatusConflict {
		t.Errorf("no GPU is free: %d %s", a.Status, a.Body)
	}
	var in web.Instance
	if a := member.Call("POST", "/instances", `{"gpu_count":1,"queue":true}`, &in); a.Status != http.StatusAccepted || in.Status != "queued" || in.QueuePlace != 1 {
		t.Errorf("%d %+v", a.Status, in)
	}
}

func TestStoppingTwiceIsStoppingOnce(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	member := site.Program(t, site.Member)
	in := site.Running(t, site.Member, "job")
	for range 2 {
		var out web.Instance
		if a := member.Call("POST", "/instances/"+in.ID+"/stop", `{}`, &out); a.Status != http.StatusOK || out.Status != string(life.Stopping) {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
	if a := member.Call("POST", "/instances/"+in.ID+"/stop", nil, nil); a.Status != http.StatusOK {
		t.Errorf("without a body: %d %s", a.Status, a.Body)
	}
}

func TestTheBillsSegmentsAddUpToItsTotal(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	member := site.Program(t, site.Member)
	in := site.Running(t, site.Member, "job")
	site.Clock.Advance(3723 * 1e9)
	var bill web.Bill
	member.Call("GET", "/instances/"+in.ID+"/bill", nil, &bill)
	var sum int64
	for _, l := range bill.Segments {
		sum += l.AmountMicros
	}
	if len(bill.Segments) == 0 || sum != bill.TotalMicros || sum != (in.RateMicrosPerHour*3723+1800)/3600 {
		t.Errorf("%+v", bill)
	}
}

func TestAnotherTeamsInstanceDoesNotExist(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	in := site.Running(t, site.Member, "job")
	stranger := site.Program(t, site.Stranger)
	for _, call := range []struct{ method, path string }{{"GET", ""}, {"GET", "/bill"}, {"GET", "/logs"}, {"GET", "/events"}, {"GET", "/samples"}, {"POST", "/stop"}, {"POST", "/suspend"}, {"POST", "/resume"}, {"POST", "/extend"}} {
		var body any
		if call.method == "POST" {
			body = `{}`
		}
		if a := stranger.Call(call.method, "/instances/"+in.ID+call.path, body, nil); a.Status != http.StatusNotFound {
			t.Errorf("%s %s: %d", call.method, call.path, a.Status)
		}
	}
	var list web.Instances
	if stranger.Call("GET", "/instances", nil, &list); len(list.Instances) != 0 {
		t.Errorf("%+v", list)
	}
	if a := site.Program(t, site.Admin).Call("GET", "/instances/"+in.ID, nil, nil); a.Status != http.StatusOK {
		t.Errorf("an admin: %d", a.Status)
	}
}

func TestOnlyItsPersonAManagerAndAnAdminChangeAnInstance(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	in := site.Running(t, site.Admin, "job")
	for p, want := range map[*webtest.Client]int{site.Program(t, site.Viewer): http.StatusForbidden, site.Program(t, site.Member): http.StatusForbidden, site.Program(t, site.Manager): http.StatusOK} {
		if a := p.Call("POST", "/instances/"+in.ID+"/suspend", `{}`, nil); a.Status != want {
			t.Errorf("%d %s, want %d", a.Status, a.Body, want)
		}
	}
}

func TestAHardEndMovesByHoursOrToAMomentOrAway(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	member := site.Program(t, site.Member)
	in := site.Running(t, site.Member, "job")
	var out web.Instance
	if a := member.Call("POST", "/instances/"+in.ID+"/extend", `{"hours":2}`, &out); a.Status != http.StatusOK || out.EndsAt == nil || out.EndsAt.Sub(site.Clock.Now()).Hours() != 2 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if a := member.Call("POST", "/instances/"+in.ID+"/extend", `{"until":null}`, &out); a.Status != http.StatusOK || out.EndsAt != nil {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	for _, bad := range []string{`{}`, `{"hours":1,"until":null}`, `{"hours":-1}`, `{"until":"2001-01-01T00:00:00Z"}`, `{"until":"soon"}`, `{"hours":"x"}`} {
		if a := member.Call("POST", "/instances/"+in.ID+"/extend", bad, nil); a.Status != http.StatusUnprocessableEntity && a.Status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", bad, a.Status, a.Body)
		}
	}
}

func TestTheListComesInPages(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	member := site.Program(t, site.Member)
	for range 4 {
		site.Running(t, site.Member, "job")
	}
	seen := map[string]bool{}
	cursor := ""
	for range 3 {
		var page web.Instances
		member.Call("GET", "/instances?limit=2&cursor="+cursor, nil, &page)
		for _, in := range page.Instances {
			seen[in.ID] = true
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if len(seen) != 4 || cursor != "" {
		t.Errorf("%d seen, cursor %q", len(seen), cursor)
	}
}
