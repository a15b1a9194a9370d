package mail

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
	"github.com/meterhouse/meterhouse/web/lang"
)

var update = flag.Bool("update", false, "write the goldens anew")

func TestEveryTemplateIsAsItsGoldenInBothLanguages(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lang.All() {
		for _, template := range store.MailTemplates {
			base := views.MailBase{Format: views.Format{T: l, Zone: berlin, Currency: "USD"}, To: "Operator", Site: "https://gpu.example.com", Now: time.Date(2026, 12, 2, 10, 45, 0, 0, berlin)}
			letter, ok := Sample(template.Name, base)
			if !ok {
				t.Errorf("%s has no sample", template.Name)
				continue
			}
			var html bytes.Buffer
			if err := letter.HTML().Render(t.Context(), &html); err != nil {
				t.Fatal(err)
			}
			if needed := template.Kind == store.MailNeeded; needed != (letter.Unsubscribe == "") && template.Name != "digest" {
				t.Errorf("%s can be switched off: %v", template.Name, !needed)
			}
			golden(t, template.Name+"."+l.Code()+".txt", letter.Subject()+"\n\n"+letter.Text())
			golden(t, template.Name+"."+l.Code()+".html", strings.ReplaceAll(html.String(), "><", ">\n<"))
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want, err := os.ReadFile(path); err != nil || string(want) != got {
		t.Errorf("%s differs; look at it and run: go test ./web/mail -run Golden -update", path)
	}
}

func TestEveryTemplateOfTheStoreIsDrawnFromItsData(t *testing.T) {
	t.Parallel()
	s, clock, seeded := site(t)
	m := mailer(t, "smtp://127.0.0.1:25", s, clock)
	where, err := s.Site(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	in, _, err := s.Rent(t.Context(), store.RentRequest{PersonID: seeded.Member.ID, Name: "training", GPUModel: seeded.GPUs[0].Model, GPUCount: 1, Kind: store.OnDemand})
	if err != nil {
		t.Fatal(err)
	}
	for _, template := range store.MailTemplates {
		subjects := map[string]bool{}
		for _, language := range []string{"en", "zh"} {
			d := store.Mail{MessageID: "x@example.org", To: "a@example.org", Lang: language, Template: template.Name, Data: map[string]string{"name": "March", "instance": in.ID, "reason": "hard_end", "threshold": "80", "gpu": "GPU-1", "notes": "9.9 GB held <by nobody>", "rule": "gpus", "wanted": "3000"}}
			letter, err := m.letter(t.Context(), d, where)
			if err != nil {
				t.Errorf("%s in %s: %v", template.Name, language, err)
				continue
			}
			subjects[letter.Subject()] = true
			if letter.Text() == "" || letter.Subject() == "" || letter.Link == "" {
				t.Errorf("%s in %s is empty", template.Name, language)
			}
		}
		if len(subjects) != 2 {
			t.Errorf("%s: %v", template.Name, subjects)
		}
	}
}
