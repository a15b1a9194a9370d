package views

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/meterhouse/meterhouse/static"
	"github.com/meterhouse/meterhouse/web/lang"
)

func attribute(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

func walk(n *html.Node, visit func(*html.Node)) {
	visit(n)
	for c := range n.ChildNodes() {
		walk(c, visit)
	}
}

// eachPage checks every sample in both languages, without the mail.
func eachPage(t *testing.T, check func(t *testing.T, name, text string, root *html.Node)) {
	for _, l := range lang.All() {
		for name, page := range pages(l) {
			if strings.HasPrefix(name, "mail-") {
				continue
			}
			t.Run(name+"/"+l.Code(), func(t *testing.T) {
				text := render(t, page)
				root, err := html.Parse(strings.NewReader(text))
				if err != nil {
					t.Fatal(err)
				}
				check(t, name, text, root)
			})
		}
	}
}

func TestEveryIDIsThereOnceAndEveryReferenceIsMet(t *testing.T) {
	eachPage(t, func(t *testing.T, _, _ string, root *html.Node) {
		ids := map[string]int{}
		var wanted []string
		walk(root, func(n *html.Node) {
			if v, ok := attribute(n, "id"); ok {
				ids[v]++
			}
			for _, name := range []string{"for", "aria-labelledby", "aria-describedby", "list", "data-dialog"} {
				if v, ok := attribute(n, name); ok {
					wanted = append(wanted, strings.Fields(v)...)
				}
			}
			if v, _ := attribute(n, "href"); n.Data == "a" && len(v) > 1 && v[0] == '#' {
				wanted = append(wanted, v[1:])
			}
		})
		for v, n := range ids {
			if n > 1 {
				t.Errorf("id %q is there %d times", v, n)
			}
		}
		for _, v := range wanted {
			if ids[v] == 0 {
				t.Errorf("nothing has the id %q", v)
			}
		}
	})
}

func TestEveryFieldHasALabelAndEveryPostASecret(t *testing.T) {
	eachPage(t, func(t *testing.T, _, _ string, root *html.Node) {
		labelled := map[string]bool{}
		walk(root, func(n *html.Node) {
			if v, ok := attribute(n, "for"); n.Data == "label" && ok {
				labelled[v] = true
			}
		})
		walk(root, func(n *html.Node) {
			kind, _ := attribute(n, "type")
			if (n.Data == "input" || n.Data == "select" || n.Data == "textarea") && kind != "hidden" {
				if v, _ := attribute(n, "id"); !labelled[v] {
					t.Errorf("%s %q has no label", n.Data, v)
				}
			}
			if method, _ := attribute(n, "method"); n.Data == "form" && method == "post" && !hasSecret(n) {
				action, _ := attribute(n, "action")
				t.Errorf("the form %s has no csrf field", action)
			}
		})
	})
}

func hasSecret(form *html.Node) (found bool) {
	walk(form, func(n *html.Node) {
		name, _ := attribute(n, "name")
		value, _ := attribute(n, "value")
		found = found || name == "csrf" && value != ""
	})
	return found
}

func TestNothingNeedsAnUnsafePolicy(t *testing.T) {
	eachPage(t, func(t *testing.T, _, _ string, root *html.Node) {
		walk(root, func(n *html.Node) {
			for _, a := range n.Attr {
				if a.Key == "style" || strings.HasPrefix(a.Key, "on") || strings.HasPrefix(a.Key, "hx-on") || strings.HasPrefix(strings.ToLower(a.Val), "javascript:") {
					t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
				}
				if (a.Key == "src" || a.Key == "href") && strings.Contains(a.Val, "//") {
					t.Errorf("<%s %s=%q> is from elsewhere", n.Data, a.Key, a.Val)
				}
			}
			if n.Data == "script" && n.FirstChild != nil || n.Type == html.ElementNode && n.Data == "style" {
				t.Errorf("<%s> inside the page", n.Data)
			}
		})
	})
}

func TestEveryPageHasItsLandmarksAndOneHeading(t *testing.T) {
	eachPage(t, func(t *testing.T, name, _ string, root *html.Node) {
		count := map[string]int{}
		walk(root, func(n *html.Node) {
			if n.Type == html.ElementNode && (n.Data != "title" || n.Parent.Data == "head") {
				count[n.Data]++
			}
			if v, ok := attribute(n, "scope"); n.Data == "th" && (!ok || v != "col" && v != "row") {
				t.Error("a th has no scope")
			}
		})
		if count["h1"] != 1 || count["main"] != 1 || count["title"] != 1 {
			t.Errorf("h1 %d, main %d, title %d times", count["h1"], count["main"], count["title"])
		}
	})
}

// Every visible word comes from the catalogue: a template has no letters of its own between its tags.
func TestTemplatesHaveNoWordsOfTheirOwn(t *testing.T) {
	files, err := filepath.Glob("*.templ")
	if err != nil || len(files) == 0 {
		t.Fatal("no templates", err)
	}
	known := map[string]bool{"CSV": true, "JSON": true}
	text := regexp.MustCompile(`>([^<>{}@]*[\p{L}][^<>{}@]*)</`)
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range text.FindAllStringSubmatch(string(source), -1) {
			if word := strings.TrimSpace(m[1]); !known[word] {
				t.Errorf("%s: %q is not in the catalogue", file, word)
			}
		}
	}
}

func TestFirstPaintOfHomeStaysUnderItsBudget(t *testing.T) {
	const budget = 100 * 1024
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(render(t, Home(sampleHome(lang.Chinese))))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	sum := b.Len()
	for _, name := range []string{"app.css", "base.js", "inter.woff2", "icon.svg"} {
		hashed := strings.TrimPrefix(static.URL(name), static.Prefix)
		content, err := fs.ReadFile(static.Dist(), hashed+".gz")
		if err != nil {
			content, err = fs.ReadFile(static.Dist(), hashed)
		}
		if err != nil {
			t.Fatal(err)
		}
		sum += len(content)
	}
	t.Logf("%d bytes", sum)
	if sum > budget {
		t.Errorf("first paint of / takes %d bytes, more than %d", sum, budget)
	}
}
