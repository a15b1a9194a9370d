package uitest

import (
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

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

// send presses a form's button and waits for the page that the console answers with.
func (b *tab) send(button string) {
	b.t.Helper()
	eval[bool](b, `(window.before = true)`)
	b.click(button)
	b.until("answer to the form", `window.before === undefined && document.readyState === "complete"`)
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
