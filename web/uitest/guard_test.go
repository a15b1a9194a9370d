package uitest

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
)

// guard listens to a tab and keeps what must never happen: errors and warnings in the console, exceptions, violations of the
// content security policy (which the browser writes to its log), answers of 500 and above, requests to another host.
type guard struct {
	host     string
	mu       sync.Mutex
	problems []string
	expected []*regexp.Regexp
}

func (g *guard) hear(ev any) {
	switch ev := ev.(type) {
	case *runtime.EventConsoleAPICalled:
		switch ev.Type {
		case runtime.ConsoleAPICalledTypeError, runtime.ConsoleAPICalledTypeWarning, runtime.ConsoleAPICalledTypeAssert:
			g.report("console %s: %s", ev.Type, arguments(ev.Args))
		}
	case *runtime.EventExceptionThrown:
		text := ev.ExceptionDetails.Text
		if ev.ExceptionDetails.Exception != nil {
			text += " " + ev.ExceptionDetails.Exception.Description
		}
		g.report("exception: %s at %s:%d", text, ev.ExceptionDetails.URL, ev.ExceptionDetails.LineNumber+1)
	case *log.EventEntryAdded:
		// The terminal reads a pixel back to learn a colour; that many of them are slow is a hint, and no fault of a page.
		hint := strings.Contains(ev.Entry.Text, "willReadFrequently")
		if (ev.Entry.Level == log.EntryLevelError || ev.Entry.Level == log.EntryLevelWarning) && !hint {
			g.report("browser %s: %s %s", ev.Entry.Source, ev.Entry.Text, ev.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		g.visit(ev.Request.URL)
	case *network.EventWebSocketCreated:
		g.visit(ev.URL)
	case *network.EventResponseReceived:
		if ev.Response.Status >= 500 {
			g.report("answer %d for %s", ev.Response.Status, ev.Response.URL)
		}
	}
}

func (g *guard) visit(address string) {
	u, err := url.Parse(address)
	if err == nil && (u.Scheme == "data" || u.Scheme == "blob" || u.Scheme == "about" || u.Host == g.host) {
		return
	}
	g.report("request to another host: %s", address)
}

func (g *guard) report(format string, args ...any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.problems = append(g.problems, fmt.Sprintf(format, args...))
}

// take returns the problems so far that nobody expected, and forgets them.
func (g *guard) take() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var found []string
	for _, p := range g.problems {
		expected := false
		for _, e := range g.expected {
			expected = expected || e.MatchString(p)
		}
		if !expected {
			found = append(found, p)
		}
	}
	g.problems = nil
	return found
}

// expect says what the test itself is about to cause, e.g. by killing the console: from here on it is no problem.
func (b *tab) expect(pattern string) {
	b.guard.mu.Lock()
	defer b.guard.mu.Unlock()
	b.guard.expected = append(b.guard.expected, regexp.MustCompile(pattern))
}

// check fails the test for everything that the tab's guard has kept so far.
func (b *tab) check(where string) {
	b.t.Helper()
	for _, p := range b.guard.take() {
		b.t.Errorf("%s, %s: %s", where, b.screen, p)
	}
}

func arguments(args []*runtime.RemoteObject) string {
	text := ""
	for _, a := range args {
		if a.Description != "" {
			text += a.Description + " "
			continue
		}
		text += string(a.Value) + " "
	}
	return text
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// forget ends what was expected: what comes from now on counts again.
func (b *tab) forget() {
	b.t.Helper()
	b.check("until now")
	b.guard.mu.Lock()
	defer b.guard.mu.Unlock()
	b.guard.expected = nil
}
