package uitest

import (
	"regexp"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// screenText reads what the terminal shows, line by line.
const screenText = `[...document.querySelectorAll(".xterm-rows > div")].map(r => r.textContent.replaceAll("\u00a0", " ").trimEnd()).join("\n").trimEnd()`

// shell is the terminal on an instance's page.
type shell struct{ *tab }

// show scrolls to the terminal: one that nobody can see draws nothing.
func (s shell) show() {
	s.t.Helper()
	s.see(".xterm")
	eval[bool](s.tab, `(document.querySelector("[data-terminal]").scrollIntoView({block: "center", behavior: "instant"}), true)`)
}

// text is what the terminal shows now.
func (s shell) text() string {
	s.t.Helper()
	return eval[string](s.tab, screenText)
}

var promptLine = regexp.MustCompile(`[$#]$`)

// atPrompt reports whether the shell waits for a command.
func (s shell) atPrompt() bool {
	s.t.Helper()
	lines := strings.Split(s.text(), "\n")
	return promptLine.MatchString(lines[len(lines)-1])
}

// prompt waits for the shell's prompt.
func (s shell) prompt() {
	s.t.Helper()
	s.show()
	for deadline := time.Now().Add(patience); !s.has(".xterm-rows") || !s.atPrompt(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("no prompt after %v; the terminal shows %q", patience, eval[string](s.tab, screenText))
		}
	}
}

// enter puts the keyboard into the terminal and types a line.
func (s shell) enter(line string) {
	s.t.Helper()
	s.click(".xterm-screen")
	s.keys(line + "\r")
}

// pid asks the shell for its process id.
func (s shell) pid() string {
	s.t.Helper()
	s.enter(`clear; echo "shell=$$."`)
	s.until("the shell's number", `/^shell=\d+\.$/m.test(`+screenText+`)`)
	return regexp.MustCompile(`(?m)^shell=(\d+)\.$`).FindStringSubmatch(s.text())[1]
}

// leaveTerminal presses the keys with which the page says that the terminal is left.
func (b *tab) leaveTerminal() {
	b.t.Helper()
	b.keys(kb.ArrowUp, chromedp.ModifierCtrl, chromedp.ModifierAlt)
}
