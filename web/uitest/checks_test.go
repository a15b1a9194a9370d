package uitest

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// The checks themselves are checked on small pages that are wrong in one way each.
func TestEachCheckFindsWhatItIsFor(t *testing.T) {
	inBrowser(t)
	const frame = `<!DOCTYPE html><html lang="en"><head><title>t</title><link rel="icon" href="data:,"><meta name="viewport" content="width=device-width">
		<style>body{font:16px sans-serif;margin:8px}</style></head><body><main><h1>Head</h1>BODY</main></body></html>`
	cases := []struct{ name, body, want string }{
		{"nothing", `<p>Well</p><a href="/">Home</a>`, ""},
		{"sideways", `<p style="width:3000px">wide</p>`, "scrolls sideways"},
		{"cut", `<p style="width:40px;overflow:hidden;white-space:nowrap">a long sentence</p>`, "cut off"},
		{"cut below", `<div style="height:20px;overflow:hidden"><p>one</p><p>two</p></div>`, "cut off below"},
		{"spill", `<p style="width:40px;white-space:nowrap">a long sentence</p>`, "spills out"},
		{"over", `<p style="margin-bottom:-34px">first line</p><p>second line</p>`, "text over text"},
		{"over itself", `<p style="width:80px;line-height:4px">one two three four five six</p>`, "text over text"},
		{"ellipsis within the padding is fine", `<p title="01234567890123456789" style="font-family:monospace;padding:0 10px;width:calc(20ch - 4px);overflow:hidden;text-overflow:ellipsis;white-space:nowrap">01234567890123456789</p>`, ""},
		{"tiny", `<svg width="20" height="5" viewBox="0 0 200 50" aria-hidden="true"><text y="40">tick</text></svg>`, "too small to read"},
		{"together", `<p>since<time>08:40</time></p>`, "words run together"},
		{"controls", `<a href="/a">first one</a><a href="/b" style="margin-left:-20px">second one</a>`, "controls overlap"},
		{"select", `<label>S <select style="width:50px"><option>a very long option</select></label>`, "option does not fit"},
		{"scrollable is fine", `<div style="width:80px;overflow:auto" tabindex="0"><p style="width:400px">a very long sentence it is</p></div>`, ""},
		{"contrast", `<p style="color:#999;background:#fff">pale</p>`, "color-contrast"},
		{"label", `<input name="x">`, "axe label"},
		{"small target", `<button style="width:10px;height:10px;padding:0;border:0" aria-label="a"></button><button style="width:10px;height:10px;padding:0;border:0" aria-label="b"></button>`, "target-size"},
		{"words", `<p>运行</p>`, "Chinese in the English page"},
		{"placeholder", `<p>costs NaN</p>`, "a placeholder"},
		{"two heads", `<h1>Again</h1>`, "2 h1"},
		{"script", `<script>console.error("it broke")</script>`, "it broke"},
		{"exception", `<script>null.x</script>`, "exception"},
		{"csp", `<script>document.body.append(Object.assign(document.createElement("img"),{src:"/pixel",alt:""}))</script>`, "Content Security Policy"},
		{"foreign", `<link rel="preload" as="fetch" href="http://example.com/x">`, "another host"},
		{"missing", `<script>fetch("/gone")</script>`, "404"},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/case/"))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Security-Policy", "img-src data:")
		w.Write([]byte(strings.Replace(frame, "BODY", cases[i].body, 1)))
	}))
	defer server.Close()
	b := newTab(t, &console{t: t, address: strings.TrimPrefix(server.URL, "http://")}, nil, screen{width: 800})
	for i, c := range cases {
		b.visit("/case/" + strconv.Itoa(i))
		found := append(b.laidOut(), b.worded()...)
		found = append(found, b.accessible()...)
		found = append(found, b.guard.take()...)
		all := strings.Join(found, "\n")
		if c.want == "" && all != "" || !strings.Contains(all, c.want) {
			t.Errorf("%s: found %q, want something with %q", c.name, all, c.want)
		}
	}
}
