package uitest

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/meterhouse/meterhouse/web/mailtest"
)

// root is the repository's root: tests run in their package's folder.
func root(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// inBrowser skips a test that starts real programs where -short asks for quick tests alone.
func inBrowser(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a real browser and a real console")
	}
}

// tool returns the path of something that .ci/tools installs.
func tool(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("METERHOUSE_TOOLS")
	if dir == "" {
		dir = filepath.Join(root(t), ".tools")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%s is missing: run .ci/tools", path)
	}
	return path
}

// built is the program under test, made once for all tests.
var built struct {
	once   sync.Once
	dir    string
	output string
	err    error
}

// program builds the console and the benchmark runner once and returns the console's path. The runner lies beside it, as in
// an installation. METERHOUSE_BIN names a folder with both where an installation is what is to be tested.
func program(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("METERHOUSE_BIN"); dir != "" {
		return filepath.Join(dir, "meterhouse")
	}
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "meterhouse-uitest-bin-"); built.err != nil {
			return
		}
		build := exec.Command("go", "build", "-o", built.dir, "./cmd/meterhouse", "./cmd/gpubench")
		build.Dir = root(t)
		// As the Makefile sets it, to the letter: what was compiled before is used again, and SQLite is as fast as it is shipped.
		build.Env = append(os.Environ(), "CGO_CFLAGS=-O2 -g -Wno-deprecated-declarations")
		var out []byte
		out, built.err = build.CombinedOutput()
		built.output = strings.TrimSpace(string(out))
	})
	if built.err != nil {
		t.Fatalf("building the console: %v\n%s", built.err, built.output)
	}
	return filepath.Join(built.dir, "meterhouse")
}

func removeProgram() {
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
}

// startMailbox starts a real SMTP server, which may not be missing.
func startMailbox(t *testing.T) *mailtest.Postbox {
	t.Helper()
	tool(t, "mailpit")
	return mailtest.Start(t, "")
}

// freeAddress returns a loopback address on which nothing listens.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
