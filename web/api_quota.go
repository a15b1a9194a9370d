package web

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store"
)

// Quotas is a list of them.
type Quotas struct {
	Quotas     []Quota `json:"quotas"`
	NextCursor string  `json:"next_cursor"`
}

// Quota is a limit of a team, or of one of its members. Numbers are in the kind's unit: thousandths of a GPU, instances,
// micro-units an hour, seconds; spot_only and hours have none.
type Quota struct {
	ID       string       `json:"id"`
	TeamID   string       `json:"team_id"`
	Team     string       `json:"team"`
	PersonID string       `json:"person_id"` // "": the whole team together
	Person   string       `json:"person"`
	Pool     string       `json:"pool"` // "": all
	Kind     string       `json:"kind"`
	Limit    int64        `json:"limit"`
	Used     int64        `json:"used"`
	Hours    []uint32     `json:"hours"` // of the week, for hours: 24 bits a day from Sunday on
	Grants   []QuotaGrant `json:"grants"`
}

// QuotaGrant raises a quota for a time.
type QuotaGrant struct {
	Limit int64     `json:"limit"`
	Until time.Time `json:"until"`
	For   string    `json:"for"`
}

// QuotaBody sets a limit: there is one of a kind for a team, a member, or either in a pool.
type QuotaBody struct {
	TeamID   string   `json:"team_id"`
	PersonID string   `json:"person_id"`
	Pool     string   `json:"pool"`
	Kind     string   `json:"kind"`
	Limit    int64    `json:"limit"`
	Hours    []uint32 `json:"hours"`
}

// QuotaRequests are those that the person made, and those that they may decide.
type QuotaRequests struct {
	QuotaRequests []QuotaRequest `json:"quota_requests"`
	NextCursor    string         `json:"next_cursor"`
}

// QuotaRequest is a wish to have a limit raised for a time.
type QuotaRequest struct {
	ID        string     `json:"id"`
	QuotaID   string     `json:"quota_id"`
	Person    string     `json:"person"`
	Limit     int64      `json:"limit"`
	Hours     int        `json:"hours"`
	Why       string     `json:"why"`
	State     string     `json:"state"`
	AskedAt   time.Time  `json:"asked_at"`
	DecidedAt *time.Time `json:"decided_at"`
	DecidedBy string     `json:"decided_by"`
	Reason    string     `json:"reason"`
	Until     *time.Time `json:"until"`
}

// QuotaRequestBody asks for more. limit is in the kind's unit.
type QuotaRequestBody struct {
	QuotaID        string `json:"quota_id"`
	Limit          int64  `json:"limit"`
	Hours          int    `json:"hours"`
	Why            string `json:"why"`
	IdempotencyKey string `json:"idempotency_key"`
}

// QuotaDecisionBody decides: limit and hours are as asked where they are left out; to refuse takes a reason.
type QuotaDecisionBody struct {
	Grant          bool   `json:"grant"`
	Limit          int64  `json:"limit"`
	Hours          int    `json:"hours"`
	Reason         string `json:"reason"`
	IdempotencyKey string `json:"idempotency_key"`
}

// QuotaProblem is the limit in the way, in a problem document. Numbers are in the kind's unit.
type QuotaProblem struct {
	ID       string   `json:"id"`
	Kind     string   `json:"kind"`
	Limit    int64    `json:"limit"`
	Used     int64    `json:"used"`
	Would    int64    `json:"would"`
	RaisedBy []string `json:"raised_by"`
}

// quotaProblem says of a refusal by a quota which it is, nil for any other error.
func quotaProblem(e *store.Error) *QuotaProblem {
	if e.Kind != store.QuotaBlocks {
		return nil
	}
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(e.Args[name], 10, 64) // the store wrote it
		return n
	}
	return &QuotaProblem{ID: e.Args["quota"], Kind: e.Args["kind"], Limit: number("limit_value"), Used: number("used_value"), Would: number("would_value"),
		RaisedBy: strings.Split(e.Args["raised_by"], ", ")}
}

func quotaOut(q store.Quota) Quota {
	out := Quota{ID: q.ID, TeamID: q.TeamID, Team: q.TeamName, PersonID: q.PersonID, Person: q.PersonName, Pool: q.PoolID, Kind: string(q.Kind), Limit: q.Limit, Used: q.Used,
		Hours: []uint32{}, Grants: make([]QuotaGrant, 0, len(q.Grants))}
	if q.Kind == "hours" {
		out.Hours = q.Hours[:]
	}
	for _, g := range q.Grants {
		out.Grants = append(out.Grants, QuotaGrant{Limit: g.Limit, Until: g.Until, For: g.For})
	}
	return out
}

func quotaRequestOut(r store.QuotaRequest) QuotaRequest {
	return QuotaRequest{ID: r.ID, QuotaID: r.Quota.ID, Person: r.PersonName, Limit: r.Limit, Hours: r.Hours, Why: r.Why, State: r.State, AskedAt: r.AskedAt,
		DecidedAt: r.DecidedAt, DecidedBy: r.DecidedBy, Reason: r.Reason, Until: r.Until}
}

func (s *Server) listQuotas(c *call) error {
	list, err := s.store.Quotas(c.Request().Context(), c.team())
	if err != nil {
		return err
	}
	out := Quotas{Quotas: make([]Quota, 0, len(list))}
	for _, q := range list {
		out.Quotas = append(out.Quotas, quotaOut(q))
	}
	return ok(c, out)
}

// thousandths refuses less than one GPU, which nobody can rent: who sends 4 means four, and would be kept from all.
func thousandths(kind store.QuotaKind, limit int64) error {
	if kind == "gpus" && limit > 0 && limit < kind.One() {
		return invalid("limit", "quota_thousandths")
	}
	return nil
}

// quotaBodyFields are the body's names of what the store calls otherwise.
var quotaBodyFields = map[string]string{"team": "team_id", "person": "person_id"}

func (s *Server) putQuota(c *call) error {
	var body QuotaBody
	if err := decode(c, &body); err != nil {
		return err
	}
	n := store.NewQuota{TeamID: body.TeamID, PersonID: body.PersonID, PoolID: body.Pool, Kind: store.QuotaKind(body.Kind), Limit: body.Limit}
	if n.TeamID == "" {
		n.TeamID = c.who.TeamID
	}
	if !plainID(n.TeamID) || !c.sees(n.TeamID) {
		return invalid("team_id", "team_not_found")
	}
	if n.Kind == "hours" && len(body.Hours) != len(n.Hours) {
		return invalid("hours", "required")
	}
	if err := thousandths(n.Kind, n.Limit); err != nil {
		return err
	}
	copy(n.Hours[:], body.Hours)
	q, err := s.store.SetQuota(c.Request().Context(), c.who.ID, n)
	if err != nil {
		return renamed(err, quotaBodyFields)
	}
	s.fleet.Kick()
	return ok(c, quotaOut(q))
}

func (s *Server) deleteQuota(c *call) error {
	q, err := s.quota(c, c.Param("id"))
	if err == nil {
		err = s.store.EndQuota(c.Request().Context(), c.who.ID, q.ID)
	}
	if err != nil {
		return err
	}
	s.fleet.Kick()
	return gone(c)
}

func (s *Server) listQuotaRequests(c *call) error {
	in, err := s.store.Inbox(c.Request().Context(), c.who.ID)
	if err != nil {
		return err
	}
	out := QuotaRequests{QuotaRequests: make([]QuotaRequest, 0, len(in.Decide)+len(in.Own))}
	for _, r := range slices.Concat(in.Decide, in.Own) {
		if !slices.ContainsFunc(out.QuotaRequests, func(known QuotaRequest) bool { return known.ID == r.ID }) { // an admin may decide their own
			out.QuotaRequests = append(out.QuotaRequests, quotaRequestOut(r))
		}
	}
	return ok(c, out)
}

func (s *Server) createQuotaRequest(c *call) error {
	var body QuotaRequestBody
	if err := decode(c, &body); err != nil {
		return err
	}
	q, err := s.quota(c, body.QuotaID)
	if err != nil {
		return err
	}
	if err := thousandths(q.Kind, body.Limit); err != nil {
		return err
	}
	n := store.NewQuotaRequest{QuotaID: q.ID, Limit: body.Limit, Hours: body.Hours, Why: body.Why}
	if n.Request, err = c.bodyRequest(&body.IdempotencyKey, &body); err != nil {
		return err
	}
	r, err := s.store.AskQuota(c.Request().Context(), c.who.ID, n)
	if err != nil {
		return err
	}
	return created(c, apiRoot+"/quotas/requests", quotaRequestOut(r))
}

// decidedThousandths is thousandths of what is decided. Of a request that is not the person's to decide the store says why.
func (s *Server) decidedThousandths(c *call, body *QuotaDecisionBody) error {
	if !body.Grant {
		return nil
	}
	in, err := s.store.Inbox(c.Request().Context(), c.who.ID)
	for _, r := range in.Decide {
		if r.ID == c.Param("id") {
			return thousandths(r.Quota.Kind, body.Limit)
		}
	}
	return err
}

func (s *Server) decideQuotaRequest(c *call) error {
	var body QuotaDecisionBody
	if err := decode(c, &body); err != nil {
		return err
	}
	if !plainID(c.Param("id")) {
		return notFound("quota_request")
	}
	err := s.decidedThousandths(c, &body)
	if err != nil {
		return err
	}
	d := store.QuotaDecision{Grant: body.Grant, Limit: body.Limit, Hours: body.Hours, Reason: body.Reason}
	if d.Request, err = c.bodyRequest(&body.IdempotencyKey, &body); err != nil {
		return err
	}
	r, err := s.store.DecideQuota(c.Request().Context(), c.who.ID, c.Param("id"), d)
	if err != nil {
		return err
	}
	s.fleet.Kick()
	return ok(c, quotaRequestOut(r))
}

func (s *Server) withdrawQuotaRequest(c *call) error {
	if !plainID(c.Param("id")) {
		return notFound("quota_request")
	}
	if err := s.store.WithdrawQuota(c.Request().Context(), c.who.ID, c.Param("id")); err != nil {
		return err
	}
	return gone(c)
}
