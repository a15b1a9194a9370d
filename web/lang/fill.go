package lang

import (
	"regexp"
	"strings"
)

var (
	placeholder = regexp.MustCompile(`\{[a-z_]+\}`)
	// A sentence ends with its mark and the blank after it; in Chinese none follows.
	sentence = regexp.MustCompile(`.*?(?:[.!?](?: |$)|[。！？]|$)`)
)

// fill puts the named values into a text, each once, so that no value can name another. A sentence for which something is
// not known is left out, unless that is all there is: then it says "…" in that place.
func fill(text string, args map[string]string) string {
	var known strings.Builder
	for _, part := range sentence.FindAllString(text, -1) {
		if filled, whole := put(part, args); whole {
			known.WriteString(filled)
		}
	}
	if known.Len() == 0 {
		filled, _ := put(text, args)
		return filled
	}
	return strings.TrimRight(known.String(), " ")
}

func put(text string, args map[string]string) (filled string, whole bool) {
	whole = true
	filled = placeholder.ReplaceAllStringFunc(text, func(name string) string {
		value, ok := args[strings.Trim(name, "{}")]
		if !ok {
			whole = false
			return "…"
		}
		return value
	})
	return filled, whole
}
