package views

import "github.com/a-h/templ"

// Subject is the mail's subject, one line.
func (m InvitationMail) Subject() string {
	if m.New {
		return oneLine(m.T.MailInvitationSubject(m.Team))
	}
	return m.T.MailSignInSubject()
}

func (m InvitationMail) lead() string {
	if m.New {
		return m.T.MailInvitationLead(m.By, m.Team)
	}
	return m.T.MailSignInLead()
}

func (m InvitationMail) means() string {
	return m.T.MailLinkMeans(m.DateTime(m.Expires) + " " + m.ZoneAbbr(m.Expires))
}

// Text is the mail's plain part.
func (m InvitationMail) Text() string {
	return m.text(m.lead(), m.means(), nil, m.T.MailSignInButton(), m.Link)
}

// HTML is the mail's HTML part.
func (m InvitationMail) HTML() templ.Component {
	return mailHTML(m.MailBase, m.Subject(), m.lead(), m.means(), nil, m.T.MailSignInButton(), m.Link)
}
