package web

import (
	"errors"
	"strconv"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
)

func (s *Server) queuePage(c *call) error {
	v, err := s.queueView(c)
	if err != nil {
		return err
	}
	return s.show(c, views.Queue(v))
}

func (s *Server) queueView(c *call) (views.QueuePage, error) {
	ctx := c.Request().Context()
	v := views.QueuePage{Page: s.page(c)}
	all, err := s.store.Queues(ctx)
	if err != nil {
		return v, err
	}
	for i := range all {
		v.Lines = append(v.Lines, queueLine(c, &all[i]))
	}
	if !c.who.Admin {
		return v, nil
	}
	teams, err := s.store.Teams(ctx)
	for _, t := range teams {
		v.Weights = append(v.Weights, views.QueueWeight{TeamID: t.ID, Team: t.Name, Weight: t.Weight})
	}
	return v, err
}

// weightForm is POST /queue/weight.
func (s *Server) weightForm(c *call) error {
	team, text := c.text("team"), c.text("weight")
	weight, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		weight = 0 // out of range
	}
	err = s.store.SetTeamWeight(c.Request().Context(), team, weight, c.who.ID)
	if store.KindOf(err) == store.Invalid {
		v, failed := s.queueView(c)
		if failed != nil {
			return errors.Join(err, failed)
		}
		v.Form = c.typedForm(err)
		return s.showAgain(c, err, views.Queue(v))
	}
	if err != nil {
		return err
	}
	return s.done(c, "/queue", flash{Key: "saved"})
}

// queueLine is a pool's queue as a person may see it.
func queueLine(c *call, q *store.Queue) views.QueueLine {
	l := views.QueueLine{ID: q.PoolID, Model: q.GPUModel, Simulated: q.Simulated}
	fair := map[string]string{}
	var others views.QueueShare
	rest := 0
	for _, s := range q.Shares {
		row := views.QueueShare{TeamID: s.TeamID, Team: s.TeamName, Share: s.SharePPM / 1000, Used: s.UsedPPM / 1000, UsedTime: s.Used, Fair: fairness(s.UsedPPM, s.SharePPM)}
		fair[s.TeamID] = row.Fair
		if c.sees(s.TeamID) {
			l.Shares = append(l.Shares, row)
			continue
		}
		others.Share, others.Used, others.UsedTime = others.Share+row.Share, others.Used+row.Used, others.UsedTime+row.UsedTime
		rest++
	}
	if others.Fair = fairness(others.Used, others.Share); rest > 0 {
		l.Shares = append(l.Shares, others)
	}
	for i := range q.Waiting {
		w := &q.Waiting[i]
		row := queueRow(c, q, w)
		row.Fair, row.Behind = fair[w.TeamID], w.Behind
		l.Rows = append(l.Rows, row)
	}
	return l
}

// queueRow is one who waits. Whose team is not the person's business is there with what it waits for, without its name.
func queueRow(c *call, q *store.Queue, w *store.Waiting) views.QueueRow {
	row := views.QueueRow{Place: w.Place, Team: w.TeamName, Kind: string(w.Kind), GPUModel: q.GPUModel, GPUCount: w.GPUCount, Simulated: q.Simulated, Since: w.Since,
		Reason: string(w.Reason), EndsAt: timeOrZero(w.EndsAt), Aged: w.Aged, StartsAt: views.Unknown("no_end_ahead")}
	switch {
	case w.StartsAt != nil:
		row.StartsAt = views.Known(w.StartsAt.UnixMicro())
	case w.Reason == store.WaitsForBudget || w.Reason == store.WaitsForQuota:
		row.StartsAt = views.Unknown("kept")
	}
	if c.sees(w.TeamID) {
		row.ID, row.Name, row.Owner, row.CanCancel = w.ID, w.Name, w.PersonName, c.acts(w.TeamID, w.PersonID)
	}
	return row
}

// fairness compares use with a share: a tenth more or less is about the same.
func fairness(used, share int64) string {
	switch {
	case used == 0 && share == 0:
		return ""
	case used*10 > share*11:
		return "more"
	case used*10 < share*9:
		return "less"
	}
	return "even"
}

// queueOf is the queue up to an instance that waits; ok is false if it doesn't.
func (s *Server) queueOf(c *call, in store.Instance) (q store.Queue, ok bool, err error) {
	q, at, err := s.store.QueueOf(c.Request().Context(), in.ID)
	if store.KindOf(err) == store.NotFound || err == nil && at < 0 {
		return q, false, nil
	}
	q.Waiting = q.Waiting[:at+1]
	return q, err == nil, err
}
