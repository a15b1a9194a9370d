package web

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store/meter"
)

// Bill is an instance's bill explained.
type Bill struct {
	InstanceID   string    `json:"instance_id"`
	Segments     []Segment `json:"segments"`
	TotalMicros  int64     `json:"total_micros"`
	BookedMicros int64     `json:"booked_micros"`
}

// Segment is one line; the amounts add up to the bill's total exactly.
type Segment struct {
	State             string    `json:"state"`
	Billable          bool      `json:"billable"`
	RateMicrosPerHour int64     `json:"rate_micros_per_hour"`
	From              time.Time `json:"from"`
	To                time.Time `json:"to"`
	Open              bool      `json:"open"`
	Seconds           int64     `json:"seconds"`
	AmountMicros      int64     `json:"amount_micros"`
	Minimum           bool      `json:"minimum"`
	Waived            bool      `json:"waived"`
}

func (s *Server) getBill(c *call) error {
	in, err := s.instance(c, c.Param("id"))
	if err != nil {
		return err
	}
	bill, err := s.store.Bill(c.Request().Context(), in.ID)
	if err != nil {
		return err
	}
	return ok(c, billOut(in.ID, bill))
}

func billOut(id string, b meter.Bill) Bill {
	out := Bill{InstanceID: id, Segments: make([]Segment, 0, len(b.Lines)), TotalMicros: b.TotalMicros, BookedMicros: b.BookedMicros}
	for _, l := range b.Lines {
		out.Segments = append(out.Segments, Segment{
			State: string(l.State), Billable: l.Billable, RateMicrosPerHour: l.RateMicrosPerHour, From: l.From, To: l.To, Open: l.Open,
			Seconds: int64(l.To.Sub(l.From) / time.Second), AmountMicros: l.AmountMicros, Minimum: l.Minimum, Waived: l.Waived,
		})
	}
	return out
}

// Events is what happened to an instance, newest first.
type Events struct {
	Events []Event `json:"events"`
}

// Event is one thing that happened. Kind is a stable key.
type Event struct {
	ID     int64             `json:"id"`
	At     time.Time         `json:"at"`
	Kind   string            `json:"kind"`
	Args   map[string]string `json:"args"`
	Person string            `json:"person"`
}

func (s *Server) getEvents(c *call) error {
	in, err := s.instance(c, c.Param("id"))
	if err != nil {
		return err
	}
	_, limit, err := paging(c)
	if err != nil {
		return err
	}
	list, err := s.store.InstanceEvents(c.Request().Context(), in.ID, max(limit, 1))
	if err != nil {
		return err
	}
	out := Events{Events: make([]Event, 0, len(list))}
	for _, e := range list {
		if e.Args == nil {
			e.Args = map[string]string{}
		}
		out.Events = append(out.Events, Event{ID: e.ID, At: e.At, Kind: e.Kind, Args: e.Args, Person: e.PersonName})
	}
	return ok(c, out)
}

// maxLog bounds one answer with a log, in bytes; a client asks on from there.
const maxLog = 16 << 20

// getLogs answers with an instance's output as text, from an offset and, if asked, until its command ends.
func (s *Server) getLogs(c *call) error {
	in, err := s.instance(c, c.Param("id"))
	if err != nil {
		return err
	}
	var offset int64
	if text := c.QueryParam("offset"); text != "" {
		if offset, err = strconv.ParseInt(text, 10, 64); err != nil || offset < 0 {
			return invalid("offset", "wrong_number")
		}
	}
	follow := c.QueryParam("follow") == "1"
	ctx := c.Request().Context()
	log, at, err := s.fleet.Log(ctx, in.ID, offset, follow && in.State.HoldsGPUs())
	if errors.Is(err, gpu.ErrNoInstance) {
		log, at, err = http.NoBody, offset, nil // it never ran, or its log is gone: nothing was written
	}
	if err != nil {
		return err
	}
	defer log.Close()
	h := c.Response().Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Log-Offset", strconv.FormatInt(at, 10))
	c.Response().WriteHeader(http.StatusOK)
	if !follow {
		_, err = io.Copy(c.Response(), io.LimitReader(log, maxLog))
		return err
	}
	return s.stream(c, log)
}

// stream passes on what comes as it comes, until the log or the server ends or the client leaves.
func (s *Server) stream(c *call, log io.ReadCloser) error {
	c.Response().Flush()
	k := newConn()
	if err := s.sockets.add(k, c.who.ID); err != nil {
		return err
	}
	defer s.sockets.remove(k)
	left, over := c.Request().Context().Done(), make(chan struct{})
	var closer sync.WaitGroup
	closer.Go(func() { // a read that waits ends when its log is closed
		select {
		case <-k.done:
		case <-left:
		case <-over:
		}
		_ = log.Close()
	})
	defer closer.Wait()
	defer close(over)
	answer := http.NewResponseController(c.Response())
	b := make([]byte, 32<<10)
	for {
		n, err := log.Read(b)
		if n > 0 {
			_ = answer.SetWriteDeadline(time.Now().Add(writeWait)) // a client that does not read is gone
			if _, werr := c.Response().Write(b[:n]); werr != nil {
				return nil // it left
			}
			c.Response().Flush()
		}
		if err != nil {
			return nil // the end, or the reader was closed
		}
	}
}

// Samples is the telemetry of an instance's GPUs, of the time in which they were its own.
type Samples struct {
	StepSeconds int64       `json:"step_seconds"`
	Metrics     []Metric    `json:"metrics"`
	GPUs        []GPUSeries `json:"gpus"`
}

// Metric is the name and unit of one column.
type Metric struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
}

// GPUSeries is one GPU's samples, oldest first.
type GPUSeries struct {
	UUID      string   `json:"uuid"`
	Simulated bool     `json:"simulated"`
	Samples   []Sample `json:"samples"`
}

// Sample is one moment. Values stand in the order of the metrics, null where unknown; Why has a reason for each null.
type Sample struct {
	At     time.Time         `json:"at"`
	Values []*int64          `json:"values"`
	Why    map[string]string `json:"why,omitempty"`
}

func (s *Server) getSamples(c *call) error {
	in, err := s.instance(c, c.Param("id"))
	if err != nil {
		return err
	}
	now := s.now()
	from, to, err := s.interval(c, now.Add(-backfillTime), now)
	if err != nil {
		return err
	}
	step, err := parseCount("step", c.QueryParam("step"))
	if err != nil || step > int64(backfillTime/time.Second) {
		return invalid("step", "wrong_number")
	}
	out := Samples{StepSeconds: max(step, 1), GPUs: []GPUSeries{}}
	for m := range gpu.NumMetrics {
		out.Metrics = append(out.Metrics, Metric(m.Info()))
	}
	for _, uuid := range in.GPUs {
		device, _ := s.fleet.Device(uuid)
		series := GPUSeries{UUID: uuid, Simulated: device.Simulated || in.Simulated, Samples: []Sample{}}
		next := from
		for _, r := range s.samplesOf(in, uuid, from, to) {
			if r.At.Before(next) {
				continue
			}
			next = r.At.Truncate(time.Second).Add(time.Duration(out.StepSeconds) * time.Second)
			series.Samples = append(series.Samples, sampleOut(r))
		}
		out.GPUs = append(out.GPUs, series)
	}
	return ok(c, out)
}

func sampleOut(r gpu.Reading) Sample {
	out := Sample{At: r.At, Values: make([]*int64, gpu.NumMetrics)}
	for m, v := range r.Values {
		if n, known := v.Get(); known {
			out.Values[m] = &n
			continue
		}
		if out.Why == nil {
			out.Why = make(map[string]string)
		}
		out.Why[gpu.Metric(m).Info().Name] = v.Why().String()
	}
	return out
}
