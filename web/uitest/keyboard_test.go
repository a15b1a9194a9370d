package uitest

import (
	_ "embed"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

//go:embed keyboard.js
var keyboardScript string

// focus is what has the keyboard's focus. Stop is its number among the page's stops, -1 for none; Seen says what is wrong with
// how it shows, "" if nothing is.
type focus struct {
	Stop int
	Seen string
	Name string
}

// walk presses Tab through the whole page and returns what is wrong: stops that are never reached, that come in another
// order than they are written in, or whose focus nobody can see.
func (b *tab) walk() []string {
	b.t.Helper()
	eval[bool](b, keyboardScript)
	stops := eval[[]string](b, `tabStops()`)
	var found []string
	reached, last := map[int]bool{}, -1
	for range len(stops) + 2 {
		b.keys(kb.Tab)
		for range 8 { // a field for a date and a time has a stop for each of its parts
			if !eval[bool](b, `/^(date|time)/.test(document.activeElement?.type ?? "") && document.activeElement.dataset.stop === "`+strconv.Itoa(last)+`"`) {
				break
			}
			b.keys(kb.Tab)
		}
		f := eval[focus](b, `tabFocus()`)
		if f.Stop == -1 || reached[f.Stop] {
			break // around the page once
		}
		if f.Stop < last {
			found = append(found, "the focus goes back to "+f.Name)
		}
		if f.Seen != "" {
			found = append(found, "the focus on "+f.Name+" "+f.Seen)
		}
		reached[f.Stop], last = true, f.Stop
	}
	for i, name := range stops {
		if !reached[i] {
			found = append(found, "Tab does not reach "+name)
		}
	}
	return found
}

func TestTabReachesEverythingInOrderAndIsSeen(t *testing.T) {
	inBrowser(t)
	t.Parallel()
	c := startConsole(t, nil)
	admin := c.asAdmin()
	over := c.rent(admin, "over", "true; sleep 600")
	c.call(admin, "POST", "/instances/"+over+"/stop", struct{}{}, nil)
	c.waitFor(over, "stopped")
	pages := append([]string{"/rent/new?plan=" + c.firstPlan(), "/instances/" + over}, sitePages...)
	b := newTab(t, c, admin, screen{width: 1280})
	b.expect("404")
	for _, width := range []int64{1280, 360} {
		b.look(screen{width: width})
		for _, page := range pages {
			b.open(page)
			b.settle()
			for _, f := range b.walk() {
				t.Errorf("%s at %d: %s", page, width, f)
			}
		}
	}
	b.visit("/")
	eval[bool](b, `(document.querySelector(".top details").open = true)`)
	for _, f := range b.walk() {
		t.Errorf("the open menu: %s", f)
	}
	// It closed when the focus left it, scrolled to its end.
	eval[bool](b, `(document.querySelector(".top details").open = true, document.querySelector(".top .sheetlike").scrollTop = 0, true)`)
	for _, f := range append(b.laidOut(), b.accessible()...) {
		t.Errorf("the open menu: %s", f)
	}
	b.click(".top nav a[href='/rent']")
	b.arrive("/rent")
	b.click(".top summary")
	b.keys(kb.Escape)
	b.until("a closed menu", `!document.querySelector(".top details").open`)
}

func TestTheSkipLinkLeadsToTheContent(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	b := newTab(t, c, c.asAdmin(), screen{width: 1280})
	b.visit("/")
	b.keys(kb.Tab)
	b.until("focus on the skip link", `document.activeElement.hash === "#main" && document.activeElement.getBoundingClientRect().top >= 0`)
	b.keys(kb.Enter)
	b.until("focus in the content", `document.activeElement.id === "main"`)
	b.keys(kb.Tab)
	b.until("focus on the content's first control", `document.querySelector("#main").contains(document.activeElement)`)
}
