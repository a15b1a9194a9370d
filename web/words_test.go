package web

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/web/lang"
)

// written are where a key of the catalogue stands in the source; the database's own rules name theirs in SQL.
var written = []*regexp.Regexp{
	regexp.MustCompile(`Message: +"([a-z_]+)"`), regexp.MustCompile(`invalid\([^,()]+, "([a-z_]+)"`), regexp.MustCompile(`forbidden\("([a-z_]+)"`),
	regexp.MustCompile(`asField\(err, "[a-z_]+", "([a-z_]+)"`), regexp.MustCompile(`publishFile\([^"\n]*"([a-z_]+)"`), regexp.MustCompile(`\bkey = "([a-z_]+)"`),
	regexp.MustCompile(`RAISE\(ABORT, '([a-z_]+)'`),
}

var missing = regexp.MustCompile(`(?:notFound|orNotFound)\([^"\n]*"([a-z_]+)"`)

// made are the errors whose key is not written where they are made, but in what the expressions above find.
var (
	made      = regexp.MustCompile(`Error\{[^}\n]*Message: +([^",}\n]+(?:"[^",}\n]*"\))?)`)
	knownMade = []string{`Key(what + "_not_found")`, "key", "taken", "Key(e.Error())", `store.Key(what + "_not_found")`, "why"}
)

// TestEveryErrorHasWords looks through the sources of web and store, and through the rules in SQL, for the keys of errors. One
// that is made in a way that the test can't follow fails too.
func TestEveryErrorHasWords(t *testing.T) {
	t.Parallel()
	found := map[string]string{}
	for _, pattern := range []string{"*.go", "../store/*.go", "../store/migrations/*.sql"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v %v", pattern, files, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, re := range written {
				for _, m := range re.FindAllSubmatch(text, -1) {
					found[string(m[1])] = file
				}
			}
			for _, m := range missing.FindAllSubmatch(text, -1) {
				found[string(m[1])+"_not_found"] = file
			}
			for _, m := range made.FindAllSubmatch(text, -1) {
				if !slices.Contains(knownMade, string(m[1])) {
					t.Errorf("%s: the key %s can't be followed", file, m[1])
				}
			}
		}
	}
	if len(found) < 100 {
		t.Errorf("only %d keys were found", len(found))
	}
	for key, file := range found {
		if !lang.HasError(key) {
			t.Errorf("%s: no words for %q", file, key)
		}
	}
}
