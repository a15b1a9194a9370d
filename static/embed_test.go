package static

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// packedSize is how many bytes a file costs on the wire.
func packedSize(t *testing.T, name string) int {
	t.Helper()
	hashed := strings.TrimPrefix(URL(name), Prefix)
	for _, try := range []string{hashed + ".gz", hashed} {
		if b, err := fs.ReadFile(Dist(), try); err == nil {
			return len(b)
		}
	}
	t.Fatalf("there is no %s", name)
	return 0
}

func TestStylesAndScriptsKeepTheirBudgets(t *testing.T) {
	const kib = 1024
	budgets := []struct {
		what  string
		names []string
		limit int
	}{
		{"styles", []string{"app.css"}, 10 * kib},
		{"base scripts", []string{"base.js"}, 25 * kib},
		{"live charts", []string{"live.js"}, 40 * kib},
		{"terminal", []string{"terminal.js", "terminal.css"}, 260 * kib},
		// The page itself is counted in views' tests.
		{"first paint of any page without the page", []string{"app.css", "base.js", "inter.woff2", "icon.svg"}, 90 * kib},
	}
	for _, b := range budgets {
		sum := 0
		for _, name := range b.names {
			sum += packedSize(t, name)
		}
		t.Logf("%s: %d bytes of %d", b.what, sum, b.limit)
		if sum > b.limit {
			t.Errorf("%s: %d bytes, more than %d", b.what, sum, b.limit)
		}
	}
}

func TestPackedFilesHoldTheSameContent(t *testing.T) {
	err := fs.WalkDir(Dist(), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".gz") {
			return err
		}
		packed, err := fs.ReadFile(Dist(), path)
		if err != nil {
			return err
		}
		plain, err := fs.ReadFile(Dist(), strings.TrimSuffix(path, ".gz"))
		if err != nil {
			return err
		}
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return err
		}
		got, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if !bytes.Equal(got, plain) {
			t.Errorf("%s holds something else", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFilesAreServedForEverUnderTheirHash(t *testing.T) {
	cases := []struct {
		name, path, accept, encoding string
		status                       int
	}{
		{"packed", URL("base.js"), "gzip, br", "gzip", 200},
		{"packed refused", URL("base.js"), "gzip;q=0, br", "", 200},
		{"plain", URL("base.js"), "", "", 200},
		{"font", URL("inter.woff2"), "gzip", "", 200},
		{"without hash", Prefix + "base.js", "gzip", "", 404},
		{"the manifest", Prefix + "manifest.json", "", "", 404},
		{"packed by name", URL("base.js") + ".gz", "", "", 404},
		{"a folder", Prefix, "", "", 404},
		{"outside", Prefix + "../embed.go", "", "", 404},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.URL.Path = c.path
			r.Header.Set("Accept-Encoding", c.accept)
			w := httptest.NewRecorder()
			Handler().ServeHTTP(w, r)
			if w.Code != c.status || w.Header().Get("Content-Encoding") != c.encoding {
				t.Errorf("status %d, encoding %q; want %d, %q", w.Code, w.Header().Get("Content-Encoding"), c.status, c.encoding)
			}
			if c.status == 200 && !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
				t.Errorf("Cache-Control is %q", w.Header().Get("Cache-Control"))
			}
		})
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, URL("base.js"), nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST is answered with %d", w.Code)
	}
}

func TestDistIsWhatTheBundlerMakes(t *testing.T) {
	if testing.Short() {
		t.Skip("not in -short: it builds the bundler")
	}
	bundler := filepath.Join(t.TempDir(), "bundle")
	build := exec.Command("go", "build", "-o", bundler, ".")
	build.Dir = filepath.Join("..", "cmd", "bundle")
	build.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Skipf("the bundler can't be built here: %v\n%s", err, out)
	}
	if out, err := exec.Command(bundler, "-static", ".", "-check").CombinedOutput(); err != nil {
		t.Errorf("%s", out)
	}
}

func TestEveryVendoredFolderHasItsLicenceAndVersion(t *testing.T) {
	versions, err := os.ReadFile("third_party/VERSIONS")
	if err != nil {
		t.Fatal(err)
	}
	folders, err := os.ReadDir("third_party")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if !f.IsDir() {
			continue
		}
		if _, err := os.Stat(filepath.Join("third_party", f.Name(), "LICENSE")); err != nil {
			t.Errorf("%s has no LICENSE", f.Name())
		}
		if !strings.Contains(string(versions), "\n"+f.Name()+" ") {
			t.Errorf("%s is not in VERSIONS", f.Name())
		}
	}
}
