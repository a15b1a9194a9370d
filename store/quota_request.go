package store

import (
	"context"
	"database/sql"
	"strconv"
	"time"
)

const (
	quotaHoursMax = 90 * 24 // for which a limit is raised: what is needed for longer is a limit of its own
	quotaWhyMax   = 500
)

// The states of a request.
const (
	QuotaOpen      = "open"
	QuotaGranted   = "granted"
	QuotaRefused   = "refused"
	QuotaWithdrawn = "withdrawn"
)

// QuotaRequest is a person's wish to have a limit raised for a time.
type QuotaRequest struct {
	ID                   string
	Quota                Quota // as it is now, or was when it was taken away
	PersonID, PersonName string
	Limit                int64 // in the kind's unit; of those without a limit 0
	Hours                int   // for how long
	Why                  string
	State                string
	AskedAt              time.Time
	DecidedAt            *time.Time
	DecidedBy            string // name
	Reason               string // of a refusal
	Granted              int64  // the limit that was granted
	Until                *time.Time
}

// NewQuotaRequest is a wish to be sent.
type NewQuotaRequest struct {
	QuotaID string
	Limit   int64
	Hours   int
	Why     string
	Request Request // the same again returns the request of the first time
}

// AskQuota asks those who can to raise a limit for a time; they get it in their inbox and by mail. Forbidden if the limit is
// not in the person's way; Invalid if it is no more than there is; Conflict if they have asked already.
func (s *Store) AskQuota(ctx context.Context, by string, n NewQuotaRequest) (r QuotaRequest, err error) {
	if n.Why, err = cleanText("why", n.Why, 1, quotaWhyMax); err != nil {
		return r, err
	}
	if n.Hours < 1 || n.Hours > quotaHoursMax {
		return r, invalid("hours", "out_of_range")
	}
	err = s.write(ctx, func(t *tx) error {
		if _, err := t.activePerson(by); err != nil {
			return err
		}
		id, _, err := t.once(by, n.Request, func() (string, error) { return t.askQuota(by, n) })
		if err == nil {
			r, err = t.quotaRequest(id)
		}
		return err
	})
	return r, err
}

func (t *tx) askQuota(by string, n NewQuotaRequest) (id string, err error) {
	q, err := t.quota(n.QuotaID)
	if err != nil {
		return "", err
	}
	role, err := t.roleIn(by, q.TeamID)
	switch {
	case err != nil:
		return "", err
	case !role.Sees():
		return "", notFound("quota", n.QuotaID)
	case q.PersonID != "" && q.PersonID != by || !role.AtLeast(Member):
		return "", &Error{Kind: Forbidden, Message: "quota_not_yours"}
	}
	if n.Limit, err = t.raises(&q, n.Limit); err != nil {
		return "", err
	}
	id = newID("qr-")
	_, err = t.exec("INSERT INTO quota_request (id, quota_id, person_id, limit_value, hours_long, why, state, asked_at) VALUES (?, ?, ?, ?, ?, ?, 'open', ?)",
		id, q.ID, by, n.Limit, n.Hours, n.Why, micros(t.now))
	if violates(err, "quota_request") {
		return "", &Error{Kind: Conflict, Message: "quota_asked_already"}
	}
	if err != nil {
		return "", err
	}
	r, err := t.quotaRequest(id)
	if err != nil {
		return "", err
	}
	people, err := t.quotaRaisers(&q, by)
	if err != nil {
		return "", err
	}
	for k := range people {
		if err := t.mailQuota(&r, "quota_requested", &people[k]); err != nil {
			return "", err
		}
	}
	t.emit("quota", q.ID)
	return id, t.audit(AuditRecord{PersonID: by, Action: "quota_requested", Target: id, Detail: n.Why})
}

// raises returns what a limit is raised to; Invalid if that is not more than it is.
func (t *tx) raises(q *Quota, limit int64) (int64, error) {
	if q.Kind.Lifts() {
		return 0, nil
	}
	if limit > quotaLimits[q.Kind] {
		return 0, invalid("limit", "out_of_range")
	}
	if now, _ := q.LimitNow(); limit <= now {
		site, err := t.site()
		if err != nil {
			return 0, err
		}
		return 0, &Error{Kind: Invalid, Field: "limit", Message: "quota_asks_no_more", Args: map[string]string{"limit": QuotaAmount(q.Kind, now, site.Currency)}}
	}
	return limit, nil
}

// QuotaRaisers returns the names of those who can raise a quota for a person.
func (s *Store) QuotaRaisers(ctx context.Context, id, personID string) (names []string, err error) {
	err = s.read(ctx, func(t *tx) error {
		q, err := t.quota(id)
		if err != nil {
			return err
		}
		people, err := t.quotaRaisers(&q, personID)
		names = namesOf(people)
		return err
	})
	return names, err
}

// WithdrawQuota takes an own request back. One that is withdrawn already stays so.
func (s *Store) WithdrawQuota(ctx context.Context, by, id string) error {
	return s.write(ctx, func(t *tx) error {
		r, err := t.quotaRequest(id)
		if err != nil {
			return err
		}
		if r.PersonID != by {
			return notFound("quota_request", id)
		}
		if r.State == QuotaWithdrawn {
			return nil
		}
		if _, err := t.exec("UPDATE quota_request SET state = 'withdrawn', decided_at = ?, decided_by = ? WHERE id = ?", micros(t.now), by, id); err != nil {
			return err
		}
		t.emit("quota", r.Quota.ID)
		return t.audit(AuditRecord{PersonID: by, Action: "quota_withdrawn", Target: id})
	})
}

// mailQuota tells a person of a request, or what came of it.
func (t *tx) mailQuota(r *QuotaRequest, template string, to *Person) error {
	q := &r.Quota
	data := map[string]string{"request": r.ID, "team": q.TeamName, "by": r.PersonName, "rule": string(q.Kind), "pool": q.GPUModel,
		"limit": strconv.FormatInt(q.Limit, 10), "wanted": strconv.FormatInt(r.Limit, 10), "until": t.now.Add(time.Duration(r.Hours) * time.Hour).Format(time.RFC3339), "reason": r.Why}
	if template == "quota_decided" {
		data["by"], data["reason"], data["until"] = r.DecidedBy, r.Reason, ""
		if r.Until != nil {
			data["granted"], data["wanted"], data["until"] = "1", strconv.FormatInt(r.Granted, 10), r.Until.Format(time.RFC3339)
		}
	}
	return t.mail(Mail{MessageID: template + "." + r.ID + "." + shortHash(to.ID) + "@meterhouse", To: to.Email, Template: template, Data: data})
}

const quotaRequestQuery = `SELECT r.id, r.quota_id, r.person_id, p.name, r.limit_value, r.hours_long, r.why, r.state, r.asked_at, r.decided_at, coalesce(b.name, ''), r.reason,
	coalesce(g.limit_value, 0), coalesce(g.ended_at, g.until_at) FROM quota_request r JOIN quota q ON q.id = r.quota_id JOIN person p ON p.id = r.person_id
	LEFT JOIN person b ON b.id = r.decided_by LEFT JOIN quota_grant g ON g.request_id = r.id `

func scanQuotaRequest(s scanner) (QuotaRequest, error) {
	var r QuotaRequest
	var asked int64
	var decided, until sql.NullInt64
	err := s.Scan(&r.ID, &r.Quota.ID, &r.PersonID, &r.PersonName, &r.Limit, &r.Hours, &r.Why, &r.State, &asked, &decided, &r.DecidedBy, &r.Reason, &r.Granted, &until)
	r.AskedAt, r.DecidedAt, r.Until = fromMicros(asked), timeOrNil(decided), timeOrNil(until)
	return r, err
}

// QuotaRequest returns one request.
func (s *Store) QuotaRequest(ctx context.Context, id string) (r QuotaRequest, err error) {
	err = s.read(ctx, func(t *tx) error {
		r, err = t.quotaRequest(id)
		return err
	})
	return r, err
}

func (t *tx) quotaRequest(id string) (QuotaRequest, error) {
	all, err := t.quotaRequests("WHERE r.id = ?", id)
	if err == nil && len(all) == 0 {
		err = notFound("quota_request", id)
	}
	if err != nil {
		return QuotaRequest{}, err
	}
	return all[0], nil
}

// quotaRequests runs a query and fills in the quotas.
func (t *tx) quotaRequests(where string, args ...any) ([]QuotaRequest, error) {
	all, err := list(t, scanQuotaRequest, quotaRequestQuery+where, args...)
	if err != nil {
		return nil, err
	}
	for k := range all {
		if all[k].Quota, err = t.quotaEver(all[k].Quota.ID); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// quotaWishes is how many of a person's own requests are shown, newest first.
const quotaWishes = 50

// quotaDecidable are the open requests that a person may decide: ?1 is them.
const quotaDecidable = `r.state = 'open' AND EXISTS (SELECT 1 FROM person d LEFT JOIN member m ON m.person_id = d.id AND m.team_id = q.team_id AND m.role = 'manager'
	WHERE d.id = ?1 AND d.disabled_at IS NULL AND (d.admin = 1 OR m.person_id IS NOT NULL AND q.person_id IS NOT NULL AND r.person_id <> d.id))`
