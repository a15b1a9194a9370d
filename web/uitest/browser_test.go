package uitest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// browser is the one browser process of the package; each test has tabs with cookies of their own.
var browser struct {
	once   sync.Once
	ctx    context.Context
	cancel context.CancelFunc
	dir    string // where it keeps its profile
	err    error
}

func theBrowser(t *testing.T) context.Context {
	t.Helper()
	browser.once.Do(func() {
		if browser.dir, browser.err = os.MkdirTemp("", "meterhouse-uitest-browser-"); browser.err != nil {
			return
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(browser.dir),
			chromedp.Flag("disable-quic", true),
			chromedp.Flag("disable-component-update", true),
			chromedp.Flag("lang", "en-US"),
			// The machine's own hosts alone: a page that asks for another fails at once, and its test with it.
			chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE *.localhost"),
		)
		allocator, cancelAllocator := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, cancel := chromedp.NewContext(allocator)
		browser.ctx = ctx
		browser.cancel = func() { cancel(); cancelAllocator() }
		browser.err = chromedp.Do(ctx)
	})
	if browser.err != nil {
		t.Fatalf("starting Chromium: %v: run .ci/tools", browser.err)
	}
	return browser.ctx
}

// endBrowser closes the browser, if a test has started it, and makes sure that nothing of it is left.
func endBrowser() error {
	if browser.ctx == nil {
		return nil
	}
	defer os.RemoveAll(browser.dir)
	var err error
	if browser.err == nil {
		ctx, cancel := context.WithTimeout(browser.ctx, 15*time.Second)
		if err = chromedp.Cancel(ctx); errors.Is(err, context.Canceled) {
			err = nil
		}
		cancel()
	}
	browser.cancel()
	for _, left := range processesOf(browser.dir, 10*time.Second) {
		err = errors.Join(err, fmt.Errorf("process %d is left: %s", left.pid, left.command))
		syscall.Kill(left.pid, syscall.SIGKILL)
	}
	return err
}

// screen is what a tab is looked at with.
type screen struct {
	lang   string // "en" or "zh"
	dark   bool
	width  int64
	height int64 // 0: 900, or 740 on a phone
	noJS   bool
	motion bool // wants animations; a person who does not is the default, so that pictures and checks see the end
}

// phone is the width from which on a screen is one that a hand holds.
const phone = 480

func (s screen) String() string {
	theme := "light"
	if s.dark {
		theme = "dark"
	}
	return s.lang + "-" + theme + "-" + itoa(s.width)
}

// tab is a page in the browser, in a session of its own.
type tab struct {
	t      *testing.T
	ctx    context.Context
	c      *console
	screen screen
	guard  *guard
}

// newTab opens a tab. p is who is signed in, nil for nobody.
func newTab(t *testing.T, c *console, p *person, s screen) *tab {
	t.Helper()
	g := &guard{host: c.address}
	ctx, cancel := chromedp.NewContext(theBrowser(t), chromedp.WithNewBrowserContext(), chromedp.WithListener(g.hear))
	if err := chromedp.Do(ctx); err != nil {
		cancel()
		t.Fatal(err)
	}
	b := &tab{t: t, ctx: ctx, c: c, guard: g}
	t.Cleanup(func() {
		if t.Failed() && *lookDir != "" {
			b.whole(*lookDir, "failed-"+t.Name())
		}
		cancel()
		b.check("at the end")
	})
	b.look(s)
	if p != nil {
		b.signIn(p)
	}
	return b
}

// look changes what the tab is looked at with.
func (b *tab) look(s screen) {
	b.t.Helper()
	if s.lang == "" {
		s.lang = "en"
	}
	if s.height == 0 {
		s.height = 900
		if s.width <= phone {
			s.height = 740
		}
	}
	old := b.screen
	b.screen = s
	theme, motion := "light", "reduce"
	if s.dark {
		theme = "dark"
	}
	if s.motion {
		motion = "no-preference"
	}
	must(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: motion},
	}})
	must(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: s.width, Height: s.height, DeviceScaleFactor: 1, Mobile: s.width <= phone,
	})
	if old.lang != s.lang {
		accept := map[string]string{"en": "en-US,en", "zh": "zh-CN,zh"}[s.lang]
		must(b, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{
			UserAgent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36", AcceptLanguage: accept,
		})
	}
	if old.noJS != s.noJS {
		must(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: s.noJS})
	}
}

// signIn gives the tab the session of a person.
func (b *tab) signIn(p *person) {
	b.t.Helper()
	for _, cookie := range b.c.session(p) {
		must(b, network.SetCookie, network.SetCookieParams{Name: cookie.Name, Value: cookie.Value, URL: b.c.url("/")})
	}
}

// must sends a command of the browser's protocol to the tab.
func must[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	r, err := chromedp.Run(b.ctx, func(ctx context.Context, t *chromedp.Target) (R, error) {
		return cdp.Call(ctx, t, command, params)
	})
	if err != nil {
		b.t.Fatalf("%s: %v", command.Method, err)
	}
	return r
}
