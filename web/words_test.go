package web

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// keys are where a key of the catalogue stands in the source.
var keys = []*regexp.Regexp{
	regexp.MustCompile(`Message: +"([a-z_]+)"`), regexp.MustCompile(`invalid\([^,()]+, "([a-z_]+)"`), regexp.MustCompile(`forbidden\("([a-z_]+)"`),
}

var missing = regexp.MustCompile(`notFound\("([a-z_]+)"`)

// TestEveryErrorHasWords looks through the sources of web and store for the keys of errors. Those that only a person at a
// terminal can meet have words in the store alone.
func TestEveryErrorHasWords(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{".", "../store"} {
		files, err := filepath.Glob(dir + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, re := range keys {
				for _, m := range re.FindAllSubmatch(text, -1) {
					found = append(found, string(m[1]))
				}
			}
			for _, m := range missing.FindAllSubmatch(text, -1) {
				found = append(found, string(m[1])+"_not_found")
			}
			for _, key := range found {
				if !hasWords(key) && !atTheTerminal.MatchString(key) {
					t.Errorf("%s: no words for %q", file, key)
				}
			}
		}
	}
}

// atTheTerminal are the keys of what happens before a console serves, or beside it.
var atTheTerminal = regexp.MustCompile(`^(data_dir_|database_(newer|older|not_ours)|backup_|restore_|already_serving|terminal_opened|id_missing|setup_not_needed|version_)`)
