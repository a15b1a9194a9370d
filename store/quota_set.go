package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/meterhouse/meterhouse/store/quota"
)

// The most that a quota can be set to, by kind, in its unit: no site has more.
var quotaLimits = map[QuotaKind]int64{quota.GPUs: 1_000_000_000, quota.Instances: 1_000_000, quota.Rate: budgetLimitMax, quota.Term: int64(longestTerm.Seconds())}

// NewQuota is what a quota becomes.
type NewQuota struct {
	TeamID   string
	PersonID string // "": the whole team together
	PoolID   string // "": all pools, and CPU-only work
	Kind     QuotaKind
	Limit    int64     // in the kind's unit; 0: none at all
	Hours    QuotaWeek // of quota.Hours
}

// SetQuota sets the limit of a kind for a team, a member, or either in one pool: there is one of each, which this makes or
// changes; what was granted stays granted. A member's takes a manager of the team, who can't set their own; a team's takes
// an admin: Forbidden else. "" is the console itself. Invalid if a member's limit would be above the team's.
func (s *Store) SetQuota(ctx context.Context, by string, n NewQuota) (q Quota, err error) {
	if n, err = cleanQuota(n); err != nil {
		return q, err
	}
	err = s.write(ctx, func(t *tx) error {
		if err := t.maySetQuota(by, n.TeamID, n.PersonID); err != nil {
			return err
		}
		if err := t.quotaScope(&n); err != nil {
			return err
		}
		id, err := t.setQuota(by, n)
		if err == nil {
			q, err = t.quota(id)
		}
		return err
	})
	return q, err
}

func cleanQuota(n NewQuota) (NewQuota, error) {
	most, limited := quotaLimits[n.Kind]
	switch {
	case !n.Kind.Known():
		return n, invalid("kind", "quota_kind_unknown")
	case !limited:
		n.Limit = 0
	case n.Limit < 0 || n.Limit > most:
		return n, invalid("limit", "out_of_range")
	}
	for k := range n.Hours {
		if n.Hours[k] &= 1<<24 - 1; n.Kind != quota.Hours {
			n.Hours[k] = 0
		}
	}
	return n, nil
}

// maySetQuota refuses who may not set a team's or a member's limits.
func (t *tx) maySetQuota(by, teamID, personID string) error {
	if by == "" {
		return nil
	}
	role, err := t.roleIn(by, teamID)
	switch {
	case err != nil || role == Admin:
		return err
	case !role.Sees():
		return &Error{Kind: NotFound, Field: "team", Message: "team_not_found", Args: map[string]string{"id": teamID}}
	case !role.AtLeast(Manager):
		return &Error{Kind: Forbidden, Message: "quota_needs_manager"}
	case personID == "":
		return &Error{Kind: Forbidden, Message: "quota_needs_admin"}
	case personID == by:
		return &Error{Kind: Forbidden, Message: "quota_not_own"}
	}
	return nil
}

// quotaScope checks that what a quota names exists, and that a member's limit is within the team's.
func (t *tx) quotaScope(n *NewQuota) error {
	if _, err := scanTeam(t.row("SELECT "+teamColumns+" FROM team WHERE id = ?", n.TeamID)); err != nil {
		return orNotFound(err, "team", n.TeamID)
	}
	if n.PoolID != "" {
		if found, err := t.number("SELECT count(*) FROM pool WHERE id = ?", n.PoolID); err != nil || found == 0 {
			return firstError(err, &Error{Kind: Invalid, Field: "pool", Message: "pool_not_found", Args: map[string]string{"id": n.PoolID}})
		}
	}
	if n.PersonID == "" {
		return nil
	}
	if found, err := t.number("SELECT count(*) FROM member WHERE team_id = ? AND person_id = ?", n.TeamID, n.PersonID); err != nil || found == 0 {
		return firstError(err, invalid("person", "member_not_found"))
	}
	return t.withinTeams(n.TeamID, n.PoolID, n.Kind, n.Limit)
}

// withinTeams refuses a member's limit that the team's own makes idle.
func (t *tx) withinTeams(teamID, poolID string, kind QuotaKind, limit int64) error {
	if kind.Lifts() {
		return nil
	}
	var least sql.NullInt64
	err := t.row(`SELECT min(max(q.limit_value, coalesce((SELECT max(limit_value) FROM quota_grant WHERE quota_id = q.id AND ended_at IS NULL AND until_at > ?), 0)))
		FROM quota q WHERE q.team_id = ? AND q.person_id IS NULL AND (q.pool_id IS NULL OR q.pool_id = ?) AND q.kind = ? AND q.ended_at IS NULL`,
		micros(t.now), teamID, poolID, string(kind)).Scan(&least)
	if err != nil || !least.Valid || limit <= least.Int64 {
		return err
	}
	site, err := t.site()
	if err != nil {
		return err
	}
	return &Error{Kind: Invalid, Field: "limit", Message: "quota_above_team", Args: map[string]string{"limit": QuotaAmount(kind, least.Int64, site.Currency)}}
}

func (t *tx) setQuota(by string, n NewQuota) (id string, err error) {
	hours := "[]"
	if n.Kind == quota.Hours {
		text, err := json.Marshal(n.Hours)
		if err != nil {
			return "", err
		}
		hours = string(text)
	}
	err = t.row("SELECT id FROM quota WHERE team_id = ? AND person_id IS ? AND pool_id IS ? AND kind = ? AND ended_at IS NULL",
		n.TeamID, nullIfEmpty(n.PersonID), nullIfEmpty(n.PoolID), string(n.Kind)).Scan(&id)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		id = newID("q-")
		_, err = t.exec("INSERT INTO quota (id, team_id, person_id, pool_id, kind, limit_value, hours, set_at, set_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			id, n.TeamID, nullIfEmpty(n.PersonID), nullIfEmpty(n.PoolID), string(n.Kind), n.Limit, hours, micros(t.now), nullIfEmpty(by))
	case err == nil:
		_, err = t.exec("UPDATE quota SET limit_value = ?, hours = ?, set_at = ?, set_by = ? WHERE id = ?", n.Limit, hours, micros(t.now), nullIfEmpty(by), id)
	}
	if err != nil {
		return "", err
	}
	t.emit("quota", id)
	return id, t.auditQuota(by, "quota_set", id)
}

// auditQuota records what was done to a quota, with what it says now.
func (t *tx) auditQuota(by, action, id string) error {
	q, err := t.quota(id)
	if err != nil {
		return err
	}
	site, err := t.site()
	if err != nil {
		return err
	}
	detail := q.TeamName
	for _, part := range []string{q.PersonName, q.GPUModel} {
		if part != "" {
			detail += " · " + part
		}
	}
	return t.audit(AuditRecord{PersonID: by, Action: action, Target: id, Detail: detail + ": " + string(q.Kind) + " " + QuotaAmount(q.Kind, q.Limit, site.Currency)})
}

// EndQuota takes a quota away. What was asked about it needs no decision any more.
func (s *Store) EndQuota(ctx context.Context, by, id string) error {
	return s.write(ctx, func(t *tx) error {
		q, err := t.quota(id)
		if err != nil {
			return err
		}
		if err := t.maySetQuota(by, q.TeamID, q.PersonID); err != nil {
			return err
		}
		if err := t.auditQuota(by, "quota_ended", id); err != nil {
			return err
		}
		if _, err := t.exec("UPDATE quota_request SET state = 'withdrawn', decided_at = ? WHERE quota_id = ? AND state = 'open'", micros(t.now), id); err != nil {
			return err
		}
		if _, err := t.exec("UPDATE quota SET ended_at = ? WHERE id = ?", micros(t.now), id); err != nil {
			return err
		}
		t.emit("quota", id)
		return nil
	})
}
