package views

import (
	"strconv"
	"time"
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

// Letter is what stands in the mail.
func (m NoticeMail) Letter() Letter {
	heading, link := m.T.EndsHeading(), m.Site+"/reservations/"+id(m.ID)
	switch m.Kind {
	case "reservation_starts":
		heading = m.T.BeginsHeading()
	case "instance_ends":
		link = m.Site + "/instances/" + id(m.ID)
	}
	return Letter{MailBase: m.MailBase, Title: m.T.MailNoticeSubject(m.Kind, m.Name, m.Clock(m.At)+" "+m.ZoneAbbr(m.At)),
		Lead: m.T.MailNoticeLead(m.Kind, m.Name, strconv.Itoa(m.Minutes)), Means: m.T.MailNoticeMeans(m.Kind, m.Because),
		Facts: []Fact{{heading, m.moment(m.At)}}, Button: m.T.MailNoticeButton(m.Kind), Link: link}
}

// SpotMail says that a spot instance is reclaimed.
type SpotMail struct {
	MailBase
	Instance   string
	InstanceID string
	At         time.Time // it is killed then at the latest
	Requeue    bool      // it goes back to the queue
}

// Letter is what stands in the mail.
func (m SpotMail) Letter() Letter {
	return Letter{MailBase: m.MailBase, Title: m.T.MailSpotSubject(m.Instance, m.ClockSeconds(m.At)+" "+m.ZoneAbbr(m.At)), Lead: m.T.MailSpotLead(m.Instance, m.ClockSeconds(m.At)),
		Means: m.T.MailSpotMeans(m.Requeue), Facts: []Fact{{m.T.MailStopsAt(), m.moment(m.At)}},
		Button: m.T.MailNoticeButton("instance_ends"), Link: m.Site + "/instances/" + id(m.InstanceID)}
}
