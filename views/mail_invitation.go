package views

import "time"

// InvitationMail carries a link that signs a person in once.
type InvitationMail struct {
	MailBase
	Team    string
	By      string // who invites
	Link    string // one-time
	Expires time.Time
	New     bool // an invitation; a sign-in link else
}

// Letter is what stands in the mail.
func (m InvitationMail) Letter() Letter {
	l := Letter{MailBase: m.MailBase, Title: m.T.MailSignInSubject(), Lead: m.T.MailSignInLead(), Means: m.T.MailLinkMeans(m.moment(m.Expires)), Button: m.T.MailSignInButton(), Link: m.Link}
	if m.New {
		l.Title, l.Lead = m.T.MailInvitationSubject(m.Team), m.T.MailInvitationLead(m.By, m.Team)
	}
	return l
}

// DeviceMail says that somebody signed in as the person with a browser that is new.
type DeviceMail struct {
	MailBase
	Browser, Address string
	At               time.Time
	ByLink           bool
}

// Letter is what stands in the mail.
func (m DeviceMail) Letter() Letter {
	return Letter{MailBase: m.MailBase, Title: m.T.MailDeviceSubject(m.Browser), Lead: m.T.MailDeviceLead(), Means: m.T.MailDeviceMeans(m.ByLink),
		Facts:  []Fact{{m.T.MailDeviceAt(), m.moment(m.At)}, {m.T.MailDeviceBrowser(), m.Browser}, {m.T.MailDeviceAddress(), m.Address}},
		Button: m.T.MailDeviceButton(), Link: m.Site + "/settings#sessions"}
}
