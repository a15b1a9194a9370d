package uitest

import (
	"slices"
	"strings"
	"testing"
)

// widths are a phone, a laptop and a wall, in CSS pixels.
var widths = []int64{360, 1280, 2560}

var langs = []string{"en", "zh"}

// publicPages are those that need nobody signed in.
var publicPages = []string{"/login"}

// sitePages are the pages of somebody who is signed in, whatever there is on the site.
var sitePages = []string{
	"/", "/inbox", "/rent", "/instances", "/queue", "/fleet", "/bench", "/costs", "/budgets", "/quotas", "/settings", "/no-such-page",
}

// pages are all pages of a busy site, with those that exist for a thing.
func (s *site) pages() []string {
	plan := s.firstPlan()
	return append(append([]string{}, sitePages...),
		"/rent/new?plan="+plan, "/instances/"+s.live, "/instances/"+s.live+"?ask=stop", "/instances/"+s.stopped,
		"/admin/nodes", "/nodes/"+s.firstNode(), "/bench/"+s.bench, "/instances?status=stopped", "/costs?group=instance", "/admin/mail", "/admin/mail/digest?lang=en")
}

func TestEveryPageIsAccessibleWellLaidOutAndInOneLanguage(t *testing.T) {
	inBrowser(t)
	t.Run("empty", func(t *testing.T) {
		t.Parallel()
		c := startConsole(t, nil)
		setup := newTab(t, c, nil, screen{width: 1280})
		setup.sweep(c.setupPath(), nil)
		plan := c.firstPlan()
		c.sweep(t, false, publicPages, nil)
		c.sweep(t, true, append(append([]string{}, sitePages...), "/rent/new?plan="+plan), nil)
	})
	t.Run("busy", func(t *testing.T) {
		t.Parallel()
		s := busySite(t, wave(3))
		s.measure()
		s.sweep(t, true, s.pages(), s.names)
	})
}

// sweep looks at each page with every screen, with a tab of its own for each language; as an admin who has chosen that
// language, or as nobody.
func (c *console) sweep(t *testing.T, signedIn bool, pages, names []string) {
	t.Helper()
	for _, lang := range langs {
		name := "nobody-" + lang
		var reader *person
		if signedIn {
			name = "reader-" + lang
			reader = c.addPerson(name, "admin", "research")
			c.session(reader)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newTab(t, c, reader, screen{lang: lang, width: widths[0]})
			if signedIn {
				b.choosesLanguage(lang)
			}
			for _, page := range pages {
				b.sweepIn(page, lang, slices.Concat(names, []string{name, "command line"}))
			}
		})
	}
}

// choosesLanguage sets the person's own language.
func (b *tab) choosesLanguage(lang string) {
	b.t.Helper()
	b.visit("/settings")
	b.choose("[name=language]", lang)
	b.send(`form[action="/settings/language"] button`)
}

func TestPagesFollowTheBrowsersLanguageUntilAPersonChooses(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	b := newTab(t, c, c.asAdmin(), screen{lang: "zh", width: 1280})
	is := func(lang string) bool {
		return strings.HasPrefix(eval[string](b, `document.documentElement.lang`), lang)
	}
	if b.visit("/"); !is("zh") {
		t.Error("a browser that asks for Chinese gets English from somebody who has chosen nothing")
	}
	if b.choosesLanguage("en"); !is("en") {
		t.Error("who has chosen English gets Chinese")
	}
	b.choose("[name=language]", "")
	b.send(`form[action="/settings/language"] button`)
	if b.visit("/"); !is("zh") {
		t.Error("the browser's language can not be chosen again")
	}
}

// sweep looks at one page in both languages.
func (b *tab) sweep(page string, names []string) {
	b.t.Helper()
	for _, lang := range langs {
		b.sweepIn(page, lang, names)
	}
}

// sweepIn opens a page once in a language, at every width and in both themes.
func (b *tab) sweepIn(page, lang string, names []string) {
	b.t.Helper()
	if page == "/no-such-page" {
		b.expect("404")
	}
	b.look(screen{lang: lang, width: widths[0]})
	b.open(page)
	b.settle()
	for _, width := range widths {
		for _, dark := range []bool{false, true} {
			b.look(screen{lang: lang, dark: dark, width: width})
			b.frame()
			var found []string
			if dark {
				found = b.coloured()
			} else {
				found = append(b.accessible(), b.laidOut()...)
				found = append(found, b.worded(slices.Concat(names, []string{"admin", "member", "research", "operations", b.c.address})...)...)
			}
			found = append(found, b.guard.take()...)
			for _, f := range found {
				b.t.Errorf("%s %s: %s", strings.SplitN(page, "?", 2)[0], b.screen, f)
			}
		}
	}
}

// settle waits until the page has its fonts and, if it shows live figures, the first of them.
func (b *tab) settle() {
	b.t.Helper()
	b.until("loaded page", `document.readyState === "complete" && document.fonts.status === "loaded"`)
}

// frame waits until the browser has drawn the page as it is now.
func (b *tab) frame() {
	b.t.Helper()
	eval[bool](b, `new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(true))))`)
}

// firstPlan is the plan of the catalogue's first row.
func (c *console) firstPlan() string {
	c.t.Helper()
	var offers struct{ Offers []struct{ Plan string } }
	c.call(c.asAdmin(), "GET", "/offers", nil, &offers)
	if len(offers.Offers) == 0 {
		c.t.Fatal("nothing is offered")
	}
	return offers.Offers[0].Plan
}

func (c *console) firstNode() string {
	c.t.Helper()
	var nodes struct{ Nodes []struct{ ID string } }
	c.call(c.asAdmin(), "GET", "/nodes", nil, &nodes)
	if len(nodes.Nodes) == 0 {
		c.t.Fatal("there is no node")
	}
	return nodes.Nodes[0].ID
}
