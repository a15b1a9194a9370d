package lang

import (
	"strings"
	"testing"
)

func TestNoTextShowsAnUnfilledPlace(t *testing.T) {
	for key := range errorTexts {
		for _, words := range []T{English, Chinese} {
			if text := words.Error(key, nil); text == "" || strings.ContainsAny(text, "{}") {
				t.Errorf("%s in %s without what it names: %q", key, words.Code(), text)
			}
		}
	}
}

func TestWhatIsNotKnownIsLeftOutSentenceBySentence(t *testing.T) {
	for _, c := range []struct {
		text string
		args map[string]string
		want string
	}{
		{"There is no such plan. There are: {plans}.", nil, "There is no such plan."},
		{"There is no such plan. There are: {plans}.", map[string]string{"plans": "a, b"}, "There is no such plan. There are: a, b."},
		{"没有该方案。可选：{plans}。", nil, "没有该方案。"},
		{"Too long: at most {max} characters.", nil, "Too long: at most … characters."},
		{"At least {min}.", nil, "At least …."},
		{"{a} and {b}.", map[string]string{"a": "{b}", "b": "c"}, "{b} and c."},
	} {
		if got := fill(c.text, c.args); got != c.want {
			t.Errorf("%q with %v: %q, want %q", c.text, c.args, got, c.want)
		}
	}
}
