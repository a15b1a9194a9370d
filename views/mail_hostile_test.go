package views

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/meterhouse/meterhouse/web/lang"
)

func TestNoNameBecomesMarkupInMail(t *testing.T) {
	for _, name := range []string{`<script>evil()</script>`, `<img src=x onerror=evil()>`, `" onmouseover="evil()`, `</a><a href="https://evil.example">`, `</title><style>*{}</style>`} {
		for _, language := range lang.All() {
			base := MailBase{Format: Format{T: language, Zone: berlin, Currency: "USD"}, To: name, Site: "https://gpu.example.com", Now: sampleNow}
			for _, m := range []Mail{
				BudgetMail{MailBase: base, Budget: name, Team: name, Percent: 80, SpentMicros: 80, LimitMicros: 100, PeriodEnd: sampleNow, Action: "block", BudgetID: "b-1"},
				StoppedMail{MailBase: base, Instance: name, InstanceID: "i-1", By: name, Reason: "by_person", StoppedAt: sampleNow},
			} {
				var text strings.Builder
				if err := m.Letter().HTML().Render(t.Context(), &text); err != nil {
					t.Fatal(err)
				}
				root, err := html.Parse(strings.NewReader(text.String()))
				if err != nil {
					t.Fatal(err)
				}
				for n := range root.Descendants() {
					if n.Type == html.ElementNode && (n.Data == "script" || n.Data == "img" && len(n.Attr) == 2) {
						t.Errorf("%q: <%s>", name, n.Data)
					}
					for _, a := range n.Attr {
						if strings.HasPrefix(a.Key, "on") || strings.Contains(a.Val, "evil.example") {
							t.Errorf("%q: <%s %s=%q>", name, n.Data, a.Key, a.Val)
						}
					}
				}
			}
		}
	}
}

func TestASubjectIsOneLineWhateverTheName(t *testing.T) {
	const name = "a\r\nBcc: x@example.org"
	for _, language := range lang.All() {
		base := MailBase{Format: Format{T: language, Currency: "USD"}, Site: "https://gpu.example.com", Now: sampleNow}
		for _, m := range []Mail{BudgetMail{MailBase: base, Budget: name, Team: name, Action: "block"}, StoppedMail{MailBase: base, Instance: name, By: name}} {
			if strings.ContainsAny(m.Letter().Subject(), "\r\n") {
				t.Errorf("%q", m.Letter().Subject())
			}
		}
	}
}
