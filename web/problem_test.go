package web_test

import (
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"testing"

	"github.com/meterhouse/meterhouse/web/webtest"
)

var update = flag.Bool("update", false, "rewrite the goldens")

var idInProblem = regexp.MustCompile(`"id": "[a-z0-9]{12}"`)

func TestProblemDocumentsAreAsCommitted(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	member, nobody := site.Program(t, site.Member), site.Nobody(t)
	chinese := site.Program(t, site.Member)
	chinese.Headers.Set("Accept-Language", "zh-CN")
	for name, a := range map[string]webtest.Answer{
		"not_found":    member.Call("GET", "/instances/nope", nil, nil),
		"no_call":      member.Call("GET", "/no-such-call", nil, nil),
		"wrong_method": member.Call("DELETE", "/instances", nil, nil),
		"no_token":     nobody.Call("GET", "/instances", nil, nil),
		"role":         site.Program(t, site.Viewer).Call("POST", "/instances", `{}`, nil),
		"malformed":    member.Call("POST", "/instances", `{`, nil),
		"fields":       member.Call("POST", "/instances", `{"gpu_count":-1,"hours":-3}`, nil),
		"unknown":      member.Call("POST", "/instances", `{"gpus_count":1}`, nil),
		"model":        member.Call("POST", "/instances", `{"gpu_model":"A20"}`, nil),
		"chinese":      chinese.Call("POST", "/instances", `{"gpu_count":-1}`, nil),
	} {
		var doc any
		if err := json.Unmarshal([]byte(a.Body), &doc); err != nil {
			t.Errorf("%s: %v in %s", name, err, a.Body)
			continue
		}
		text, err := json.MarshalIndent(doc, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		text = append(idInProblem.ReplaceAll(text, []byte(`"id": "ID"`)), '\n')
		file := "testdata/problem_" + name + ".json"
		if *update {
			if err := os.WriteFile(file, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(text) != string(want) {
			t.Errorf("%s:\n got %s\nwant %s", name, text, want)
		}
	}
}
