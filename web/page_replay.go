package web

import (
	"encoding/json"
	"io"
	"net/url"
	"strconv"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/replay"
	"github.com/meterhouse/meterhouse/views"
)

func (s *Server) replayPage(c *call) error {
	v, err := s.replayView(c)
	if err != nil {
		return err
	}
	v.Form.Values = url.Values{"model": {"A100-SXM4-80GB"}, "gpus": {"64"}, "per_node": {"8"}, "price": {views.PlainRate(store.DefaultPrice("A100-SXM4-80GB"))}}
	return s.show(c, views.Replay(v))
}

func (s *Server) replayView(c *call) (views.ReplayPage, error) {
	v := views.ReplayPage{Page: s.page(c)}
	v.Path = "/admin/prices/replay"
	jobs, err := s.store.Jobs(c.Request().Context(), store.JobReplay, runsShown)
	if err != nil {
		return v, err
	}
	for _, j := range jobs {
		if j.FinishedAt == nil {
			v.Running = &views.IntegrityRun{Status: j.State, By: j.By, At: j.CreatedAt, Done: j.Done, Total: j.Total}
			continue
		}
		row := views.ReplayRow{Status: j.State, By: j.By, At: *j.FinishedAt, Error: j.Error}
		if j.State == "done" {
			var r store.ReplayReport
			if err := json.Unmarshal(j.Result, &r); err != nil {
				return v, err
			}
			replayResult(&row, r)
		}
		v.Runs = append(v.Runs, row)
	}
	return v, nil
}

func replayResult(row *views.ReplayRow, r store.ReplayReport) {
	row.Name, row.Model, row.GPUs, row.RateMicros = r.Name, r.Model, int64(r.GPUs), r.MicrosPerHour
	row.Asked, row.Served, row.Reclaims = int64(r.Result.Asked), int64(r.Result.Served), int64(r.Result.Reclaims)
	row.AskedHours, row.ServedHours, row.LostHours = int64(r.Result.AskedHours), int64(r.Result.ServedHours), int64(r.Result.LostHours)
	row.UtilizationPPM = r.UtilizationPPM
	on, spot := r.Result.Wait[replay.OnDemand], r.Result.Wait[replay.Spot]
	row.OnDemandWait, row.SpotWait = [3]time.Duration{on.P50, on.P95, on.Max}, [3]time.Duration{spot.P50, spot.P95, spot.Max}
	row.OnDemandMicros, row.SpotMicro, row.LedgerMicros = r.RevenueMicros[replay.OnDemand], r.RevenueMicros[replay.Spot], r.LedgerMicros
}

// replayForm is POST /admin/prices/replay: the replay is a job, which no request waits for.
func (s *Server) replayForm(c *call) error {
	o := store.ReplayOptions{Model: c.text("model")}
	o.GPUs, _ = strconv.Atoi(c.text("gpus")) // what is no number is 0, which is refused
	o.PerNode, _ = strconv.Atoi(c.text("per_node"))
	var err error
	var workload []byte
	if o.Name, workload, err = uploaded(c, "file"); err == nil {
		if o.MicrosPerHour, err = parseMoney("price", c.text("price")); err == nil {
			err = s.store.StartReplay(c.Request().Context(), c.who.ID, o, workload)
		}
	}
	if err != nil && typed(err) {
		v, again := s.replayView(c)
		if again != nil {
			return again
		}
		v.Form = c.typedForm(err)
		return s.showAgain(c, err, views.Replay(v))
	}
	if err != nil {
		return err
	}
	return seeOther(c, "/admin/prices/replay")
}

// uploaded reads a form's file, which is as small as any request is.
func uploaded(c *call, field string) (name string, content []byte, err error) {
	missing := invalid(field, "workload_missing")
	if c.Request().MultipartForm == nil || len(c.Request().MultipartForm.File[field]) == 0 {
		return "", nil, missing
	}
	header := c.Request().MultipartForm.File[field][0]
	f, err := header.Open()
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	content, err = io.ReadAll(f)
	if err == nil && len(content) == 0 {
		err = missing
	}
	return header.Filename, content, err
}

func (s *Server) replayCancelForm(c *call) error {
	if err := s.store.CancelJob(c.Request().Context(), c.who.ID, store.JobReplay); err != nil {
		return err
	}
	return seeOther(c, "/admin/prices/replay")
}
