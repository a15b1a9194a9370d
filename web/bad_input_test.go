package web_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web/webtest"
)

var badBodies = map[string]string{
	"empty": "", "cut": "{", "array": "[]", "null": "null", "string": `"x"`, "number": "1", "two": "{}{}", "trailing": "{} x", "count as text": `{"gpu_count":"2"}`,
	"negative": `{"gpu_count":-1}`, "zero": `{"gpu_count":0}`, "huge": `{"gpu_count":1000000000000}`, "beyond int64": `{"gpu_count":99999999999999999999}`, "fraction": `{"gpu_count":1.5}`,
	"unknown kind": `{"kind":"free"}`, "unknown model": `{"gpu_model":"A20 (no such)"}`, "long name": `{"gpu_count":1,"name":"` + strings.Repeat("x", 100_000) + `"}`,
	"header in name": `{"gpu_count":1,"name":"\r\nBcc: a@example.com"}`, "NUL": `{"gpu_count":1,"name":"a\u0000b"}`, "negative hours": `{"gpu_count":1,"hours":-3}`,
	"endless hours": `{"gpu_count":1,"hours":1e30}`, "not a number": `{"gpu_count":1,"hours":NaN}`, "tiny hours": `{"gpu_count":1,"hours":1e-30}`, "exponent bomb": `{"gpu_count":1,"hours":1e999999999}`,
	"unknown field": `{"unknown_field":1}`, "doubled field": `{"gpu_count":1,"gpu_count":1}`, "bad UTF-8": "\xff\xfe", "bad UTF-8 inside": "{\"name\":\"\xff\"}", "deep": strings.Repeat("{", 100_000),
	"deep array": `{"labels":` + strings.Repeat("[", 100_000), "reserved": `{"gpu_count":1,"kind":"reserved"}`, "labels as list": `{"labels":["a"]}`, "gpus of nobody": `{"gpus":["GPU-nope"]}`,
	"lone surrogate name": `{"gpu_count":1,"name":"\ud800"}`, "long key": `{"gpu_count":1,"idempotency_key":"` + strings.Repeat("k", 10_000) + `"}`, "unknown plan": `{"plan":"../../etc"}`,
}

func count(t *testing.T, site *webtest.Site) int {
	t.Helper()
	list, _, err := site.Store.Instances(context.Background(), store.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func TestBadCallsGetAProblemAndChangeNothing(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	admin := site.Program(t, site.Admin)
	problem := func(name string, a webtest.Answer) {
		t.Helper()
		if a.Status < 400 || a.Status >= 500 || a.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s %.200s", name, a.Status, a.Header.Get("Content-Type"), a.Body)
		}
	}
	for name, body := range badBodies {
		for _, path := range []string{"/instances", "/benchmarks", "/budgets"} {
			problem(path+" "+name, admin.Call("POST", path, body, nil))
		}
	}
	for _, path := range []string{"/instances/nope", "/instances/%00", "/instances/%ff", "/instances/..%2f..%2fetc", "/instances/" + strings.Repeat("a", 5000), "/instances?cursor=%ff", "/instances?cursor=nope",
		"/instances?limit=0", "/instances?limit=x", "/instances?limit=501", "/instances?status=dead", "/instances?q=%00", "/instances?person=%2e%2e", "/usage?from=x&to=y", "/usage?from=2026-03-02&to=2026-03-01", "/usage?group_by=%00",
		"/usage?group_by=label:", "/ledger?cursor=%ff", "/ledger?instance=..%2f", "/benchmarks/nope", "/benchmarks?suite=x", "/benchmarks?status=x", "/budgets/nope", "/budgets/%ff", "/no-such-call", "/instances/nope/samples", "/instances/nope/exec", "/instances/nope/terminal", "//", "/%2e%2e"} {
		problem("GET "+path, admin.Call("GET", path, nil, nil))
	}
	for path, method := range map[string]string{"/instances": "DELETE", "/offers": "POST", "/instances/x/stop": "GET", "/openapi.json": "PUT", "/me": "PATCH"} {
		a := admin.Call(method, path, nil, nil)
		if problem(method+" "+path, a); a.Status != http.StatusMethodNotAllowed {
			t.Errorf("%s %s: %d", method, path, a.Status)
		}
	}
	if a := admin.Call("POST", "/instances", `{"name":"`+strings.Repeat("x", 2<<20)+`"}`, nil); a.Status != http.StatusRequestEntityTooLarge {
		t.Errorf("2 MiB: %d", a.Status)
	}
	if a := admin.Do("POST", "/api/v1/instances", strings.NewReader("gpu_count=1"), "Content-Type", "application/x-www-form-urlencoded"); a.Status != http.StatusUnsupportedMediaType {
		t.Errorf("a form: %d", a.Status)
	}
	if n := count(t, site); n != 0 {
		t.Errorf("%d instances came of bad input", n)
	}
}

func TestBadFormsAreShownAgainWithWhatWasTypedAndChangeNothing(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	browser := site.Browser(t, site.Manager)
	browser.Get("/rent/new")
	for name, f := range map[string]url.Values{
		"nothing": {}, "no plan": {"plan": {"nope"}}, "negative": {"plan": {"cpu-2"}, "gpu_count": {"-1"}}, "hours": {"plan": {"cpu-2"}, "hours": {"-3"}}, "labels": {"plan": {"cpu-2"}, "labels": {"x"}},
		"long": {"plan": {"cpu-2"}, "name": {strings.Repeat("x", 10_000)}}, "header": {"plan": {"cpu-2"}, "name": {"a\r\nBcc: b@example.org"}},
	} {
		f.Set("command", "echo typed-before")
		f.Set("do", "rent")
		a := browser.Form("/rent/new", f)
		if a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, "typed-before") {
			t.Errorf("%s: %d", name, a.Status)
		}
	}
	for _, body := range []string{"%zz", "name=%00", "name=%ff", strings.Repeat("a=b&", 400_000)} {
		a := browser.Do("POST", "/rent/new", strings.NewReader(body), "Content-Type", "application/x-www-form-urlencoded", "Origin", site.URL)
		if a.Status < 400 || a.Status >= 500 {
			t.Errorf("%.20s: %d", body, a.Status)
		}
	}
	for name, f := range map[string]url.Values{"empty": {}, "text": {"limit": {"lots"}}, "negative": {"limit": {"-5"}}, "huge": {"limit": {strings.Repeat("9", 100)}}, "thresholds": {"limit": {"5"}, "thresholds": {"a, b"}}, "other team": {"limit": {"5"}, "scope": {"team:" + site.Stranger.TeamID}}} {
		f.Set("name", "typed before")
		if a := browser.Form("/budgets", f); a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, "typed before") {
			t.Errorf("budget %s: %d", name, a.Status)
		}
	}
	if n := count(t, site); n != 0 {
		t.Errorf("%d instances came of bad forms", n)
	}
}
