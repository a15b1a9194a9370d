package web

import (
	"strconv"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
)

func (s *Server) quotasPage(c *call) error {
	v, list, err := s.quotasView(c)
	if err != nil {
		return err
	}
	for _, q := range list {
		row := quotaRow(c, q)
		switch {
		case q.ID == c.QueryParam("edit") && row.CanEdit:
			v.Form.Values = quotaValues(q)
		case q.ID == c.QueryParam("delete") && row.CanEdit:
			v.Delete = &row
		case q.ID == c.QueryParam("ask"):
			if v.Ask, err = s.quotaAsk(c, q.ID, 0); err != nil {
				return err
			}
		}
	}
	return s.show(c, views.Quotas(v))
}

func (s *Server) quotasView(c *call) (views.QuotasPage, []store.Quota, error) {
	v := views.QuotasPage{Page: s.page(c), CanEdit: c.can(store.Manager)}
	list, err := s.store.Quotas(c.Request().Context(), c.team())
	if err != nil {
		return v, nil, err
	}
	for _, q := range list {
		if n := len(v.Teams); n == 0 || v.Teams[n-1].Name != q.TeamName {
			v.Teams = append(v.Teams, views.QuotaTeam{Name: q.TeamName})
		}
		team := &v.Teams[len(v.Teams)-1]
		team.Rows = append(team.Rows, quotaRow(c, q))
	}
	for _, k := range store.QuotaKinds {
		v.Kinds = append(v.Kinds, string(k))
	}
	if !v.CanEdit {
		return v, list, nil
	}
	if v.Scopes, err = s.quotaScopes(c); err != nil {
		return v, nil, err
	}
	v.Pools, err = s.quotaPools(c)
	return v, list, err
}

// quotaForm is POST /quotas: setting a limit again changes it, so that a form sent twice has one effect.
func (s *Server) quotaForm(c *call) error {
	n, err := readQuota(c)
	if err == nil {
		_, err = s.store.SetQuota(c.Request().Context(), c.who.ID, n)
	}
	if err != nil && typed(err) {
		v, _, again := s.quotasView(c)
		if again != nil {
			return again
		}
		v.Path, v.Form = "/quotas", c.typedForm(renamed(err, quotaFields))
		return s.showAgain(c, err, views.Quotas(v))
	}
	if err != nil {
		return err
	}
	s.fleet.Kick()
	return s.done(c, "/quotas", flash{Key: "quota_saved"})
}

// quotaFields are the form's names of what the store calls otherwise.
var quotaFields = map[string]string{"team": "scope", "person": "scope"}

func readQuota(c *call) (store.NewQuota, error) {
	n := store.NewQuota{PoolID: c.text("pool"), Kind: store.QuotaKind(c.text("kind"))}
	if n.TeamID, n.PersonID = c.scopeOf(c.text("scope")); n.TeamID == "" {
		return n, invalid("scope", "unknown_scope")
	}
	var err error
	if n.Limit, err = parseQuota("limit", n.Kind, c.text("limit")); err != nil {
		return n, err
	}
	if n.Kind == "hours" {
		n.Hours, err = parseWeek(c.Request().PostForm)
	}
	return n, err
}

func (s *Server) quotaDeleteForm(c *call) error {
	q, err := s.quota(c, c.Param("id"))
	if store.KindOf(err) == store.NotFound {
		return seeOther(c, "/quotas") // it is gone, as was asked
	}
	if err == nil {
		err = s.store.EndQuota(c.Request().Context(), c.who.ID, q.ID)
	}
	if err != nil {
		return err
	}
	s.fleet.Kick()
	return s.done(c, "/quotas", flash{Key: "quota_ended"})
}

func (s *Server) quotaGrantDeleteForm(c *call) error {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil {
		return notFound("quota_grant")
	}
	err = s.store.EndQuotaGrant(c.Request().Context(), c.who.ID, id)
	if store.KindOf(err) == store.NotFound {
		return seeOther(c, "/quotas")
	}
	if err != nil {
		return err
	}
	return s.done(c, "/quotas", flash{Key: "quota_taken_back"})
}

// quotaRequestForm is POST /quotas/requests, from /quotas or from where a limit was in the way.
func (s *Server) quotaRequestForm(c *call) error {
	q, err := s.quota(c, c.text("quota"))
	if err != nil {
		return err
	}
	n := store.NewQuotaRequest{QuotaID: q.ID, Why: c.text("why"), Request: c.request()}
	if n.Limit, err = parseQuota("limit", q.Kind, c.text("limit")); err == nil {
		if n.Hours, err = strconv.Atoi(c.text("hours")); err != nil {
			err = invalid("hours", "wrong_hours")
		}
	}
	if err == nil {
		_, err = s.store.AskQuota(c.Request().Context(), c.who.ID, n)
		err = sentBefore(err)
	}
	if err != nil && typed(err) {
		v, _, again := s.quotasView(c)
		if again != nil {
			return again
		}
		if v.Ask, again = s.quotaAsk(c, q.ID, 0); again != nil {
			return again
		}
		v.Path = "/quotas"
		if v.Ask != nil {
			v.Ask.Form = c.typedForm(err)
		} else {
			v.Form = c.typedForm(err)
		}
		return s.showAgain(c, err, views.Quotas(v))
	}
	if err != nil {
		return err
	}
	return s.done(c, "/inbox", flash{Key: "quota_asked"})
}

func (s *Server) quotaWithdrawForm(c *call) error {
	if !plainID(c.Param("id")) {
		return notFound("quota_request")
	}
	if err := s.store.WithdrawQuota(c.Request().Context(), c.who.ID, c.Param("id")); err != nil {
		return err
	}
	return s.done(c, "/inbox", flash{Key: "quota_withdrawn"})
}
