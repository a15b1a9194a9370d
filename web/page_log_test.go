package web_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"

	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// countedLogs counts what is read of the instances' output.
type countedLogs struct {
	web.Fleet
	bytes atomic.Int64
}

func (f *countedLogs) Log(ctx context.Context, id string, offset int64, follow bool) (io.ReadCloser, int64, error) {
	log, at, err := f.Fleet.Log(ctx, id, offset, follow)
	if err != nil {
		return nil, at, err
	}
	return &countedLog{log, f}, at, nil
}

type countedLog struct {
	io.ReadCloser
	of *countedLogs
}

func (l *countedLog) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	l.of.bytes.Add(int64(n))
	return n, err
}

func TestAPageReadsNoMoreOfALongOutputThanItShows(t *testing.T) {
	t.Parallel()
	logs := &countedLogs{}
	site := webtest.Start(t, func(c *web.Config) { logs.Fleet, c.Fleet = c.Fleet, logs })
	in := site.Running(t, site.Member, "job")
	browser := site.Browser(t, site.Member)
	page := func() string {
		logs.bytes.Store(0)
		_, after, _ := strings.Cut(browser.Get("/instances/"+in.ID).Body, `aria-labelledby="h-log"><pre>`)
		log, _, _ := strings.Cut(after, "</pre>")
		return log
	}
	if log := page(); log != "" {
		t.Errorf("before anything is written: %q", log)
	}
	site.Fleet.WriteLog(in.ID, "line 0\n")
	if log := page(); log != "line 0\n" {
		t.Errorf("a short one: %q", log)
	}
	var b strings.Builder
	for n := range 300_000 {
		fmt.Fprintf(&b, "line %d\n", n+1)
	}
	site.Fleet.WriteLog(in.ID, b.String())
	log := page()
	if !strings.HasPrefix(log, "line 2") || !strings.HasSuffix(log, "\nline 300000\n") || len(log) < 30_000 {
		t.Errorf("%d bytes, from %.20q to %q", len(log), log, log[max(0, len(log)-20):])
	}
	if read := logs.bytes.Load(); read > 32<<10 {
		t.Errorf("%d bytes were read of %d", read, b.Len())
	}
	site.Fleet.WriteLog(in.ID, strings.Repeat("x", 100_000)+"\n")
	if log := page(); len(log) != 32<<10 {
		t.Errorf("of one long line %d bytes are shown", len(log))
	}
}

// A log on a page is copied into terminals: nothing of it may set a title, fill a clipboard or have a terminal answer.
func TestALogOnAPageHasNothingThatATerminalObeys(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	b, in := site.Browser(t, site.Member), site.Running(t, site.Member, "job")
	site.Fleet.WriteLog(in.ID, "begin\x1b]0;owned\a\x1b]52;c;cm0gLXJm\x1b\\\x1bP$q\"p\x1b\\\x1b[c\x1b[>c\x1b[6n\x05\x1bc\u009b2J\x9b2J\x1b_owned\x1b\\\x1b^owned\x1b\\\x08\x7fend\n")
	a := b.Get("/instances/" + in.ID)
	if i := strings.IndexFunc(a.Body, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' }); i >= 0 {
		t.Errorf("%q", a.Body[max(0, i-40):min(len(a.Body), i+40)])
	}
	if !strings.Contains(a.Body, "begin") || !strings.Contains(a.Body, "end\n") {
		t.Error("what was printed between is missing too")
	}
	for _, left := range []string{"owned", "cm0gLXJm", "$q"} {
		if strings.Contains(a.Body, left) {
			t.Errorf("%q is left of a sequence", left)
		}
	}
}
