package lang

import (
	"reflect"
	"strings"
	"testing"
	"unicode"
)

// same are texts that are the same in both languages on purpose.
var same = map[string]bool{"Product": true, "RentGPU": true, "BenchRange": true}

// call calls a method with made-up arguments.
func call(t T, m reflect.Method) string {
	in := []reflect.Value{reflect.ValueOf(t)}
	for i := 1; i < m.Type.NumIn(); i++ {
		kind := m.Type.In(i)
		v := reflect.New(kind).Elem()
		switch kind.Kind() {
		case reflect.String:
			v.SetString("<x>")
		case reflect.Int, reflect.Int64:
			v.SetInt(2)
		}
		in = append(in, v)
	}
	return m.Func.Call(in)[0].String()
}

func TestEveryTextIsThereInBothLanguages(t *testing.T) {
	kind := reflect.TypeFor[T]()
	for i := range kind.NumMethod() {
		m := kind.Method(i)
		if m.Type.NumOut() != 1 || m.Type.Out(0).Kind() != reflect.String {
			continue
		}
		en, zh := call(English, m), call(Chinese, m)
		if strings.Contains(en+zh, "%!") {
			t.Errorf("%s is badly formatted: %q, %q", m.Name, en, zh)
		}
		if strings.IndexFunc(en, func(r rune) bool { return unicode.Is(unicode.Han, r) }) >= 0 && m.Name != "SelfName" {
			t.Errorf("%s has Chinese in English: %q", m.Name, en)
		}
		if en == zh && en != "<x>" && en != "" && m.Type.NumIn() == 1 && !same[m.Name] {
			t.Errorf("%s is the same in both languages: %q", m.Name, en)
		}
	}
}

func TestErrorsNameWhatTheyAreGiven(t *testing.T) {
	for key, text := range errorTexts {
		if text.en == "" || text.zh == "" || strings.Count(text.en, "{") != strings.Count(text.zh, "{") {
			t.Errorf("%s: %q, %q", key, text.en, text.zh)
		}
	}
	if got := English.Error("too_short", map[string]string{"min": "10"}); got != "Too short: at least 10 characters." {
		t.Errorf("got %q", got)
	}
	if got := Chinese.Error("some_new_key", nil); got != "some new key" {
		t.Errorf("got %q", got)
	}
}

func TestLanguageFollowsAcceptLanguage(t *testing.T) {
	cases := []struct {
		header string
		want   T
	}{
		{"", English}, {"zh-CN,zh;q=0.9,en;q=0.8", Chinese}, {"en-GB,zh;q=0.5", English}, {"zh", Chinese}, {"zh-Hans-SG", Chinese},
		{"de,fr;q=0.5", English}, {"fr, zh-CN;q=0.4", Chinese}, {"*", English}, {";;;q=x", English}, {strings.Repeat("zh,", 10000), English},
	}
	for _, c := range cases {
		if got := Match(c.header); got != c.want && len(c.header) < 1000 {
			t.Errorf("Match(%.40q) = %s, want %s", c.header, got.Code(), c.want.Code())
		}
	}
	for _, l := range All() {
		if got, ok := Parse(l.Code()); !ok || got != l {
			t.Errorf("Parse(%q) = %v, %v", l.Code(), got, ok)
		}
	}
	if _, ok := Parse("tlh"); ok {
		t.Error("an unknown code is taken")
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("zh-CN,zh;q=0.9")
	f.Add("")
	f.Fuzz(func(_ *testing.T, header string) { Match(header) })
}
