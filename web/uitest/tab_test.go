package uitest

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

// patience is how long a page may take to show what it must: far more than it needs, for a machine that is busy.
const patience = 15 * time.Second

// open goes to a page of the console and returns the status of the answer; 0 where something else goes on taking the tab
// elsewhere. What the page before overtakes has no answer of its own, or another page's: so the tab is asked where it is.
func (b *tab) open(path string) int64 {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 30*time.Second)
	defer cancel()
	for range 5 {
		_, err := chromedp.Run(ctx, chromedp.NavigateResponse(b.c.url(path)))
		if err != nil && !left(err) && !strings.Contains(err.Error(), "net::ERR_ABORTED") {
			b.t.Fatalf("opening %s: %v", path, err)
		}
		b.until("a loaded page", `document.readyState === "complete"`)
		if at := b.document(); at.Path == path || at.Redirects > 0 {
			return at.Status
		}
	}
	return 0
}

// document is where a tab is, and how it came there.
type document struct {
	Path              string
	Status, Redirects int64
}

func (b *tab) document() document {
	b.t.Helper()
	return eval[document](b, `(() => {
		const came = performance.getEntriesByType("navigation")[0];
		return {Path: location.pathname + location.search, Status: came?.responseStatus ?? 0, Redirects: came?.redirectCount ?? 0};
	})()`)
}

// visit opens a page that must be there.
func (b *tab) visit(path string) {
	b.t.Helper()
	if status := b.open(path); status != 200 {
		b.t.Fatalf("%s answers %d: %s", path, status, tail(b.text("body"), 500))
	}
}

// eval evaluates an expression in a tab. A page that goes away meanwhile, as one does that reloads itself, is asked again
// when the next one is there.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
		if err == nil {
			return v
		}
		if !left(err) || time.Now().After(deadline) {
			b.t.Fatalf("%v in %s", err, tail(expression, 300))
		}
	}
}

// left reports whether an error says that the page was replaced while it was asked.
func left(err error) bool {
	for _, sign := range []string{"navigated or closed", "context was destroyed", "Cannot find context", "Promise was collected"} {
		if strings.Contains(err.Error(), sign) {
			return true
		}
	}
	return false
}

// until waits until an expression is true in the page, also across navigations.
func (b *tab) until(what, expression string) {
	b.t.Helper()
	b.untilWithin(patience, what, expression)
}

func (b *tab) untilWithin(patience time.Duration, what, expression string) {
	b.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(15 * time.Millisecond) {
		// An error is a page that is being replaced: the next one is asked again.
		ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		if err == nil && ok {
			return
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("%s: after %v no %s (%v) in:\n%s", b.path(), patience, what, err, tail(b.text("body"), 1500))
		}
	}
}

// see waits until an element is there and drawn.
func (b *tab) see(selector string) {
	b.t.Helper()
	b.until("visible "+selector, `[...document.querySelectorAll(`+quote(selector)+`)].some(e => e.getClientRects().length > 0)`)
}

// has reports whether an element is there now.
func (b *tab) has(selector string) bool {
	b.t.Helper()
	return eval[bool](b, `document.querySelector(`+quote(selector)+`) !== null`)
}

// text is what a person reads in an element, "" if it is not there.
func (b *tab) text(selector string) string {
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.querySelector(`+quote(selector)+`)?.innerText ?? ""`))
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return v
}

// path is where the tab is.
func (b *tab) path() string {
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`location.pathname + location.search`))
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return v
}

// quote writes a string as JavaScript.
func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
