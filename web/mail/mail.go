// Package mail empties the outbox: it renders what is due and hands it to an SMTP server. It may import store, views and
// web/lang. Its rules: what is due stands in the database alone, a resend is the same mail (one Message-ID), a mail that
// can't be sent is tried again by the store's clock and given up by it, and passwords go over TLS or not beyond this machine.
package mail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	netmail "net/mail"
	"time"

	gomail "github.com/wneessen/go-mail"

	"github.com/meterhouse/meterhouse/store"
)

// Config says where mail goes.
type Config struct {
	// URL is smtp://, smtp+starttls:// or smtps://[USER:PASSWORD@]HOST:PORT; "" sends nothing, and what is due waits.
	URL string
	// From is the sender, "Meterhouse <gpu@example.com>" or the address alone.
	From string
	// Site is the console's address for links, without a slash at its end.
	Site string
}

const (
	// batch is how many mails one connection takes.
	batch = 50
	// lookEvery is how often the outbox is looked at without an event: another process may have put something into it.
	lookEvery = 2 * time.Second
	// sendTime bounds one batch, so that a server that hangs holds nothing up for ever.
	sendTime = 2 * time.Minute
)

// Mailer sends what is due.
type Mailer struct {
	config Config
	server server
	from   *netmail.Address
	store  *store.Store
	now    func() time.Time
	log    *slog.Logger
	taken  []int64 // mails that the server took, which the database could not be told yet
}

// New checks the configuration; it connects to nothing.
func New(c Config, s *store.Store, now func() time.Time, log *slog.Logger) (*Mailer, error) {
	m := &Mailer{config: c, store: s, now: now, log: log}
	if c.URL == "" {
		return m, nil
	}
	var err error
	if m.server, err = parseServer(c.URL); err != nil {
		return nil, err
	}
	if m.from, err = netmail.ParseAddress(c.From); err != nil {
		return nil, fmt.Errorf("mail: the sender %q is no mail address, such as \"Meterhouse <gpu@example.com>\"", c.From)
	}
	return m, nil
}

// On reports whether there is a mail server to send to.
func (m *Mailer) On() bool { return m.from != nil }

// Run sends what is due, when the store says that something came and at least every lookEvery, until ctx ends. What is
// under way then is finished: a mail that the server took is marked as sent.
func (m *Mailer) Run(ctx context.Context) error {
	if m.from == nil {
		<-ctx.Done()
		return nil
	}
	events, cancel := m.store.Subscribe()
	defer cancel()
	timer := time.NewTicker(lookEvery)
	defer timer.Stop()
	last := ""
	for {
		err := m.SendDue(ctx)
		if now := text(err); now != last && ctx.Err() == nil {
			if last = now; err != nil {
				m.log.Warn("mail waits", "error", err)
			} else {
				m.log.Info("mail goes out again")
			}
		}
		if !wait(ctx, events, timer.C) {
			return nil
		}
	}
}

// wait returns true when the outbox is worth a look, false when ctx ended.
func wait(ctx context.Context, events <-chan store.Event, tick <-chan time.Time) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick:
			return true
		case e, open := <-events:
			if !open {
				events = nil
			} else if e.Kind == "outbox" || e.Kind == "missed" {
				return true
			}
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// SendDue sends everything that is due now over one connection. An error is the connection's or the database's; what is
// wrong with one mail is written down with it. One caller at a time.
func (m *Mailer) SendDue(ctx context.Context) error {
	if err := m.settle(ctx); err != nil {
		return err
	}
	if _, err := m.store.GatherMail(ctx); err != nil {
		return err
	}
	due, err := m.store.DueMail(ctx, batch)
	if err != nil || len(due) == 0 {
		return err
	}
	site, err := m.store.Site(ctx)
	if err != nil {
		return err
	}
	var messages []*gomail.Msg
	var mails []store.Mail
	for _, d := range due {
		why, err := m.stale(ctx, d)
		if err != nil {
			return err
		}
		if why != "" {
			if err := m.store.MailDropped(ctx, d.ID, why); err != nil {
				return err
			}
			continue
		}
		message, err := m.message(ctx, d, site)
		if err != nil {
			if err := m.store.MailFailed(ctx, d.ID, err.Error()); err != nil {
				return err
			}
			continue
		}
		messages, mails = append(messages, message), append(mails, d)
	}
	if len(messages) == 0 {
		return nil
	}
	return m.deliver(ctx, messages, mails)
}

// stale asks again before a mail goes out whether what it says is still true and wanted; "" if it is. A digest is asked for
// each that it tells, and goes out with what is left.
func (m *Mailer) stale(ctx context.Context, d store.Mail) (why string, err error) {
	if d.Template != "digest" {
		return m.store.MailStale(ctx, d)
	}
	told, err := m.store.DigestMail(ctx, d.ID)
	if err != nil {
		return "", err
	}
	left := 0
	for _, one := range told {
		why, err := m.store.MailStale(ctx, one)
		if err != nil {
			return "", err
		}
		if why == "" {
			left++
		} else if err := m.store.MailDropped(ctx, one.ID, why); err != nil {
			return "", err
		}
	}
	if left == 0 {
		return "nothing_left", nil
	}
	return "", nil
}

// settle says of what the server took that it is sent. Until that is written down nothing is: on a full disk each would go out
// again at every look.
func (m *Mailer) settle(ctx context.Context) error {
	for len(m.taken) > 0 {
		if err := m.store.MailSent(ctx, m.taken[0]); err != nil {
			return err
		}
		m.taken = m.taken[1:]
	}
	return nil
}

// deliver hands the messages over and writes down at once what became of each: a kill between the two sends that mail
// twice, with the same Message-ID, and never loses it.
func (m *Mailer) deliver(ctx context.Context, messages []*gomail.Msg, mails []store.Mail) error {
	session, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTime)
	defer cancel()
	client, err := m.server.client()
	if err == nil {
		dial, stop := context.WithCancel(session)
		release := context.AfterFunc(ctx, stop)
		err = client.DialWithContext(dial)
		release()
		stop()
	}
	if ctx.Err() != nil {
		return nil // ended before anything was sent: all of it is still due
	}
	if err != nil {
		var failed error
		for _, d := range mails {
			failed = errors.Join(failed, m.store.MailFailed(session, d.ID, "no connection: "+err.Error()))
		}
		return errors.Join(fmt.Errorf("mail server %s: %w", m.server.host, err), failed)
	}
	defer client.Close() //nolint:errcheck // everything was acknowledged before
	for i, message := range messages {
		if ctx.Err() != nil {
			return nil // the rest is still due
		}
		err := client.Send(message)
		if message.IsDelivered() {
			m.taken = append(m.taken, mails[i].ID)
			err = m.settle(session)
		} else if err != nil {
			m.log.Warn("mail refused", "to", mails[i].To, "template", mails[i].Template, "try", mails[i].Tries+1, "error", err)
			err = m.store.MailFailed(session, mails[i].ID, err.Error())
		}
		if err != nil {
			return err
		}
	}
	return nil
}
