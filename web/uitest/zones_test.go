package uitest

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
)

func TestBothTimeZonesAreShownWhereTheyDiffer(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	admin := c.asAdmin()
	day := tomorrow(0).Format(time.DateOnly)
	path := "/calendar?from=" + day + "&start=" + day + "T10:00&end=" + day + "T12:00"
	for zone, want := range map[string]string{"UTC": "", "Asia/Kolkata": "15:30"} {
		b := newTab(t, c, admin, screen{width: 1280})
		must(b, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: zone})
		b.visit(path)
		b.until("times that were looked at", `document.querySelectorAll("#quote [data-zones][data-done]").length === 2`)
		got := eval[string](b, `document.querySelector("#quote [data-zones] .small")?.textContent ?? ""`)
		if want == "" && got != "" || want != "" && !eval[bool](b, `document.querySelector("#quote [data-zones] .small").textContent.includes("`+want+`")`) {
			t.Errorf("in %s: %q, want %q", zone, got, want)
		}
		if start := eval[string](b, `document.querySelector("#reserve [name=start]").value`); start != day+"T10:00" {
			t.Errorf("in %s the form has %s", zone, start)
		}
	}
}
