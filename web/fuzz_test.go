package web

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzStrictJSON(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1}`, `{"a":{"b":[1,2,{"c":null}]}}`, `{"a":1,"a":2}`, `[`, "{\"a\":\"\\u0000\"}", strings.Repeat(`{"a":`, 20), "\xff", `{} {}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if checkJSON(body) != nil {
			return
		}
		if !json.Valid(body) || !utf8.Valid(body) || !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
			t.Errorf("taken: %q", body)
		}
	})
}

func FuzzLocalPath(f *testing.F) {
	for _, seed := range []string{"/", "/a?b=c", "//evil", `/\evil`, "https://evil", "/\t/evil", "/\r\nX: y"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		got := localPath(path)
		if !strings.HasPrefix(got, "/") || strings.HasPrefix(got, "//") || strings.ContainsAny(got, "\\\r\n\t\x00") {
			t.Errorf("%q leads to %q", path, got)
		}
	})
}

func FuzzForms(f *testing.F) {
	f.Add("1.5", "a=b, c=d", "12.50", "7")
	f.Add("1e400", "=", "-1", "-1")
	f.Fuzz(func(t *testing.T, hours, labels, amount, count string) {
		if d, err := parseHours(hours); err == nil && d != nil && *d <= 0 {
			t.Errorf("hours %q: %v", hours, *d)
		}
		if m, err := parseLabels("labels", labels); err == nil {
			for key := range m {
				if key == "" {
					t.Errorf("labels %q: %v", labels, m)
				}
			}
		}
		if n, err := parseCount("count", count); err == nil && n < 0 {
			t.Errorf("count %q: %d", count, n)
		}
		_, _ = parseMoney("limit", amount) // must not panic
	})
}
