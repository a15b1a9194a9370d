package web

import (
	"encoding/json"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
)

// runsShown is how many past checks the page lists.
const runsShown = 20

func (s *Server) integrityPage(c *call) error {
	v, err := s.integrityView(c)
	if err != nil {
		return err
	}
	return s.show(c, views.Integrity(v))
}

func (s *Server) integrityView(c *call) (views.IntegrityPage, error) {
	v := views.IntegrityPage{Page: s.page(c)}
	v.Path = "/costs/integrity"
	jobs, err := s.store.Jobs(c.Request().Context(), store.JobLedger, runsShown)
	if err != nil {
		return v, err
	}
	for _, j := range jobs {
		run := views.IntegrityRun{Status: j.State, By: j.By, At: j.CreatedAt, Done: j.Done, Total: j.Total, Error: j.Error}
		if j.FinishedAt == nil {
			v.Running = &run
			continue
		}
		run.At = *j.FinishedAt
		if j.State == "done" {
			var result store.CheckResult
			if err := json.Unmarshal(j.Result, &result); err != nil {
				return v, err
			}
			run.Instances, run.Reservations, run.OK, run.Difference = int64(result.Instances), int64(result.Reservations), result.OK, result.FirstDifference
			if v.Last == nil {
				last := run
				v.Last = &last
			}
		}
		v.Runs = append(v.Runs, run)
	}
	return v, nil
}

// integrityForm is POST /costs/integrity: the check is a job, which no request waits for.
func (s *Server) integrityForm(c *call) error {
	err := s.store.StartJob(c.Request().Context(), c.who.ID, store.JobLedger)
	if err != nil && typed(err) {
		v, again := s.integrityView(c)
		if again != nil {
			return again
		}
		v.Form = c.typedForm(err)
		return s.showAgain(c, err, views.Integrity(v))
	}
	if err != nil {
		return err
	}
	return seeOther(c, "/costs/integrity")
}

func (s *Server) integrityCancelForm(c *call) error {
	if err := s.store.CancelJob(c.Request().Context(), c.who.ID, store.JobLedger); err != nil {
		return err
	}
	return seeOther(c, "/costs/integrity")
}
