package uitest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience is how long a page may take to show what it must: far more than it needs, for a machine that is busy.
const patience = 15 * time.Second

// open goes to a page of the console and returns the status of the answer.
func (b *tab) open(path string) int64 {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 30*time.Second)
	defer cancel()
	res, err := chromedp.Run(ctx, chromedp.NavigateResponse(b.c.url(path)))
	if err != nil {
		b.t.Fatalf("opening %s: %v", path, err)
	}
	if res == nil {
		return 0
	}
	return res.Status
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

// click presses the left button on the middle of the first drawn element that matches. Something that lies over it fails
// the test, as it would stop a person.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.see(selector)
	type spot struct {
		X, Y  float64
		Cover string
	}
	at := eval[spot](b, `(() => {
		const e = [...document.querySelectorAll(`+quote(selector)+`)].find(e => e.getClientRects().length > 0);
		e.scrollIntoView({block: "center", inline: "nearest", behavior: "instant"});
		const r = e.getClientRects()[0], x = r.x + r.width/2, y = r.y + r.height/2;
		const top = document.elementFromPoint(x, y);
		const ok = top && (top === e || e.contains(top) || top.contains(e) || [...(e.labels ?? [])].some(l => l.contains(top)));
		return {X: x, Y: y, Cover: ok ? "" : top ? top.outerHTML.slice(0, 200) : "nothing: outside of the screen"};
	})()`)
	if at.Cover != "" {
		b.t.Fatalf("%s: %s is covered by %s", b.path(), selector, at.Cover)
	}
	if err := chromedp.Do(b.ctx, chromedp.MouseClickXY(at.X, at.Y)); err != nil {
		b.t.Fatal(err)
	}
}

// clickTo clicks and waits for the page that follows.
func (b *tab) clickTo(selector, path string) {
	b.t.Helper()
	b.click(selector)
	b.arrive(path)
}

// arrive waits until the tab has loaded a page whose path begins with path.
func (b *tab) arrive(path string) {
	b.t.Helper()
	b.until("page "+path, `location.pathname.startsWith(`+quote(path)+`) && document.readyState === "complete"`)
}

// fill types a value into a field, over what is there.
func (b *tab) fill(selector, value string) {
	b.t.Helper()
	b.click(selector)
	eval[bool](b, `(document.activeElement.select?.(), true)`)
	if value == "" {
		b.keys("\b")
		return
	}
	b.keys(value)
}

// choose picks an option of a select by its value.
func (b *tab) choose(selector, value string) {
	b.t.Helper()
	b.see(selector)
	ok := eval[bool](b, `(() => {
		const e = document.querySelector(`+quote(selector)+`);
		if (![...e.options].some(o => o.value === `+quote(value)+`)) return false;
		e.value = `+quote(value)+`;
		e.dispatchEvent(new Event("input", {bubbles: true}));
		e.dispatchEvent(new Event("change", {bubbles: true}));
		return true;
	})()`)
	if !ok {
		b.t.Fatalf("%s: %s has no option %q", b.path(), selector, value)
	}
}

// keys types on the keyboard, wherever the focus is. A character comes with its key going down, as from a real keyboard: a
// page that takes the key for itself then gets no character.
func (b *tab) keys(keys string, modifiers ...chromedp.Modifier) {
	b.t.Helper()
	for _, r := range keys {
		events := kb.Encode(r)
		down, up := events[0], events[len(events)-1]
		for _, m := range modifiers {
			down.Modifiers |= int64(m)
			up.Modifiers |= int64(m)
		}
		if len(events) == 3 && len(modifiers) == 0 {
			down.Text, down.UnmodifiedText = events[1].Text, events[1].UnmodifiedText
		}
		must(b, input.DispatchKeyEvent, *down)
		must(b, input.DispatchKeyEvent, *up)
	}
}

// insert puts text in where the focus is in one go, as a paste or an input method does.
func (b *tab) insert(text string) {
	b.t.Helper()
	must(b, input.InsertText, input.InsertTextParams{Text: text})
}

// picture writes the whole page as a PNG.
func (b *tab) picture(dir, name string) {
	shot, err := chromedp.Run(b.ctx, func(ctx context.Context, t *chromedp.Target) ([]byte, error) {
		metrics, err := cdp.Call(ctx, t, page.GetLayoutMetrics, cdp.Empty{})
		if err != nil {
			return nil, err
		}
		yes := true
		r, err := cdp.Call(ctx, t, page.CaptureScreenshot, page.CaptureScreenshotParams{
			CaptureBeyondViewport: &yes, FromSurface: &yes,
			Clip: &page.Viewport{
				Width: float64(b.screen.width), Scale: 1,
				Height: min(max(metrics.CSSContentSize.Height, float64(b.screen.height)), 4000),
			},
		})
		return r.Data, err
	})
	if err == nil {
		if err = os.MkdirAll(dir, 0o755); err == nil {
			err = os.WriteFile(filepath.Join(dir, strings.ReplaceAll(name, "/", "_")+".png"), shot, 0o644)
		}
	}
	if err != nil {
		b.t.Errorf("picture %s: %v", name, err)
	}
}

// quote writes a string as JavaScript.
func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
