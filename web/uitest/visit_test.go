package uitest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// restless goes elsewhere again and again by itself, and overtakes whoever wants to leave it.
const restless = `<!DOCTYPE html><title>t</title><p>Wait</p><script>
	const n = Number(sessionStorage.n ?? 0);
	if (n < 12) { sessionStorage.n = n + 1; setTimeout(() => location.reload(), n % 4 * 7); }
</script>`

func TestAVisitThatThePageOvertakesStillTellsWhatItLedTo(t *testing.T) {
	inBrowser(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/restless":
			fmt.Fprint(w, restless)
		case "/there":
			fmt.Fprint(w, `<!DOCTYPE html><title>t</title><p>Here`)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	b := newTab(t, &console{t: t, address: strings.TrimPrefix(server.URL, "http://")}, nil, screen{width: 800})
	b.expect("404")
	for range 5 {
		for path, want := range map[string]int64{"/there": 200, "/there?page=2": 200, "/missing": 404} {
			b.visit("/there")
			eval[bool](b, `(sessionStorage.n = 0, true)`)
			b.visit("/restless")
			if status := b.open(path); status != want || b.path() != path {
				t.Errorf("%s: status %d at %s, want %d", path, status, b.path(), want)
			}
		}
	}
}
