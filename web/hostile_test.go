package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// markup is what would run if a page took it for its own; hidden is what no name may hold, as it ends a line, turns the text
// around or is too long for a name.
var (
	markup = map[string]string{
		"element": `<script>evil()</script>`, "image": `<img src=x onerror=evil()>`, "attribute": `" onmouseover="evil()`, "quote": `' onfocus='evil()' x='`,
		"comment": `--><svg onload=evil()>`, "end": `</title></textarea><script>evil()</script>`, "entity": `&lt;script&gt;evil()&lt;/script&gt;`, "template": `{{evil()}}${evil()}`,
	}
	hidden = map[string]string{
		"turned": "ab\u202Ecd", "line": "a\nb", "header": "a\r\nBcc: x@example.org", "mark": "a\u200Bb", "long": strings.Repeat("x", 10_000), "escape": "a\x1b]0;evil\x07", "isolate": "a\u2066b",
	}
)

// harmless fails for a page in which anything of markup became the page's own, or that turns its text around.
func harmless(t *testing.T, what string, a webtest.Answer) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(a.Body))
	if err != nil || a.Status >= 500 {
		t.Fatalf("%s: %d %v", what, a.Status, err)
	}
	for n := range root.Descendants() {
		switch {
		case n.Type == html.TextNode && strings.ContainsAny(n.Data, "\u202E\u2066\u200B\x1b"):
			t.Errorf("%s: text that turns or hides: %q", what, n.Data)
		case n.Type == html.ElementNode && n.Data == "script" && n.FirstChild != nil:
			t.Errorf("%s: a script of its own: %s", what, n.FirstChild.Data)
		}
		for _, attribute := range n.Attr {
			if strings.HasPrefix(attribute.Key, "on") || strings.Contains(attribute.Key, "evil") || strings.HasPrefix(strings.TrimSpace(strings.ToLower(attribute.Val)), "javascript:") {
				t.Errorf("%s: <%s %s=%q>", what, n.Data, attribute.Key, attribute.Val)
			}
		}
	}
}

// field is where a person's text is taken and kept; put answers with what came of it.
type field struct {
	name string
	put  func(text string) webtest.Answer
}

func fieldsOf(t *testing.T, site *webtest.Site) []field {
	t.Helper()
	c, program := site.Browser(t, site.Manager), site.Program(t, site.Manager)
	rent := func(change func(map[string]any)) webtest.Answer {
		body := map[string]any{"plan": "cpu-2", "queue": true}
		change(body)
		return program.Call("POST", "/instances", body, nil)
	}
	budget := func(field, text string) webtest.Answer {
		form := url.Values{"scope": {"team:" + site.Team.ID}, "name": {"b"}, "period": {"month"}, "limit": {"10"}, "thresholds": {"80"}, "action": {"notify"}}
		form.Set(field, text)
		return c.Form("/budgets", form)
	}
	return []field{
		{"instance name", func(text string) webtest.Answer { return rent(func(b map[string]any) { b["name"] = text }) }},
		{"label's value", func(text string) webtest.Answer {
			return rent(func(b map[string]any) { b["labels"] = map[string]string{"project": text} })
		}},
		{"label's key", func(text string) webtest.Answer {
			return rent(func(b map[string]any) { b["labels"] = map[string]string{text: "v"} })
		}},
		{"image", func(text string) webtest.Answer { return rent(func(b map[string]any) { b["image"] = text }) }},
		{"budget name", func(text string) webtest.Answer { return budget("name", text) }},
		{"token name", func(text string) webtest.Answer { return c.Form("/settings/tokens", url.Values{"name": {text}}) }},
		{"key name", func(text string) webtest.Answer {
			return c.Form("/settings/keys", url.Values{"name": {text}, "key": {publicKey(t)}})
		}},
		{"key comment", func(text string) webtest.Answer {
			return c.Form("/settings/keys", url.Values{"key": {publicKey(t) + text}})
		}},
		{"person's name", func(text string) webtest.Answer {
			return c.Form("/settings/profile", url.Values{"name": {text}, "email": {site.Manager.Email}})
		}},
		{"person's address", func(text string) webtest.Answer {
			return c.Form("/settings/profile", url.Values{"name": {"manager"}, "email": {text + "@example.org"}})
		}},
		{"budget's address", func(text string) webtest.Answer {
			return program.Call("POST", "/budgets", map[string]any{"name": "b", "limit_micros": 1, "emails": []string{"a@example.org", text + "@example.org"}}, nil)
		}},
	}
}

func TestNoStoredTextBecomesAPagesOwn(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	for _, f := range fieldsOf(t, site) {
		for what, text := range markup {
			if a := f.put(text); strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
				harmless(t, f.name+", "+what, a)
			} else if a.Status >= 500 {
				t.Errorf("%s, %s: %d %s", f.name, what, a.Status, a.Body)
			}
		}
	}
	c := site.Browser(t, site.Admin)
	paths := []string{"/", "/rent", "/rent/new?plan=cpu-2", "/instances", "/queue", "/fleet", "/bench", "/costs", "/costs?group=label", "/costs?group=instance", "/costs?group=member", "/costs?group=team", "/budgets", "/settings"}
	var list web.Instances
	site.Program(t, site.Admin).Call("GET", "/instances", nil, &list)
	for _, in := range list.Instances {
		paths = append(paths, "/instances/"+in.ID, "/instances/"+in.ID+"?ask=stop")
	}
	budgets, err := site.Store.Budgets(t.Context(), "")
	if err != nil || len(budgets) == 0 || len(list.Instances) == 0 {
		t.Fatalf("nothing was taken: %v %d %d", err, len(budgets), len(list.Instances))
	}
	for _, b := range budgets {
		paths = append(paths, "/budgets?edit="+b.ID, "/budgets?delete="+b.ID)
	}
	for _, path := range paths {
		harmless(t, path, c.Get(path))
	}
	manager := site.Browser(t, site.Manager)
	harmless(t, "/settings of the person", manager.Get("/settings"))
	tokens, err := site.Store.Tokens(t.Context(), site.Manager.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range tokens {
		harmless(t, "the question about a token", manager.Get("/settings?ask="+k.ID))
	}
}

func TestNoTextOfAnAddressBecomesAPagesOwn(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	c, nobody := site.Browser(t, site.Admin), site.Nobody(t)
	for what, text := range markup {
		q := url.QueryEscape(text)
		for _, path := range []string{"/instances?q=" + q, "/instances?status=" + q, "/rent/new?plan=" + q, "/costs?month=" + q, "/costs?group=" + q, "/costs?group=label&label=" + q, "/budgets?edit=" + q, "/settings?ask=" + q, "/bench?suite=" + q, "/" + url.PathEscape(text)} {
			harmless(t, what+" in "+path, c.Get(path))
		}
		for _, path := range []string{"/login?next=/" + q, "/login/link?code=" + q, "/setup?code=" + q} {
			harmless(t, what+" in "+path, nobody.Get(path))
		}
	}
}

func TestWhatHidesOrEndsALineIsNoName(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	for _, f := range fieldsOf(t, site) {
		for what, text := range hidden {
			// A key's comment is no name: what can be one is taken of it.
			if a := f.put(text); a.Status >= 500 || a.Status < 400 && f.name != "key comment" {
				t.Errorf("%s, %s: %d", f.name, what, a.Status)
			}
		}
	}
	keys, err := site.Store.SSHKeys(t.Context(), site.Manager.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if len(k.Name) > 60 || strings.ContainsFunc(k.Name, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("a key is called %q", k.Name)
		}
	}
}

func TestANameOfAnInstanceBeginsWithALetterOrADigit(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	c := site.Program(t, site.Member)
	for _, name := range []string{"..", ".", "-", "--", "-f", ".ssh", " ..", "_", "../../etc", "a/b"} {
		a := c.Call("POST", "/instances", map[string]any{"plan": "cpu-2", "name": name}, nil)
		if a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, `"field":"name"`) {
			t.Errorf("%q: %d %s", name, a.Status, a.Body)
		}
	}
	for _, name := range []string{"a", "7", "run.2", "训练 1", "été-3"} {
		if a := c.Call("POST", "/instances", map[string]any{"plan": "cpu-2", "name": name, "queue": true}, nil); a.Status >= 300 {
			t.Errorf("%q: %d %s", name, a.Status, a.Body)
		}
	}
}
