package uitest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestTheStopDialogHoldsTheFocusAndGivesItBack(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	admin := c.asAdmin()
	id := c.rent(admin, "asked-for", "sleep 600")
	b := newTab(t, c, admin, screen{width: 1280})
	b.visit("/instances/" + id)
	b.settle()
	b.see("a[data-dialog=stop]")
	eval[bool](b, `(document.querySelector("a[data-dialog=stop]").focus(), true)`)
	b.keys(kb.Enter)
	b.until("an open dialog", `document.querySelector("dialog#stop:modal")`)
	b.until("focus in the dialog", `document.querySelector("dialog#stop").contains(document.activeElement)`)
	for _, f := range append(b.accessible(), b.laidOut()...) {
		t.Errorf("dialog: %s", f)
	}
	for range 6 {
		b.keys(kb.Tab)
		if !eval[bool](b, `document.activeElement === document.body || document.querySelector("dialog#stop").contains(document.activeElement)`) {
			t.Errorf("Tab leaves the dialog for %s", eval[string](b, `document.activeElement.outerHTML.slice(0, 120)`))
		}
	}
	b.keys(kb.Escape)
	b.until("a closed dialog", `!document.querySelector("dialog#stop").open`)
	b.until("focus on what opened it", `document.activeElement.matches("a[data-dialog=stop]")`)

	b.keys(kb.Enter)
	b.until("an open dialog", `document.querySelector("dialog#stop:modal")`)
	eval[bool](b, `(document.querySelector("dialog#stop button.primary").focus(), true)`)
	b.keys(kb.Enter)
	c.waitFor(id, "stopped")
}

func TestTheTerminalIsEnteredAndLeftByKeys(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	admin := c.asAdmin()
	id := c.rent(admin, "keys", "")
	b := newTab(t, c, admin, screen{width: 1280})
	b.visit("/instances/" + id)
	s := shell{b}
	s.prompt()
	for range 60 {
		if eval[bool](b, `!!document.activeElement.closest(".xterm")`) {
			break
		}
		b.keys(kb.Tab)
	}
	if !eval[bool](b, `!!document.activeElement.closest(".xterm")`) {
		t.Fatal("Tab does not reach the terminal")
	}
	b.keys("ec\t") // the shell's own completion gets the key
	if !eval[bool](b, `!!document.activeElement.closest(".xterm")`) {
		t.Error("Tab leaves the terminal: the shell can not complete")
	}
	b.keys("u", chromedp.ModifierCtrl)
	hint := b.text("#leave")
	if hint == "" {
		t.Error("nothing says how to leave the terminal")
	}
	b.leaveTerminal()
	if eval[bool](b, `!!document.activeElement.closest(".xterm")`) {
		t.Errorf("the keys that the page names (%s) do not leave the terminal", strings.TrimSpace(hint))
	}
	b.check("terminal")
}
