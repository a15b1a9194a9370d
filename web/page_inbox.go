package web

import (
	"strconv"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
	"github.com/meterhouse/meterhouse/web/mail"
)

func (s *Server) inboxPage(c *call) error {
	v, err := s.inboxView(c)
	if err != nil {
		return err
	}
	return s.show(c, views.Inbox(v))
}

func (s *Server) inboxView(c *call) (views.InboxPage, error) {
	v := views.InboxPage{Page: s.page(c)}
	in, err := s.store.Inbox(c.Request().Context(), c.who.ID)
	if err != nil {
		return v, err
	}
	for _, r := range in.Decide {
		v.Decide = append(v.Decide, requestRow(c, r))
	}
	for _, r := range in.Own {
		v.Own = append(v.Own, requestRow(c, r))
	}
	for _, n := range in.Notices {
		if n.Unread {
			v.Unread++
		}
		v.Notices = append(v.Notices, noticeRow(c, n))
	}
	if len(in.Notices) > 0 {
		v.UpTo = in.Notices[0].At.Format(time.RFC3339Nano)
	}
	return v, nil
}

// noticeRow is a notice as the page shows it, with where it leads.
func noticeRow(c *call, n store.Notice) views.NoticeRow {
	row := views.NoticeRow{Kind: n.Kind, Name: n.Name, What: n.Detail, At: n.At, Moment: n.Moment, Number: n.Number, SpentMicros: n.SpentMicros, LimitMicros: n.LimitMicros, Unread: n.Unread}
	switch n.Kind {
	case store.InboxBudget, store.InboxBudgetStop:
		row.URL = "/budgets"
	case store.InboxInstanceEnds, store.InboxSpotNotice:
		row.URL = "/instances/" + n.SubjectID
	case store.InboxStopped:
		row.URL, row.What = "/instances/"+n.SubjectID, c.t.MailStoppedWhy(mail.StopReason(n.Detail), "", "")
	case store.InboxReservationStarts, store.InboxReservationEnds:
		row.URL = "/reservations/" + n.SubjectID
	case store.InboxQuotaDecided:
		row.URL, row.What = "/quotas", c.t.QuotaState(n.Detail)
	}
	return row
}

// inboxReadForm is POST /inbox/read: what was not on the page that was sent stays new.
func (s *Server) inboxReadForm(c *call) error {
	upTo, err := time.Parse(time.RFC3339Nano, c.text("up_to"))
	if err != nil {
		return invalid("up_to", "wrong_time")
	}
	if err := s.store.ReadInbox(c.Request().Context(), c.who.ID, upTo); err != nil {
		return err
	}
	return s.done(c, "/inbox", flash{Key: "inbox_read"})
}

// quotaDecideForm is POST /quotas/requests/{id}/decide.
func (s *Server) quotaDecideForm(c *call) error {
	id := c.Param("id")
	if !plainID(id) {
		return notFound("quota_request")
	}
	ctx := c.Request().Context()
	r, err := s.store.QuotaRequest(ctx, id)
	if err == nil && !c.sees(r.Quota.TeamID) {
		err = notFound("quota_request")
	}
	if err != nil {
		return err
	}
	d, err := readDecision(c, r)
	if err == nil {
		_, err = s.store.DecideQuota(ctx, c.who.ID, id, d)
		err = sentBefore(err)
	}
	if err != nil && typed(err) {
		v, again := s.inboxView(c)
		if again != nil {
			return again
		}
		v.Path = "/inbox"
		shown := false
		for k := range v.Decide {
			if v.Decide[k].ID == id {
				v.Decide[k].Form, shown = c.typedForm(err), true
			}
		}
		if !shown {
			return err
		}
		return s.showAgain(c, err, views.Inbox(v))
	}
	if err != nil {
		return err
	}
	s.fleet.Kick()
	f := flash{Key: "quota_refused", Name: r.PersonName}
	if d.Grant {
		f.Key = "quota_granted"
	}
	return s.done(c, "/inbox", f)
}

func readDecision(c *call, r store.QuotaRequest) (d store.QuotaDecision, err error) {
	d = store.QuotaDecision{Grant: c.text("do") == "grant", Reason: c.text("reason"), Request: c.request()}
	if !d.Grant {
		return d, nil
	}
	if c.text("limit") != "" {
		if d.Limit, err = parseQuota("limit", r.Quota.Kind, c.text("limit")); err != nil {
			return d, err
		}
	}
	if text := c.text("hours"); text != "" {
		if d.Hours, err = strconv.Atoi(text); err != nil || d.Hours < 1 {
			return d, invalid("hours", "wrong_hours")
		}
	}
	return d, nil
}
