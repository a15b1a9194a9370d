package uitest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"github.com/chromedp/chromedp"
)

//go:embed layout.js
var layoutScript string

//go:embed words.js
var wordsScript string

var axe struct {
	once   sync.Once
	script string
	err    error
}

// axeRun asks for every rule of WCAG 2.2 AA and of good practice; target-size is off in axe unless it is named. In the dark
// only colours are other than in the light, on the same page at the same width: ONLY asks for the rules about them.
const axeRun = `((ONLY) => axe.run(document, {
	runOnly: ONLY ? {type: "rule", values: ONLY} : {type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]},
	rules: {"target-size": {enabled: !ONLY}},
	resultTypes: ["violations"],
}).then(r => r.violations.map(v => v.id + ": " + v.help + " – " + v.nodes.slice(0, 3).map(n =>
	n.target.join(" ") + " " + n.html.slice(0, 140) + " (" + (n.any.concat(n.all, n.none)[0]?.message ?? "") + ")").join(" | "))))`

// accessible returns what axe-core finds wrong with the page.
func (b *tab) accessible() []string {
	b.t.Helper()
	return b.axe("null")
}

// coloured returns what axe-core finds wrong with the page's colours.
func (b *tab) coloured() []string {
	b.t.Helper()
	return b.axe(`["color-contrast", "link-in-text-block"]`)
}

func (b *tab) axe(only string) []string {
	b.t.Helper()
	axe.once.Do(func() {
		var file []byte
		file, axe.err = os.ReadFile(tool(b.t, "axe.js"))
		axe.script = string(file)
	})
	if axe.err != nil {
		b.t.Fatal(axe.err)
	}
	if !eval[bool](b, `typeof axe === "object"`) {
		eval[chromedp.Void](b, axe.script)
	}
	return prefixed("axe", eval[[]string](b, axeRun+"("+only+")"))
}

// laidOut returns what is wrong with the page's layout.
func (b *tab) laidOut() []string {
	b.t.Helper()
	return eval[[]string](b, layoutScript)
}

// worded returns what is wrong with the page's words. data are names that a person has chosen.
func (b *tab) worded(data ...string) []string {
	b.t.Helper()
	words, err := json.Marshal(append(data, sameInEveryLanguage...))
	if err != nil {
		b.t.Fatal(err)
	}
	return eval[[]string](b, fmt.Sprintf("%s(%q, %s)", wordsScript, b.screen.lang, words))
}

// sameInEveryLanguage are names, units and technical words that Chinese writes in Latin letters too.
var sameInEveryLanguage = []string{
	"Meterhouse", "English", "GPU", "CPU", "API", "CLI", "SSH", "JSON", "CSV", "URL", "USD", "EUR", "CNY", "UTC", "UUID", "GiB",
	"MiB", "TFLOPS", "GFLOPS", "FP32", "FP64", "meterhouse", "METERHOUSE_URL", "METERHOUSE_TOKEN",
}

func prefixed(prefix string, list []string) []string {
	for i := range list {
		list[i] = prefix + " " + list[i]
	}
	return list
}
