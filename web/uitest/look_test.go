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
	s := busySite(t, wave(8)+" & "+wave(4))
	b := newTab(t, s.console, s.asAdmin(), screen{width: 1280})
	b.atWork(s)
	if *readme {
		// Long enough for the charts to have something to say.
		time.Sleep(3 * time.Minute)
		b.look(screen{width: 1360, height: 940})
		b.frame()
		b.picture(filepath.Join(root(t), ".github"), "instance")
	}
	if *lookDir == "" {
		return
	}
	s.measure()
	for _, lang := range langs {
		b.look(screen{lang: lang, width: widths[0]})
		b.choosesLanguage(lang)
		for _, page := range append(s.pages(), publicPages...) {
			b.expect("404")
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

// whole writes the whole page as if the screen were as high as it.
func (b *tab) whole(dir, name string) {
	b.t.Helper()
	height := eval[int64](b, `Math.ceil(document.documentElement.scrollHeight)`)
	if height > b.screen.height {
		must(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: b.screen.width, Height: min(height, 6000), DeviceScaleFactor: 1, Mobile: b.screen.width <= phone,
		})
		b.frame()
		defer b.look(b.screen)
	}
	b.picture(dir, name)
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
