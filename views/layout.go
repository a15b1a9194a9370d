package views

import (
	"strings"

	"github.com/a-h/templ"
)

// isAt reports whether the page is at a place of the navigation or below it.
func (p Page) isAt(place string) bool {
	path, _, _ := strings.Cut(p.Path, "?")
	if place == "/" {
		return path == "/"
	}
	return path == place || strings.HasPrefix(path, place+"/")
}

// current marks the place in the navigation: "page" where it is this page, "true" where it is a page below.
func (p Page) current(place string) templ.Attributes {
	switch path, _, _ := strings.Cut(p.Path, "?"); {
	case path == place:
		return templ.Attributes{"aria-current": "page"}
	case p.isAt(place):
		return templ.Attributes{"aria-current": "true"}
	}
	return nil
}

// scriptWords are the texts and the clock that base.js needs.
func scriptWords(p Page) templ.Attributes {
	return templ.Attributes{
		"data-now": ISO(p.Now), "data-units": p.T.Units(), "data-ago": p.T.Ago("{}"), "data-copied": p.T.Copied(),
	}
}

func noticeClass(kind string) string {
	if kind == "warn" || kind == "bad" {
		return kind
	}
	return ""
}

// or returns the first text that is not empty.
func or(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
