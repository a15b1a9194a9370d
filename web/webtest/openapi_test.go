package webtest_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/webtest"
)

func description(t *testing.T, site *webtest.Site) *openapi3.T {
	t.Helper()
	a := site.Nobody(t).Get("/api/v1/openapi.json")
	doc, err := openapi3.NewLoader().LoadFromData([]byte(a.Body))
	if err == nil {
		err = doc.Validate(t.Context())
	}
	if err != nil {
		t.Fatalf("openapi.json: %v", err)
	}
	return doc
}

// fits checks an answer against what the description says of its call.
func fits(t *testing.T, doc *openapi3.T, method, path string, a webtest.Answer) {
	t.Helper()
	item := doc.Paths.Find(path)
	if item == nil || item.GetOperation(method) == nil {
		t.Fatalf("%s %s is not described", method, path)
	}
	answers := item.GetOperation(method).Responses
	answer := answers.Value(strconv.Itoa(a.Status))
	if answer == nil {
		answer = answers.Default()
	}
	kind, _, _ := strings.Cut(a.Header.Get("Content-Type"), ";")
	content := answer.Value.Content.Get(kind)
	if content == nil {
		if len(answer.Value.Content) > 0 || a.Body != "" {
			t.Errorf("%s %s: %d as %s is not described", method, path, a.Status, kind)
		}
		return
	}
	var body any = a.Body
	if strings.HasSuffix(kind, "json") {
		if err := json.Unmarshal([]byte(a.Body), &body); err != nil {
			t.Fatal(err)
		}
	}
	if err := content.Schema.Value.VisitJSON(body); err != nil {
		t.Errorf("%s %s: %d %v\n%s", method, path, a.Status, err, a.Body)
	}
}

// lastMonth gives the site a month of use with its invoice, number 1, and returns an entry of it.
func lastMonth(t *testing.T, site *webtest.Site) (entry string) {
	t.Helper()
	in := site.Running(t, site.Member, "earlier")
	site.Clock.Advance(time.Hour)
	err := site.Store.MarkEnded(t.Context(), in.ID, store.End{At: site.Clock.Now()})
	if err == nil {
		err = site.Store.MarkStopped(t.Context(), in.ID, store.Proof{Clean: true})
	}
	if err != nil {
		t.Fatal(err)
	}
	site.Clock.Set(site.Clock.Now().AddDate(0, 1, 0))
	if n, err := site.Store.IssueInvoices(t.Context()); err != nil || n != 1 {
		t.Fatalf("%d invoices, %v", n, err)
	}
	all, _, err := site.Store.Entries(t.Context(), store.EntryFilter{})
	if err != nil || len(all) == 0 {
		t.Fatalf("%v %v", all, err)
	}
	return strconv.FormatInt(all[0].ID, 10)
}

// otherNode is a machine that has joined, with a maintenance window.
func otherNode(t *testing.T, site *webtest.Site) (id, window string) {
	t.Helper()
	secret, err := site.Store.NewJoin(t.Context(), "", "rack-2", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	n, err := site.Store.AdmitNode(t.Context(), []byte("key"), secret, "")
	if err != nil {
		t.Fatal(err)
	}
	start := site.Clock.Now().Add(time.Hour)
	m, err := site.Store.BookMaintenance(t.Context(), store.NewMaintenance{NodeID: n.ID, Start: start, End: start.Add(time.Hour), Reason: "firmware"})
	if err != nil {
		t.Fatal(err)
	}
	return n.ID, m.ID
}

// TestWhatTheDescriptionSaysIsWhatTheHandlersSend calls every operation, as it should be and as it should not.
func TestWhatTheDescriptionSaysIsWhatTheHandlersSend(t *testing.T) {
	site := webtest.Start(t)
	doc := description(t, site)
	admin := site.Program(t, site.Admin)
	entry := lastMonth(t, site)
	in := site.Running(t, site.Member, "job")
	site.Fleet.WriteLog(in.ID, "hello\n")
	r := gpu.Reading{UUID: in.GPUs[0], At: site.Clock.Now()}
	r.Values[gpu.Utilization], r.Values[gpu.Fan] = gpu.Known(500), gpu.Unknown(gpu.NotSupported)
	site.Fleet.Read(r)
	site.Clock.Advance(5e9)
	var budget web.Budget
	a := admin.Call("POST", "/budgets", `{"name":"March","scope":"team","period":"month","limit_micros":5000000,"thresholds":[50,100],"action":"notify"}`, &budget)
	fits(t, doc, "POST", "/budgets", a)
	var run web.Benchmark
	a = admin.Call("POST", "/benchmarks", `{"suite":"stream","backend":"cpu","seconds":20}`, &run)
	fits(t, doc, "POST", "/benchmarks", a)
	var reservation web.Reservation
	a = admin.Call("POST", "/reservations", `{"gpu_model":"a100-sxm4-80gb","start":"2026-04-09","end":"2026-04-10T06:00:00Z"}`, &reservation)
	fits(t, doc, "POST", "/reservations", a)
	var limit web.Quota
	a = admin.Call("POST", "/quotas", `{"kind":"gpus","limit":64000}`, &limit)
	fits(t, doc, "POST", "/quotas", a)
	var wish web.QuotaRequest
	a = admin.Call("POST", "/quotas/requests", `{"quota_id":"`+limit.ID+`","limit":65000,"hours":1,"why":"why"}`, &wish)
	fits(t, doc, "POST", "/quotas/requests", a)
	stored, queries := storedVolume(t, site)
	node, window := otherNode(t, site)
	queries["DELETE /nodes/{id}/maintenance"] = "?window=" + window
	var form web.Template
	a = admin.Call("POST", "/templates", `{"name":"form","form":{"command":"train"}}`, &form)
	fits(t, doc, "POST", "/templates", a)
	var secret web.Secret
	a = admin.Call("POST", "/secrets", `{"name":"HF_TOKEN","value":"secret"}`, &secret)
	fits(t, doc, "POST", "/secrets", a)
	if nodes, err := site.Store.Nodes(t.Context()); err != nil {
		t.Fatal(err)
	} else if err := site.Store.SeeImages(t.Context(), nodes[0].ID, nil, store.ImageSpace{FreeBytes: 1 << 40}, site.Clock.Now()); err != nil {
		t.Fatal(err)
	}
	var image web.Image
	a = admin.Call("POST", "/images", `{"reference":"docker.io/library/busybox:1"}`, &image)
	fits(t, doc, "POST", "/images", a)
	called := map[string]bool{"POST /templates": true, "POST /secrets": true, "POST /images": true, "POST /quotas": true, "POST /quotas/requests": true, "POST /reservations": true, "POST /budgets": true, "POST /benchmarks": true}
	bodies := map[string]string{"POST /quotas/requests/{id}/decide": `{"grant":true}`, "POST /instances": `{"gpu_count":1}`, "POST /instances/{id}/extend": `{"hours":1}`, "PUT /instances/{id}/port": `{"port":8888}`, "POST /reservations/{id}/extend": `{"end":"2026-04-11"}`,
		"POST /ledger/{id}/corrections": `{"kind":"credit","amount_micros":-1,"note":"why"}`, "PUT /spot/{id}": `{"minimum_ppm":200000}`, "POST /volumes": `{"name":"more","gib":1}`, "POST /volumes/{id}/snapshots": `{"name":"kept"}`,
		"POST /nodes/{id}/maintenance": `{"start":"2026-05-01","end":"2026-05-02","reason":"why"}`,
		"PUT /budgets/{id}":            `{"name":"April","scope":"team","period":"month","limit_micros":6000000,"action":"notify"}`}
	order := []string{"GET", "PUT", "POST", "DELETE"} // what ends comes last
	for _, method := range order {
		for _, path := range doc.Paths.InMatchingOrder() {
			operation := doc.Paths.Find(path).GetOperation(method)
			if operation == nil || called[method+" "+path] {
				continue
			}
			called[method+" "+path] = true
			id := in.ID
			switch {
			case strings.HasPrefix(path, "/budgets"):
				id = budget.ID
			case strings.HasPrefix(path, "/quotas/requests"):
				id = wish.ID
			case strings.HasPrefix(path, "/quotas"):
				id = limit.ID
			case strings.HasPrefix(path, "/reservations"):
				id = reservation.ID
			case strings.HasPrefix(path, "/spot"):
				id = strings.TrimSuffix(in.PlanID, "-x1")
			case strings.HasPrefix(path, "/volumes"):
				id = stored
			case strings.HasPrefix(path, "/nodes"):
				id = node
			case strings.HasPrefix(path, "/templates"):
				id = form.ID
			case strings.HasPrefix(path, "/secrets"):
				id = secret.ID
			case strings.HasPrefix(path, "/images"):
				id = image.ID
			case strings.HasPrefix(path, "/ledger"):
				id = entry
			case strings.HasPrefix(path, "/invoices"):
				id = "1"
			case strings.HasPrefix(path, "/benchmarks"):
				id = run.ID
			}
			var body any
			if method == "POST" || method == "PUT" {
				if body = bodies[method+" "+path]; body == "" {
					body = `{}`
				}
			}
			a := admin.Call(method, strings.Replace(path, "{id}", id, 1)+queries[method+" "+path], body, nil)
			fits(t, doc, method, path, a)
			if operation.Responses.Value("101") == nil && (a.Status < 200 || a.Status > 299) && a.Status != http.StatusConflict {
				t.Errorf("%s %s: %d %s", method, path, a.Status, a.Body)
			}
			if strings.Contains(path, "{id}") {
				fits(t, doc, method, path, admin.Call(method, strings.Replace(path, "{id}", "nope", 1), body, nil))
			}
			fits(t, doc, method, path, site.Nobody(t).Call(method, strings.Replace(path, "{id}", id, 1), body, nil))
		}
	}
	for _, row := range web.Table() {
		if path, isAPI := strings.CutPrefix(row.Path, "/api/v1"); isAPI && path != "/openapi.json" && !called[row.Method+" "+strings.Replace(path, ":id", "{id}", 1)] {
			t.Errorf("%s %s is not described", row.Method, row.Path)
		}
	}
}
