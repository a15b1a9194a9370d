package uitest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// TestScreenshots writes pictures for people to look at, where -look or -readme asks for them:
//
//	go test ./web/uitest -run TestScreenshots -look /tmp/look
//	go test ./web/uitest -run TestScreenshots -readme
func TestScreenshots(t *testing.T) {
	inBrowser(t)
	if *lookDir == "" && !*readme {
		t.Skip("-look DIR and -readme make pictures")
	}
	s := busySite(t, "while :; do echo step $((i+=1)); timeout 4 sha256sum /dev/zero & timeout 7 sha256sum /dev/zero; sleep 3; done")
	b := newTab(t, s.console, s.asAdmin(), screen{width: 1360, height: 940})
	b.atWork(s)
	if *readme {
		// Long enough for the charts to have something to say.
		time.Sleep(100 * time.Second)
		eval[bool](b, `(scrollTo(0, 0), document.activeElement.blur(), true)`)
		b.frame()
		b.picture(filepath.Join(root(t), ".github"), "instance", b.screen.height)
	}
	if *lookDir == "" {
		return
	}
	s.measure()
	nobody := newTab(t, s.console, nil, screen{width: widths[0]})
	for _, lang := range langs {
		b.look(screen{lang: lang, width: widths[0]})
		b.choosesLanguage(lang)
		for _, page := range s.pages() {
			b.pictures(s, page, lang)
		}
		for _, page := range publicPages {
			nobody.pictures(s, page, lang)
		}
	}
}

// pictures writes a page at every width and in both themes.
func (b *tab) pictures(s *site, page, lang string) {
	b.t.Helper()
	b.expect("404")
	b.look(screen{lang: lang, width: widths[0]})
	b.open(page)
	b.settle()
	if page == "/instances/"+s.live {
		shell{b}.prompt()
		b.until("live figures", says("live"))
	}
	for _, width := range widths {
		for _, dark := range []bool{false, true} {
			b.look(screen{lang: lang, dark: dark, width: width})
			b.frame()
			b.whole(*lookDir, strings.Trim(strings.NewReplacer("/", "-", "?", "-", "=", "-", s.live, "live", s.stopped, "stopped", s.bench, "run").Replace(page), "-")+"-"+b.screen.String())
		}
	}
}

// atWork shows something in the live instance's terminal.
func (b *tab) atWork(s *site) {
	b.t.Helper()
	b.visit("/instances/" + s.live)
	sh := shell{b}
	sh.prompt()
	for i, line := range []string{"nproc; hostname", "echo $CUDA_VISIBLE_DEVICES | tr , '\\n'", "for n in 1 2 3; do echo epoch $n loss 0.$((9-n))$n; sleep 0.3; done"} {
		sh.enter(line)
		b.until("the next prompt", `(`+screenText+`.match(/:~[$#]/g) ?? []).length >= `+itoa(int64(i+2)))
	}
}

// highest is how much of a long page a picture shows.
const highest = 6000

// whole writes the whole page as if the screen were as high as it.
func (b *tab) whole(dir, name string) {
	b.t.Helper()
	height := min(max(eval[int64](b, `Math.ceil(document.documentElement.scrollHeight)`), b.screen.height), highest)
	if height > b.screen.height {
		must(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: b.screen.width, Height: height, DeviceScaleFactor: 1, Mobile: b.screen.width <= phone,
		})
		b.frame()
		defer b.look(b.screen)
	}
	b.picture(dir, name, height)
}

// picture writes the upper part of the page as a PNG, so many pixels high, or all of it.
func (b *tab) picture(dir, name string, height int64) {
	shot, err := chromedp.Run(b.ctx, func(ctx context.Context, t *chromedp.Target) ([]byte, error) {
		yes := true
		r, err := cdp.Call(ctx, t, page.CaptureScreenshot, page.CaptureScreenshotParams{
			CaptureBeyondViewport: &yes, FromSurface: &yes,
			Clip: &page.Viewport{Width: float64(b.screen.width), Height: float64(height), Scale: 1},
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
