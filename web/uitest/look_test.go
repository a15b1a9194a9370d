package uitest

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
)

// TestScreenshots writes pictures for people to look at, where -look or -readme asks for them:
//
//	go test ./web/uitest -run TestScreenshots -look /tmp/look
//	go test ./web/uitest -run TestScreenshots -readme
func TestScreenshots(t *testing.T) {
	real(t)
	if *lookDir == "" && !*readme {
		t.Skip("-look DIR and -readme make pictures")
	}
	s := busySite(t)
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
	for _, lang := range langs {
		b.look(screen{lang: lang, width: widths[0]})
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
	sh.enter("nvidia-smi -L")
	sh.prompt()
	sh.enter("tail -n 2 /proc/loadavg; uname -sr")
	sh.prompt()
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
