package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"

	"pgregory.net/rapid"
)

func TestNothingThatATerminalObeysGetsThrough(t *testing.T) {
	for text, want := range map[string]string{
		"a name\t1 × L4\n":         "a name\t1 × L4\n",
		"\x1b]0;title\a":           "^[]0;title^G",
		"\x1b]52;c;cm0gLXJm\x1b\\": `^[]52;c;cm0gLXJm^[\`,
		"\x1b[31mred\x1b[0m":       "^[[31mred^[[0m",
		"up\x1b[1A\rover\b":        "up^[[1A^Mover^H",
		"\u009b2J":                 `\u009b2J`,
		"\x9b2J":                   `\x9b2J`,
		"del\x7f":                  `del\u007f`,
		"gpu\u202e1-xob":           `gpu\u202e1-xob`,
		"团队 é 👩‍🔬":                 "团队 é 👩‍🔬",
	} {
		var out bytes.Buffer
		w := &plainWriter{to: &out}
		if _, err := io.WriteString(w, text); err != nil || w.Close() != nil || out.String() != want {
			t.Errorf("%q is printed as %q, want %q (%v)", text, out.String(), want, err)
		}
	}
}

func TestColoursAndProgressBarsOfALogGetThrough(t *testing.T) {
	for text, want := range map[string]string{
		"\x1b[1;31mred\x1b[0m 10%\r20%\x1b[K\b": "\x1b[1;31mred\x1b[0m 10%\r20%\x1b[K\b",
		"\x1b[38:2::1:2:3mtrue\x1b[m":           "\x1b[38:2::1:2:3mtrue\x1b[m",
		"\x1b[2J\x1b[1A\x1b[6n\x1bc":            "^[[2J^[[1A^[[6n^[c",
		"\x1b[?25l\x1b]0;x\a\x1b[>4m":           "^[[?25l^[]0;x^G^[[>4m",
		"cut off \x1b[3":                        "cut off ^[[3",
	} {
		var out bytes.Buffer
		w := &plainWriter{to: &out, styled: true}
		// A byte at a time: no chunk of a log ends where a character or a sequence does.
		if _, err := io.Copy(w, iotest.OneByteReader(strings.NewReader(text))); err != nil || w.Close() != nil || out.String() != want {
			t.Errorf("%q is printed as %q, want %q (%v)", text, out.String(), want, err)
		}
	}
}

// However a text is cut into writes, the same is printed, and nothing in it is a control character.
func TestPlainIsPlainHoweverItIsCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOf(rapid.Byte()).Draw(t, "text")
		var whole, cut bytes.Buffer
		a, b := &plainWriter{to: &whole}, &plainWriter{to: &cut}
		_, errA := a.Write(text)
		_, errB := io.Copy(b, iotest.OneByteReader(bytes.NewReader(text)))
		if errA != nil || errB != nil || a.Close() != nil || b.Close() != nil || whole.String() != cut.String() {
			t.Fatalf("%q and %q", whole.String(), cut.String())
		}
		if i := strings.IndexFunc(whole.String(), func(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) }); i >= 0 {
			t.Fatalf("%q", whole.String())
		}
	})
}

// hostile is a console all of whose texts try to take the terminal over.
func hostile(t *testing.T) map[string]string {
	t.Helper()
	const evil = "\x1b]0;owned\a\x1b[2J\u009b1A\nanother line"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one := map[string]any{"id": "i-1" + evil, "name": evil, "status": evil, "gpu_model": evil, "gpu_count": 1, "gpus": []string{evil}, "kind": evil, "exit_detail": evil,
			"suite": evil, "backend": evil, "error": evil, "results": []any{map[string]any{"test": evil, "unit": evil}}}
		switch {
		case strings.HasSuffix(r.URL.Path, "/stop"):
			w.WriteHeader(http.StatusConflict)
			json.NewEncoder(w).Encode(map[string]any{"detail": evil, "errors": []any{map[string]any{"field": evil, "message": evil}}})
		case strings.HasSuffix(r.URL.Path, "/bill"):
			json.NewEncoder(w).Encode(map[string]any{"segments": []any{map[string]any{"state": evil}}})
		case strings.HasSuffix(r.URL.Path, "/instances") && r.Method == http.MethodGet:
			json.NewEncoder(w).Encode(map[string]any{"instances": []any{one}})
		case strings.HasSuffix(r.URL.Path, "/usage"):
			json.NewEncoder(w).Encode(map[string]any{"rows": []any{map[string]any{"key": evil, "name": evil}}})
		case strings.HasSuffix(r.URL.Path, "/budgets"):
			json.NewEncoder(w).Encode(map[string]any{"budgets": []any{map[string]any{"id": evil, "name": evil, "period": evil, "action": evil}}})
		default:
			json.NewEncoder(w).Encode(one)
		}
	}))
	t.Cleanup(s.Close)
	return map[string]string{"METERHOUSE_URL": s.URL, "METERHOUSE_TOKEN": "mh_x"}
}

func TestNoVerbPassesOnWhatATerminalObeys(t *testing.T) {
	env := hostile(t)
	for _, line := range []string{"ls", "show i-1", "stop i-1", "rent", "bench stream", "cost", "cost invoices", "budget", "ls --json", "show i-1 --json", "rent --nonsense\x1b[2J", "\x1b[2J"} {
		code, out, errOut := typed(t, env, "", strings.Split(line, " ")...)
		if i := strings.IndexFunc(out+errOut, func(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) }); i >= 0 {
			t.Errorf("%q: status %d\n%q\n%q", line, code, out, errOut)
		}
		if line == "ls" && strings.Count(out, "\n") != 2 {
			t.Errorf("a name made lines of its own:\n%s", out)
		}
		if strings.HasSuffix(line, "--json") && !json.Valid([]byte(out)) {
			t.Errorf("%s is no JSON: %s", line, out)
		}
	}
}

// TestALogIsRawOnlyWhereNoTerminalReadsIt looks at both ends: a terminal, and a pipe.
func TestALogIsRawOnlyWhereNoTerminalReadsIt(t *testing.T) {
	const text = "\x1b[31mred\x1b[0m \x1b]0;owned\a\n"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, text) }))
	defer s.Close()
	env := map[string]string{"METERHOUSE_URL": s.URL, "METERHOUSE_TOKEN": "mh_x"}
	if _, out, errOut := typed(t, env, "", "logs", "i-1"); out != text {
		t.Errorf("in a pipe: %q, %q", out, errOut)
	}
	for _, c := range []struct{ flag, want string }{{"--raw=false", "\x1b[31mred\x1b[0m ^[]0;owned^G\n"}, {"--raw", text}} {
		screen, keys := openTerminal(t)
		lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
		if code := execute(t.Context(), terminal{in: strings.NewReader(""), out: screen, err: os.Stderr, lookup: lookup}, []string{"logs", "i-1", c.flag}); code != exitDone {
			t.Errorf("status %d", code)
		}
		seen := make([]byte, 200)
		n, err := keys.Read(seen)
		if got := strings.ReplaceAll(string(seen[:n]), "\r\n", "\n"); err != nil || got != c.want {
			t.Errorf("on a terminal with %s: %q, want %q (%v)", c.flag, got, c.want, err)
		}
	}
}
