package views

import (
	"strconv"
	"time"

	"github.com/a-h/templ"
)

// NoticeMail says that something ends or begins soon. Kind: "instance_ends", "reservation_starts", "reservation_ends".
type NoticeMail struct {
	MailBase
	Kind    string
	Name    string
	ID      string // of the instance or reservation
	Minutes int
	At      time.Time
	Because string // of an instance: what sets its end; "" as asked for, "reservation", "reservation_ends", "budget"
}

// Subject is the mail's subject, one line.
func (m NoticeMail) Subject() string {
	return oneLine(m.T.MailNoticeSubject(m.Kind, m.Name, m.Clock(m.At)+" "+m.ZoneAbbr(m.At)))
}

func (m NoticeMail) lead() string {
	return m.T.MailNoticeLead(m.Kind, m.Name, strconv.Itoa(m.Minutes))
}

// means says why it ends then, and what can be done.
func (m NoticeMail) means() string { return m.T.MailNoticeMeans(m.Kind, m.Because) }

func (m NoticeMail) facts() []Fact {
	when := m.DateTime(m.At) + " " + m.ZoneAbbr(m.At)
	if m.Kind == "reservation_starts" {
		return []Fact{{m.T.BeginsHeading(), when}}
	}
	return []Fact{{m.T.EndsHeading(), when}}
}

func (m NoticeMail) link() string {
	if m.Kind == "instance_ends" {
		return m.Site + "/instances/" + id(m.ID)
	}
	return m.Site + "/reservations/" + id(m.ID)
}

// Text is the mail's plain part.
func (m NoticeMail) Text() string {
	return m.text(m.lead(), m.means(), m.facts(), m.T.MailNoticeButton(m.Kind), m.link())
}

// HTML is the mail's HTML part.
func (m NoticeMail) HTML() templ.Component {
	return mailHTML(m.MailBase, m.Subject(), m.lead(), m.means(), m.facts(), m.T.MailNoticeButton(m.Kind), m.link())
}
