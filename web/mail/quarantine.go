package mail

import (
	"html"
	"strings"

	"github.com/a-h/templ"

	"github.com/meterhouse/meterhouse/views"
)

// quarantineMail tells an admin that a GPU is not offered any more, and what was found on it.
type quarantineMail struct {
	views.MailBase
	gpu, model, node, notes string
}

// Subject is the mail's subject, one line.
func (m quarantineMail) Subject() string {
	return m.model + " · " + m.node + ": " + m.T.GPUState("quarantined")
}

func (m quarantineMail) lines() []string {
	return []string{m.T.MailHello(m.To), m.model + " (" + m.gpu + ") · " + m.node, m.T.Blocked("quarantined", 1), m.notes, m.Site + "/fleet"}
}

// Text is the mail's plain part.
func (m quarantineMail) Text() string { return strings.Join(m.lines(), "\n\n") + "\n" }

// HTML is the mail's HTML part. What was found is somebody's process: its name is nothing to trust.
func (m quarantineMail) HTML() templ.Component {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="` + m.T.Tag() + `"><body>`)
	for _, line := range m.lines() {
		b.WriteString("<p>" + html.EscapeString(line) + "</p>")
	}
	b.WriteString("</body></html>")
	return templ.Raw(b.String())
}
