package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// typed runs one command line as a person would type it.
func typed(t *testing.T, env map[string]string, stdin string, args ...string) (code int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	code = execute(context.Background(), terminal{in: strings.NewReader(stdin), out: &o, err: &e, lookup: lookup}, args)
	return code, o.String(), e.String()
}

func TestWrongUseIsStatusTwoWithHelpOnStderr(t *testing.T) {
	token := map[string]string{"METERHOUSE_TOKEN": "mh_x"}
	for _, c := range []struct {
		line string
		env  map[string]string
	}{
		{"", nil}, {"rnet", nil}, {"admin", nil}, {"admin user", nil}, {"admin token make", nil},
		{"serve --lisen 127.0.0.1:1", nil}, {"serve now", nil}, {"serve --listen nowhere", nil}, {"serve --listen 127.0.0.1:99999", nil},
		{"serve --tls-cert a.pem", nil}, {"serve --log-level loud", nil}, {"serve --smtp smtp://127.0.0.1:25", nil}, {"serve --data=", nil},
		{"serve --public-url gpu.example.com", nil}, {"serve --apps-url https://*.apps.example.com", nil}, {"serve --public-url https://gpu.example.com --apps-url https://apps.example.com", nil}, {"serve --smtp mail.example.com:25 --mail-from a@example.com", nil},
		{"serve", map[string]string{"METERHOUSE_DEMO": "perhaps"}},
		{"admin user add", nil}, {"admin user add a", nil}, {"admin user add a b --email e --team t", nil},
		{"admin token create", nil}, {"admin price set cpu-2", nil}, {"admin spot minimum a100", nil}, {"admin spot minimum a100 5", nil}, {"admin price set cpu-2 dear", nil}, {"admin price set cpu-2 1.0 --starts soon", nil},
		{"backup", nil}, {"restore", nil}, {"backup a b", nil}, {"version please", nil}, {"doctor me", nil},
		{"ls --url nowhere", token}, {"ls", map[string]string{"METERHOUSE_TOKEN": "a\r\nb"}},
		{"rent --gpu-count many", token}, {"rent --hours -1", token}, {"rent sleep", token}, {"rent --command a -- b", token}, {"rent --label x", token},
		{"show", token}, {"show a b", token}, {"stop", token}, {"exec", token}, {"exec i-1", token}, {"exec i-1 --", token},
		{"logs", token}, {"logs --offset -1 i-1", token}, {"bench", token}, {"cost --from yesterday", token}, {"budget all", token},
	} {
		t.Run(c.line, func(t *testing.T) {
			code, out, errOut := typed(t, c.env, "", strings.Fields(c.line)...)
			if code != exitUsage {
				t.Errorf("status %d, want %d", code, exitUsage)
			}
			if out != "" || !strings.Contains(errOut, "--help` lists") {
				t.Errorf("stdout %q, stderr %q", out, errOut)
			}
		})
	}
}

func TestWithoutATokenItSaysHowToGetOne(t *testing.T) {
	for _, line := range []string{"ls", "rent", "cost", "exec i-1 -- true", "bench stream"} {
		code, _, errOut := typed(t, nil, "", strings.Fields(line)...)
		if code != exitUsage || !strings.Contains(errOut, "export METERHOUSE_TOKEN=$(meterhouse admin token create --user") || strings.Contains(errOut, "usage:") {
			t.Errorf("%s: status %d, %q", line, code, errOut)
		}
	}
}

func TestHelpIsNoMistake(t *testing.T) {
	for _, line := range []string{"help", "--help", "-h", "serve --help", "rent -h", "admin token create --help", "admin --help", "admin user -h", "help admin", "plan --help"} {
		code, out, errOut := typed(t, nil, "", strings.Fields(line)...)
		if code != exitDone || out == "" || errOut != "" {
			t.Errorf("%s: status %d, stdout %q, stderr %q", line, code, out, errOut)
		}
	}
}

func TestHelpOfAGroupListsItAlone(t *testing.T) {
	for _, line := range []string{"admin --help", "help admin", "admin"} {
		_, out, errOut := typed(t, nil, "", strings.Fields(line)...)
		if text := out + errOut; !strings.Contains(text, "admin price set") || strings.Contains(text, "restore") {
			t.Errorf("%s: %s", line, text)
		}
	}
}

func TestASignalIsPassedOnAsAShellDoes(t *testing.T) {
	for name, want := range map[string]int{"SIGKILL": 137, "SIGTERM": 143, "SIGNONE": exitFailed} {
		if got := signalStatus(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

func TestEveryVerbHasHelpAndEveryFlagATwin(t *testing.T) {
	for _, v := range verbs() {
		if v.hidden {
			continue
		}
		code, out, _ := typed(t, nil, "", append(strings.Fields(v.name), "--help")...)
		if code != exitDone || !strings.Contains(out, v.summary) {
			t.Errorf("%s --help: status %d, %q", v.name, code, out)
		}
		for line := range strings.Lines(out) {
			if strings.HasPrefix(line, "  --") && !strings.Contains(line, "[METERHOUSE_") {
				t.Errorf("%s: no twin in %q", v.name, line)
			}
		}
	}
}

func TestFlagsGoBeforeTheEnvironment(t *testing.T) {
	for _, c := range []struct {
		env  string
		args string
		want string
	}{{"", "", "http://127.0.0.1:8080"}, {"http://a", "", "http://a"}, {"http://a", "--url http://b", "http://b"}} {
		call := &call{terminal: terminal{lookup: func(name string) (string, bool) { return c.env, name == "METERHOUSE_URL" && c.env != "" }}, args: strings.Fields(c.args)}
		f := call.flags()
		flags := f.client()
		if _, _, err := f.parse(); err != nil || *flags.url != c.want {
			t.Errorf("environment %q, arguments %q: %q, %v", c.env, c.args, *flags.url, err)
		}
	}
}

func TestFlagsAndArgumentsMayBeMixed(t *testing.T) {
	call := &call{terminal: terminal{lookup: func(string) (string, bool) { return "", false }}, args: strings.Fields("i-1 --json i-2 -- ls --all")}
	f := call.flags()
	flags := f.client()
	args, tail, err := f.parse()
	if err != nil || strings.Join(args, " ") != "i-1 i-2" || strings.Join(tail, " ") != "ls --all" || !*flags.json {
		t.Errorf("args %v, tail %v, json %v, %v", args, tail, *flags.json, err)
	}
}

func TestACommandOfManyWordsKeepsThem(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"nvidia-smi; sleep 60"}, "nvidia-smi; sleep 60"},
		{[]string{"python", "train.py", "--lr", "0.1"}, "python train.py --lr 0.1"},
		{[]string{"echo", "two words", "it's", "", "$HOME"}, `echo 'two words' 'it'\''s' '' '$HOME'`},
	} {
		if got := commandLine(c.words); got != c.want {
			t.Errorf("%q is %s, want %s", c.words, got, c.want)
		}
	}
}

func TestNobodyAnsweringIsStatusOneWithAdvice(t *testing.T) {
	code, _, errOut := typed(t, map[string]string{"METERHOUSE_TOKEN": "mh_x", "METERHOUSE_URL": "http://127.0.0.1:1"}, "", "ls")
	if code != exitFailed || !strings.Contains(errOut, "is it running") {
		t.Errorf("status %d, stderr %q", code, errOut)
	}
}
