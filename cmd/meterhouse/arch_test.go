package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "github.com/meterhouse/meterhouse"
)

// source is one parsed file of the product.
type source struct {
	path      string // from the root, with slashes
	dir       string
	file      *ast.File
	fset      *token.FileSet
	lines     int
	test      bool
	generated bool
}

func (s source) at(n ast.Node) string {
	return s.path + ":" + strconv.Itoa(s.fset.Position(n.Pos()).Line)
}

// imports are a file's imports, with the module's own as directories.
func (s source) imports() (list []string) {
	for _, i := range s.file.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if err == nil {
			list = append(list, strings.TrimPrefix(path, module+"/"))
		}
	}
	return list
}

// sources parses every Go file of the module; modules within it are their own business.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, own := os.Stat(filepath.Join(path, "go.mod"))
			name := d.Name()
			if path != root && (own == nil || strings.HasPrefix(name, ".") || name == "testdata" || name == "third_party" || name == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		s := source{path: filepath.ToSlash(relative), fset: token.NewFileSet(), lines: bytes.Count(text, []byte("\n")), test: strings.HasSuffix(path, "_test.go")}
		s.dir = filepath.ToSlash(filepath.Dir(relative))
		if s.file, err = parser.ParseFile(s.fset, path, text, parser.ParseComments); err != nil {
			return err
		}
		s.generated = ast.IsGenerated(s.file)
		all = append(all, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("only %d files found", len(all))
	}
	return all
}

// below reports whether a directory is dir or lies in it.
func below(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

// testHelpers are packages that only tests import; they may look at more than what they help to test.
var testHelpers = []string{"store/storetest", "gpu/gputest", "web/webtest", "web/uitest", "web/mailtest"}

// arrows says which of the product's directories a directory may import. The longest match counts; what is below a listed
// directory is listed with it.
var arrows = map[string][]string{
	"cmd":             {"web", "views", "gpu", "store", "static"},
	"cmd/gpubench":    {"gpu/bench"},
	"web":             {"views", "gpu", "store", "static", "web"},
	"web/gateway":     {"gpu", "store", "web/lang"},
	"web/lang":        {},
	"web/live":        {"gpu"},
	"web/mail":        {"store", "views", "web/lang"},
	"views":           {"store", "web/lang", "static"},
	"gpu/fleet":       {"gpu", "store"},
	"gpu/volume":      {"gpu"},
	"gpu":             {"gpu"},
	"store":           {"store/money", "store/meter", "store/life", "store/budget", "store/plan", "store/spot", "store/calendar", "store/term", "store/queue", "store/quota", "store/replay", "store/image", "store/idle", "store/topology"},
	"store/money":     {},
	"store/meter":     {"store/money", "store/life", "store/spot"},
	"store/life":      {},
	"store/budget":    {"store/money"},
	"store/plan":      {"store/money"},
	"store/spot":      {"store/money"},
	"store/calendar":  {"store/topology"},
	"store/topology":  {},
	"store/term":      {"store/money", "store/calendar"},
	"store/queue":     {"store/plan", "store/topology"},
	"store/quota":     {},
	"store/image":     {},
	"store/idle":      {},
	"store/replay":    {"store/queue", "store/spot", "store/meter", "store/life", "store/money"},
	"static":          {},
	"web/uitest":      {"web", "views", "gpu", "store", "static"},
	"web/mailtest":    {},
	"web/webtest":     {"web", "views", "gpu", "store", "static"},
	"gpu/gputest":     {"gpu"},
	"store/storetest": {"store"},
}

func TestImportsGoOneWay(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		from := ""
		for dir := range arrows {
			if below(s.dir, dir) && len(dir) > len(from) {
				from = dir
			}
		}
		if from == "" {
			t.Errorf("%s: no arrow of the design begins here", s.path)
			continue
		}
		for _, to := range s.imports() {
			own := slices.ContainsFunc([]string{"cmd", "web", "views", "gpu", "store", "static"}, func(d string) bool { return below(to, d) })
			if !own {
				continue
			}
			allowed := slices.ContainsFunc(arrows[from], func(d string) bool { return below(to, d) })
			switch {
			case slices.Contains(testHelpers, to):
				allowed = slices.Contains(testHelpers, s.dir)
			case to == "gpu/fleet" && from == "gpu":
				allowed = false
			}
			if !allowed {
				t.Errorf("%s imports %s", s.path, to)
			}
		}
	}
}

func TestEachLibraryHasOneHome(t *testing.T) {
	homes := map[string][]string{
		"database/sql":                    {"store"},
		"github.com/mattn/go-sqlite3":     {"store"},
		"github.com/labstack/echo/v4":     {"web"},
		"github.com/NVIDIA/go-nvml":       {"gpu/nvidia", "gpu/sim"},
		"github.com/wneessen/go-mail":     {"web/mail"},
		"github.com/chromedp/chromedp":    {"web/uitest"},
		"github.com/alexedwards/argon2id": {"store"},
	}
	for _, s := range sources(t) {
		for _, to := range s.imports() {
			for library, dirs := range homes {
				if below(to, library) && !slices.ContainsFunc(dirs, func(d string) bool { return below(s.dir, d) }) {
					t.Errorf("%s imports %s, which belongs to %v", s.path, to, dirs)
				}
			}
		}
	}
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		text := s.file.Doc.Text()
		good := strings.HasPrefix(text, "Package "+s.file.Name.Name+" ") || s.file.Name.Name == "main" && strings.HasPrefix(text, "Command ")
		documented[s.dir] = documented[s.dir] || good
	}
	for dir, good := range documented {
		if !good {
			t.Errorf("package %s has no comment that begins with \"Package …\"", dir)
		}
	}
}

// clocks may read the machine's time: commands, what runs as a process of its own, and where the clock's default is chosen.
var clocks = []string{"cmd", "gpu/bench", "gpu/process"}

// machineTime are files that measure how long something takes, which is no business of the billing clock.
var machineTime = []string{"store/writer.go"}

// isDeadline reports whether a call sets a deadline on a connection: the kernel knows the machine's time alone.
func isDeadline(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && (strings.HasSuffix(sel.Sel.Name, "Deadline") || sel.Sel.Name == "WriteControl")
}

func TestTimeIsPassedInAndNotRead(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || slices.Contains(machineTime, s.path) || slices.ContainsFunc(append(testHelpers, clocks...), func(d string) bool { return below(s.dir, d) }) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && isDeadline(call) {
				return false
			}
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "time" && (sel.Sel.Name == "Now" || sel.Sel.Name == "Since" || sel.Sel.Name == "Until") {
					t.Errorf("%s reads time.%s", s.at(n), sel.Sel.Name)
				}
			}
			return true
		})
	}
}

func TestMoneyIsNeverAFloat(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || !slices.ContainsFunc([]string{"store/money", "store/meter", "store/budget", "store/spot", "store/term"}, func(d string) bool { return below(s.dir, d) }) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.Ident:
				if x.Name == "float64" || x.Name == "float32" {
					t.Errorf("%s has a %s", s.at(n), x.Name)
				}
			case *ast.BasicLit:
				if x.Kind == token.FLOAT {
					t.Errorf("%s has the float %s", s.at(n), x.Value)
				}
			}
			return true
		})
	}
}

func TestNoFileIsTooLong(t *testing.T) {
	for _, s := range sources(t) {
		if !s.generated && s.lines > 350 {
			t.Errorf("%s has %d lines: more than one idea", s.path, s.lines)
		}
	}
}

// TestThePackagesOfJunkDoNotExist keeps packages and files from being named by kind of declaration instead of by noun.
func TestThePackagesOfJunkDoNotExist(t *testing.T) {
	junk := regexp.MustCompile(`(^|/)(utils?|common|helpers?|models?|internal|pkg|misc)(/|$)|(^|/)(utils?|helpers?|common|types|consts?|variables|misc)\.go$`)
	for _, s := range sources(t) {
		if junk.MatchString(s.path) {
			t.Errorf("%s is named after no noun", s.path)
		}
	}
}

// otherWords are words that others use for what the design calls reclaim. They are put together here, so that this file is
// not its own finding.
var otherWords = regexp.MustCompile(`(?i)` + strings.Join([]string{"evic" + "t", "preem" + "pt"}, "|"))

func TestTheWordsAreThoseOfTheDesign(t *testing.T) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") && name != ".github" || slices.Contains([]string{"third_party", "dist", "bin", "data", "node_modules"}, name)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !slices.Contains([]string{".go", ".templ", ".md", ".sql", ".css", ".js", ".ts"}, filepath.Ext(name)) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i, line := range bytes.Split(text, []byte("\n")) {
			if found := otherWords.Find(line); found != nil && !bytes.Contains(line, []byte("not used")) {
				t.Errorf("%s:%d says %q", path, i+1, found)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// templText is text between tags of a template. Letters of any script count; what stands in braces is Go.
var (
	templText  = regexp.MustCompile(`>([^<>{}]*\pL[^<>{}]*)<`)
	templBrace = regexp.MustCompile(`\{[^{}]*\}`)
)

// TestPagesTakeTheirWordsFromTheCatalogue is a simple check: no letters between tags, and no text in the attributes that
// people read.
func TestPagesTakeTheirWordsFromTheCatalogue(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "views", "*.templ"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d templates found, %v", len(files), err)
	}
	read := regexp.MustCompile(`\b(title|alt|placeholder|aria-label)="[^"]*\pL[^"]*"`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "//") {
				continue
			}
			if m := templText.FindStringSubmatch(templBrace.ReplaceAllString(line, "")); m != nil && !unit(m[1]) {
				t.Errorf("%s:%d has the text %q", filepath.Base(file), i+1, strings.TrimSpace(m[1]))
			}
			if m := read.FindString(line); m != "" {
				t.Errorf("%s:%d has the text %s", filepath.Base(file), i+1, m)
			}
		}
	}
}

// unit reports whether a text is the same in every language: the product's name, a unit or a code.
func unit(text string) bool {
	return slices.Contains([]string{"Meterhouse", "GPU", "CPU", "GB", "W", "MHz", "%", "h", "p5", "p95", "n", "CV", "JSON", "CSV", "API", "UUID", "English", "简体中文"}, strings.TrimSpace(text))
}
