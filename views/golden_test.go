package views

import (
	"bytes"
	"context"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/meterhouse/meterhouse/static"
	"github.com/meterhouse/meterhouse/web/lang"
)

var (
	update = flag.Bool("update", false, "write the goldens anew")
	look   = flag.String("look", "", "serve the samples on this address (e.g. 127.0.0.1:8099) to look at them; ends after a GET of /end")
)

func render(t *testing.T, c templ.Component) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// stableAssets takes the hashes out of the names of scripts and styles, which change with their content.
func stableAssets(page string) string {
	for _, name := range []string{"app.css", "terminal.css", "base.js", "calendar.js", "live.js", "terminal.js", "inter.woff2", "icon.svg"} {
		page = strings.ReplaceAll(page, static.URL(name), static.Prefix+name)
	}
	return strings.ReplaceAll(page, "><", ">\n<")
}

func TestPagesAreAsTheirGoldens(t *testing.T) {
	for _, l := range lang.All() {
		for name, page := range pages(l) {
			compareGolden(t, name+"."+l.Code()+".html", stableAssets(render(t, page)))
		}
		for name, m := range mails(l) {
			compareGolden(t, "mail-"+name+"."+l.Code()+".txt", m.Subject()+"\n\n"+m.Text())
		}
	}
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != got {
		t.Errorf("%s differs; look at it and run: go test ./views -update", path)
	}
}

// TestLook serves the samples under the policy that the console sends, to be looked at in a browser.
func TestLook(t *testing.T) {
	if *look == "" {
		t.Skip("only with -look ADDRESS")
	}
	end := make(chan struct{})
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("/end", func(http.ResponseWriter, *http.Request) { close(end) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		l, name := lang.English, strings.TrimPrefix(r.URL.Path, "/")
		if r.URL.Query().Get("lang") == "zh" {
			l = lang.Chinese
		}
		page, ok := pages(l)[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if !strings.HasPrefix(name, "mail-") {
			w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-nonce-of-the-sample'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if err := page.Render(r.Context(), w); err != nil {
			t.Log(err)
		}
	})
	server := &http.Server{Addr: *look, Handler: mux}
	go func() { <-end; _ = server.Close() }()
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		t.Fatal(err)
	}
}
