package store

import (
	"context"
	"time"
)

// QuotaDecision is what is decided of a request.
type QuotaDecision struct {
	Grant   bool
	Limit   int64   // 0: as asked
	Hours   int     // for how long from now; 0: as asked
	Reason  string  // of a refusal, which has one
	Request Request // the same again decides nothing more
}

// DecideQuota grants a request for a time, or refuses it, and tells the person who asked by mail. It takes who may set the
// limit, and nobody but an admin decides what they asked for themselves: Forbidden else, NotFound to who does not see the
// team. Conflict if it is decided already.
func (s *Store) DecideQuota(ctx context.Context, by, id string, d QuotaDecision) (r QuotaRequest, err error) {
	least := 1
	if d.Grant {
		least = 0
	}
	if d.Reason, err = cleanText("reason", d.Reason, least, quotaWhyMax); err != nil {
		return r, err
	}
	if d.Hours < 0 || d.Hours > quotaHoursMax {
		return r, invalid("hours", "out_of_range")
	}
	err = s.write(ctx, func(t *tx) error {
		_, _, err := t.once(by, d.Request, func() (string, error) { return id, t.decideQuota(by, id, d) })
		if err == nil {
			r, err = t.quotaRequest(id)
		}
		return err
	})
	return r, err
}

func (t *tx) decideQuota(by, id string, d QuotaDecision) error {
	r, err := t.quotaRequest(id)
	if err != nil {
		return err
	}
	if err := t.mayDecide(by, &r); err != nil {
		return err
	}
	if r.State != QuotaOpen {
		return &Error{Kind: Conflict, Message: "request_is_decided"}
	}
	state, action := QuotaRefused, "quota_refused"
	if d.Grant {
		state, action = QuotaGranted, "quota_granted"
		if err := t.grantQuota(by, &r, d); err != nil {
			return err
		}
	}
	if _, err := t.exec("UPDATE quota_request SET state = ?, decided_at = ?, decided_by = ?, reason = ? WHERE id = ?", state, micros(t.now), nullIfEmpty(by), d.Reason, id); err != nil {
		return err
	}
	if r, err = t.quotaRequest(id); err != nil {
		return err
	}
	asked, err := t.person(r.PersonID)
	if err != nil {
		return err
	}
	if err := t.mailQuota(&r, "quota_decided", &asked); err != nil {
		return err
	}
	t.emit("quota", r.Quota.ID)
	return t.audit(AuditRecord{PersonID: by, Action: action, Target: id, Detail: r.PersonName + ": " + string(r.Quota.Kind)})
}

// mayDecide refuses who may not decide a request.
func (t *tx) mayDecide(by string, r *QuotaRequest) error {
	err := t.maySetQuota(by, r.Quota.TeamID, r.Quota.PersonID)
	if KindOf(err) == NotFound {
		return notFound("quota_request", r.ID)
	}
	if err != nil || by != r.PersonID {
		return err
	}
	role, err := t.roleIn(by, r.Quota.TeamID)
	if err != nil || role == Admin {
		return err
	}
	return &Error{Kind: Forbidden, Message: "quota_not_own"}
}

func (t *tx) grantQuota(by string, r *QuotaRequest, d QuotaDecision) error {
	if d.Limit == 0 {
		d.Limit = r.Limit
	}
	if d.Hours == 0 {
		d.Hours = r.Hours
	}
	limit, err := t.raises(&r.Quota, d.Limit)
	if err != nil {
		return err
	}
	if r.Quota.PersonID != "" {
		if err := t.withinTeams(r.Quota.TeamID, r.Quota.PoolID, r.Quota.Kind, limit); err != nil {
			return err
		}
	}
	_, err = t.exec("INSERT INTO quota_grant (quota_id, request_id, limit_value, from_at, until_at, granted_by) VALUES (?, ?, ?, ?, ?, ?)",
		r.Quota.ID, r.ID, limit, micros(t.now), micros(t.now.Add(time.Duration(d.Hours)*time.Hour)), nullIfEmpty(by))
	return err
}

// EndQuotaGrant takes back what was granted before it ends by itself. What runs goes on. It takes who could grant it.
func (s *Store) EndQuotaGrant(ctx context.Context, by string, id int64) error {
	return s.write(ctx, func(t *tx) error {
		var quotaID string
		if err := t.row("SELECT quota_id FROM quota_grant WHERE seq = ? AND ended_at IS NULL AND until_at > ?", id, micros(t.now)).Scan(&quotaID); err != nil {
			return orNotFound(err, "quota_grant", "")
		}
		q, err := t.quota(quotaID)
		if err != nil {
			return err
		}
		err = t.maySetQuota(by, q.TeamID, q.PersonID)
		if KindOf(err) == NotFound {
			return notFound("quota_grant", "")
		}
		if err != nil {
			return err
		}
		if _, err := t.exec("UPDATE quota_grant SET ended_at = ? WHERE seq = ?", micros(t.now), id); err != nil {
			return err
		}
		t.emit("quota", quotaID)
		return t.auditQuota(by, "quota_grant_ended", quotaID)
	})
}
