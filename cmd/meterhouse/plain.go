package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainWriter makes what a terminal would obey visible: a name, a message or an output that somebody else has chosen must
// not move the cursor over what was printed, change the title, fill the clipboard, or make the terminal answer as if the
// person had typed. All that the verbs print goes through one; only what the person asked for byte by byte does not.
type plainWriter struct {
	to io.Writer
	// styled lets colours, carriage returns, backspaces and the erasing of a line's rest pass: what progress bars are made of,
	// and what stays within its own line.
	styled bool
	rest   []byte // the beginning of a character or sequence whose end is still to come
}

// longestStyle bounds how much is kept back for a sequence that may never end.
const longestStyle = 64

// Write never says how much it wrote of what it made visible, only whether all of p went on.
func (w *plainWriter) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	var out bytes.Buffer
	for len(text) > 0 {
		n, whole := w.take(&out, text)
		if !whole {
			break
		}
		text = text[n:]
	}
	w.rest = bytes.Clone(text)
	if _, err := w.to.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes what was kept back.
func (w *plainWriter) Close() error {
	text := plain(string(w.rest))
	w.rest = nil
	_, err := io.WriteString(w.to, text)
	return err
}

// take moves one character or sequence from text to out. whole is false where its end is still to come.
func (w *plainWriter) take(out *bytes.Buffer, text []byte) (n int, whole bool) {
	if w.styled && text[0] == 0x1b {
		if n, whole := style(text); !whole || n > 0 {
			out.Write(text[:n])
			return n, whole
		}
	}
	if !utf8.FullRune(text) {
		return 0, false
	}
	r, n := utf8.DecodeRune(text)
	if r == '\n' || r == '\t' || w.styled && (r == '\r' || r == '\b') {
		out.WriteRune(r)
		return n, true
	}
	out.WriteString(visible(r, text[:n]))
	return n, true
}

// style returns the length of the sequence that text begins with if it is a colour or erases the rest of a line (ECMA-48: SGR
// and EL), else 0; whole is false where that can't be told yet.
func style(text []byte) (n int, whole bool) {
	for i, b := range text {
		switch {
		case i == 0 || i == 1 && b == '[':
		case i > 1 && (b >= '0' && b <= '9' || b == ';' || b == ':') && i < longestStyle:
		case i > 1 && (b == 'm' || b == 'K'):
			return i + 1, true
		default:
			return 0, true
		}
	}
	return 0, false
}

// plain is a text with everything visible that a terminal would obey, line ends and tabs included.
func plain(text string) string {
	var out strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		out.WriteString(visible(r, []byte(text[:n])))
		text = text[n:]
	}
	return out.String()
}

// visible is a character as it may be printed: control characters by their caret or number, and those that turn the
// direction of writing, with which a name can look like another, by their number, as JSON writes it too. raw is how it came.
func visible(r rune, raw []byte) string {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		return fmt.Sprintf(`\x%02x`, raw[0])
	case r < 0x20:
		return "^" + string(r+'@')
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029':
		return fmt.Sprintf(`\u%04x`, r)
	}
	return string(r)
}
