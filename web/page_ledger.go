package web

import (
	"net/url"
	"strconv"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/money"
	"github.com/meterhouse/meterhouse/views"
)

// ledgerPage is GET /costs/ledger?month=2026-11&team=TEAM&by_hand=1; correct=ENTRY asks what is put right, entry=ENTRY shows
// one alone.
func (s *Server) ledgerPage(c *call) error {
	v, err := s.ledgerView(c)
	if err != nil {
		return err
	}
	if text := c.QueryParam("correct"); text != "" && v.CanCorrect {
		e, err := s.entry(c, text)
		if err != nil {
			return err
		}
		row := s.ledgerRow(e)
		v.Correct, v.Form.Values = &row, url.Values{"kind": {store.EntryCorrection}}
	}
	return s.show(c, views.Ledger(v))
}

func (s *Server) ledgerView(c *call) (v views.LedgerPage, err error) {
	v = views.LedgerPage{Page: s.page(c), Month: c.QueryParam("month"), ByHand: c.QueryParam("by_hand") == "1", CanCorrect: c.can(store.Admin)}
	f := store.EntryFilter{TeamID: c.team(), Month: v.Month, ByHand: v.ByHand}
	if v.Month != "" {
		if _, err := v.ParseMonth(v.Month); err != nil {
			return v, invalid("month", "wrong_time")
		}
	}
	if f.Cursor, f.Limit, err = paging(c); err != nil {
		return v, err
	}
	if c.who.Admin {
		if v.Teams, err = s.teamOptions(c); err != nil {
			return v, err
		}
		v.Team = c.QueryParam("team")
		f.TeamID = v.Team
	}
	if text := c.QueryParam("entry"); text != "" {
		e, err := s.entry(c, text)
		v.Rows = []views.LedgerRow{s.ledgerRow(e)}
		return v, err
	}
	list, next, err := s.store.Entries(c.Request().Context(), f)
	v.Cursor, v.Next = f.Cursor, next
	for _, e := range list {
		v.Rows = append(v.Rows, s.ledgerRow(e))
	}
	return v, err
}

// teamOptions are all teams, and none of them in particular.
func (s *Server) teamOptions(c *call) ([]views.Option, error) {
	teams, err := s.store.Teams(c.Request().Context())
	options := []views.Option{{Label: c.t.All()}}
	for _, t := range teams {
		options = append(options, views.Option{Value: t.ID, Label: t.Name})
	}
	return options, err
}

// entry is the one that a number names, if the person may see it.
func (s *Server) entry(c *call, text string) (store.Entry, error) {
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return store.Entry{}, notFound("entry")
	}
	e, err := s.store.Entry(c.Request().Context(), number)
	if err == nil && !c.sees(e.TeamID) {
		err = notFound("entry")
	}
	return e, err
}

func (s *Server) ledgerRow(e store.Entry) views.LedgerRow {
	row := views.LedgerRow{ID: strconv.FormatInt(e.ID, 10), Kind: e.Kind, At: e.At, From: e.From, To: e.To, Name: e.InstanceName + e.ReservationName, Team: e.TeamName, Member: e.PersonName,
		Item: string(e.Item), Model: e.GPUModel, AmountMicros: e.AmountMicros, Note: e.Note, Corrects: numberOrNone(e.CorrectsID)}
	if e.InstanceID != "" {
		row.URL = "/instances/" + url.PathEscape(e.InstanceID)
	}
	for _, p := range e.Postings {
		account := p.Account
		if account == "team:"+e.TeamID {
			account = "team:" + e.TeamName
		}
		row.Postings = append(row.Postings, views.LedgerSide{Account: account, AmountMicros: p.AmountMicros})
	}
	for _, id := range e.CorrectedBy {
		row.CorrectedBy = append(row.CorrectedBy, strconv.FormatInt(id, 10))
	}
	return row
}

// correctForm is POST /costs/ledger/{entry}/correct.
func (s *Server) correctForm(c *call) error {
	of, err := s.entry(c, c.Param("id"))
	if err != nil {
		return err
	}
	n := store.Correction{CorrectsID: of.ID, Kind: c.text("kind"), Note: c.text("note"), Request: c.request()}
	var e store.Entry
	if n.AmountMicros, err = parseMoney("amount", c.text("amount")); err != nil {
		err = invalid("amount", "wrong_signed_amount")
	} else if beyond(n, of) && c.text("seen") != c.text("amount") {
		err = &store.Error{Kind: store.Conflict, Field: "amount", Message: "correction_beyond_entry", Args: map[string]string{"amount": money.Format(of.AmountMicros)}}
	} else {
		e, err = s.store.Correct(c.Request().Context(), c.who.ID, n)
	}
	if err = sentBefore(err); err != nil && typed(err) {
		v, again := s.ledgerView(c)
		if again != nil {
			return again
		}
		row := s.ledgerRow(of)
		v.Path, v.Correct, v.Form = "/costs/ledger", &row, c.typedForm(renamed(err, map[string]string{"amount_micros": "amount"}))
		v.Form.Values.Set("seen", "")
		if explain(err).Message == "correction_beyond_entry" {
			v.Form.Values.Set("seen", c.text("amount"))
		}
		return s.showAgain(c, err, views.Ledger(v))
	}
	if err != nil {
		return err
	}
	return s.done(c, "/costs/ledger?entry="+strconv.FormatInt(e.ID, 10), flash{Key: "entry_booked", Name: strconv.FormatInt(e.ID, 10)})
}

// beyond reports whether a correction changes more than there is in the entry that it names: a slip of a digit does, and lifts
// or empties a budget. It may be meant, as one entry may stand for a whole outage, so that a person is asked twice.
func beyond(n store.Correction, of store.Entry) bool {
	return max(n.AmountMicros, -n.AmountMicros) > max(of.AmountMicros, -of.AmountMicros)
}
