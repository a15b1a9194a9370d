package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/webtest"
)

func TestAnAdminClosesAndOpensANodeByTheAPI(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	admin, member := site.Program(t, site.Admin), site.Program(t, site.Member)
	var nodes web.Nodes
	member.Call("GET", "/nodes", nil, &nodes)
	if len(nodes.Nodes) != 1 || nodes.Nodes[0].Service != store.NodeOpen || nodes.Nodes[0].GPUs.Total != 4 || nodes.Nodes[0].Build == "" {
		t.Fatalf("%+v", nodes)
	}
	path := "/nodes/" + nodes.Nodes[0].ID
	var rented web.Instance
	if a := member.Call("POST", "/instances", `{"gpu_count":1,"node":"`+nodes.Nodes[0].Name+`"}`, &rented); a.Status != http.StatusCreated {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if a := member.Call("POST", "/instances", `{"gpu_count":1,"node":"nowhere"}`, nil); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("a node that is not there: %d %s", a.Status, a.Body)
	}
	var n web.Node
	for _, c := range []struct{ call, body, service string }{
		{"cordon", `{"reason":"fans"}`, store.NodeCordoned}, {"drain", `{"reason":"fans","by":"` + site.Store.Now().Add(2*time.Hour).Format(time.RFC3339) + `"}`, store.NodeDraining}, {"uncordon", `{}`, store.NodeOpen},
	} {
		if a := admin.Call("POST", path+"/"+c.call, c.body, &n); a.Status != http.StatusOK || n.Service != c.service || n.Instances != 1 {
			t.Errorf("%s: %d %s", c.call, a.Status, a.Body)
		}
		blocked := member.Call("POST", "/instances", `{"gpu_count":2}`, nil).Status == http.StatusConflict
		if blocked != (c.service != store.NodeOpen) {
			t.Errorf("%s: something new is refused: %v", c.call, blocked)
		}
	}
	if a := admin.Call("POST", path+"/drain", `{"by":"yesterday"}`, nil); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("a drain by no time: %d", a.Status)
	}
	if a := admin.Call("DELETE", path, nil, nil); a.Status != http.StatusConflict {
		t.Errorf("the console's own machine is removed: %d", a.Status)
	}
}

func TestAMaintenanceWindowIsBookedOverWhatIsThereWithForceAlone(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	admin, member := site.Program(t, site.Admin), site.Program(t, site.Member)
	nodes, err := site.Store.Nodes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	path := "/nodes/" + nodes[0].ID + "/maintenance"
	var rented web.Instance
	member.Call("POST", "/instances", `{"gpu_count":1}`, &rented)
	start := site.Store.Now().Add(2 * time.Hour).Truncate(time.Second)
	body := func(force string) string {
		return `{"reason":"firmware","idempotency_key":"k` + force + `","start":"` + start.Format(time.RFC3339) + `","end":"` + start.Add(time.Hour).Format(time.RFC3339) + `","force":` + force + `}`
	}
	if a := admin.Call("POST", path, body("false"), nil); a.Status != http.StatusConflict || !strings.Contains(a.Body, `"overlaps":["`+rented.ID+`"]`) {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	var window web.MaintenanceWindow
	for range 2 {
		if a := admin.Call("POST", path, body("true"), &window); a.Status != http.StatusCreated {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	var windows web.MaintenanceWindows
	member.Call("GET", path, nil, &windows)
	if len(windows.Maintenance) != 1 || windows.Maintenance[0].ID != window.ID {
		t.Errorf("%+v", windows)
	}
	member.Call("GET", "/instances/"+rented.ID, nil, &rented)
	if rented.EndsAt == nil || !rented.EndsAt.Equal(start) || rented.EndsBecause != "maintenance" {
		t.Errorf("ends at %v because of %q", rented.EndsAt, rented.EndsBecause)
	}
	if a := admin.Call("DELETE", path+"?window="+window.ID, nil, nil); a.Status != http.StatusNoContent {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

func TestAJoinTokenMakesANodeOfAMachineAndIsGoneWithIt(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	admin := site.Program(t, site.Admin)
	var join web.Join
	if a := admin.Call("POST", "/nodes/join", `{"name":"rack-9","minutes":5}`, &join); a.Status != http.StatusCreated || !strings.HasSuffix(join.Command, " --join "+join.Token) {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	n, err := site.Store.AdmitNode(t.Context(), []byte("key"), join.Token, "x")
	if err != nil || n.Name != "rack-9" {
		t.Fatalf("%+v %v", n, err)
	}
	for range 2 { // once removed it is still in the books
		if a := admin.Call("DELETE", "/nodes/"+n.ID, nil, nil); a.Status != http.StatusNoContent && a.Status != http.StatusNotFound {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
	if _, err := site.Store.AdmitNode(t.Context(), []byte("key"), "", "x"); store.KindOf(err) != store.Unauthorized {
		t.Errorf("its key is good after: %v", err)
	}
}
