package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/meter"
	"github.com/meterhouse/meterhouse/views"
	"github.com/meterhouse/meterhouse/web/mail"
)

const (
	shownEvents = 50
	// shownLog is how much of the end of the output the page shows, in bytes.
	shownLog = 32 << 10
)

func (s *Server) instancePage(c *call) error {
	in, err := s.instance(c, c.Param("id"))
	if err != nil {
		return err
	}
	v, err := s.instanceView(c, in)
	if err != nil {
		return err
	}
	v.Ask = c.QueryParam("ask")
	if v.Ask != "stop" || !v.CanStop {
		v.Ask = ""
	}
	return s.show(c, views.Instance(v))
}

// instanceView gathers the page of one instance.
func (s *Server) instanceView(c *call, in store.Instance) (views.InstancePage, error) {
	ctx := c.Request().Context()
	c.nonce = requestID()
	acts := c.acts(in.TeamID, in.PersonID)
	v := views.InstancePage{
		Page: s.page(c), InstanceRow: instanceRow(in), Form: views.Form{Values: url.Values{}}, Image: in.Image, Command: in.Command,
		CPUs: cores(in.CPUMillis), RAMBytes: in.MemoryBytes, DiskBytes: in.DiskBytes, BaseURL: s.ownURL(c),
		CanStop:     acts && in.State.Live() && in.State != life.Stopping,
		CanSuspend:  acts && in.State == life.Running,
		CanResume:   acts && in.State == life.Suspended,
		CanExtend:   acts && in.State.Live() && in.State != life.Queued && in.State != life.Stopping && in.State != life.Reclaiming,
		CanPort:     acts && in.State.Live() && in.State != life.Stopping,
		Port:        in.Port,
		CanTerminal: acts && (in.State == life.Running || in.State == life.Reclaiming),
	}
	if v.CanTerminal && s.gateway != nil {
		v.SSH = s.sshOf(c, in.ID).Command
	}
	for _, key := range slices.Sorted(mapKeys(in.Labels)) {
		v.Labels = append(v.Labels, key+"="+in.Labels[key])
	}
	switch in.State {
	case life.Queued:
		v.Step = "queued"
		q, waits, err := s.queueOf(c, in)
		if err != nil {
			return v, err
		}
		if line := queueLine(c, &q); waits {
			v.Queue = &line
		}
	case life.Starting:
		v.Step = "start"
	}
	v.Spot = spotFacts(in)
	v.CanSave = in.Image != "" && (v.CanSuspend || v.CanResume)
	pin, err := s.store.ImagePin(ctx, in.ID)
	if err != nil {
		return v, err
	}
	v.ImageDigest = cmp.Or(pin.Digest, pin.EngineID)
	if in.EndsAt != nil && v.EndsAt.Equal(*in.EndsAt) {
		v.EndsWhy = cmp.Or(in.EndsBecause, "hours")
	}
	if err := s.idleFacts(c, in, &v); err != nil {
		return v, err
	}
	v.BudgetLeft, v.BudgetUntil = s.budgetLeft(c)
	stops, err := s.store.BudgetStops(ctx, in.TeamID)
	if err != nil {
		return v, err
	}
	for _, stop := range stops {
		if slices.Contains(stop.Instances, in.ID) {
			v.StopsBudget, v.StopsAt = stop.Name, stop.StopsAt
			break
		}
	}
	bill, err := s.store.Bill(ctx, in.ID)
	if err != nil {
		return v, err
	}
	v.Bill, v.CostMicros = billView(bill), bill.TotalMicros // one moment's figure, wherever it stands
	v.Bill.FullMicrosPerHour, v.Bill.DiscountPPM = in.ListMicrosPerHour, in.DiscountPPM
	events, err := s.store.InstanceEvents(ctx, in.ID, shownEvents+1)
	if err != nil {
		return v, err
	}
	v.EventsMore = len(events) > shownEvents
	v.Reason = s.reason(c, in, stoppedBy(events, in.PersonName))
	for _, e := range events[:min(len(events), shownEvents)] {
		v.Events = append(v.Events, views.Event{At: e.At, Kind: e.Kind, Actor: e.PersonName, Args: zonedArgs(v.Format, e.Args), You: e.PersonName != "" && e.PersonName == c.who.Name})
	}
	if v.GPUs, err = s.instanceGPUs(c, in); err != nil {
		return v, err
	}
	if v.Log, v.LogCut, err = s.logTail(c, in.ID); err != nil { // the page is how a person stops it: that must not hang on its output
		s.log.Warn("output not shown", "id", c.id, "instance", in.ID, "error", err)
		v.LogBad = true
	}
	for _, l := range s.fleet.Limits(in.NodeID) {
		v.Limits = append(v.Limits, views.Limit(l))
	}
	return v, nil
}

// ownURL is how this person reached the console: what the command line needs.
func (s *Server) ownURL(c *call) string {
	if s.base != nil {
		return s.base.String()
	}
	return s.origins(c.Request())[0]
}

// reason says why an instance ended or does not run, in words; by is who asked for it.
func (s *Server) reason(c *call, in store.Instance, by string) string {
	text := in.ExitDetail
	if why := c.t.MailStoppedWhy(mail.StopReason(in.StopReason), by, exitCode(in)); why != "" {
		text = why
		if in.ExitDetail != "" && in.ExitDetail != "SIGTERM" { // with which each stop begins
			text += " " + in.ExitDetail
		}
	}
	return text
}

func exitCode(in store.Instance) string {
	if in.ExitCode == nil {
		return views.Dash
	}
	return strconv.Itoa(*in.ExitCode)
}

// stoppedBy is who asked for the end, from the events, newest first.
func stoppedBy(events []store.InstanceEvent, otherwise string) string {
	for _, e := range events {
		if strings.HasPrefix(e.Kind, "stop") && e.PersonName != "" {
			return e.PersonName
		}
	}
	return otherwise
}

func billView(b meter.Bill) views.Bill {
	v := views.Bill{TotalMicros: b.TotalMicros}
	for _, l := range b.Lines {
		line := views.BillLine{State: string(l.State), From: l.From, To: l.To, Seconds: int64(l.To.Sub(l.From) / time.Second), RateMicrosPerHour: l.RateMicrosPerHour,
			AmountMicros: l.AmountMicros, Billed: l.Billable}
		switch {
		case l.Open:
			line.To, v.Open = time.Time{}, true
		case l.Minimum:
			line.State = "minimum"
		case l.Waived:
			line.State = "waived"
		}
		v.Lines = append(v.Lines, line)
	}
	return v
}

func (s *Server) instanceGPUs(c *call, in store.Instance) ([]views.InstanceGPU, error) {
	if len(in.GPUs) == 0 {
		return nil, nil
	}
	all, err := s.store.GPUs(c.Request().Context())
	if err != nil {
		return nil, err
	}
	var list []views.InstanceGPU
	for _, uuid := range in.GPUs {
		i := slices.IndexFunc(all, func(g store.GPU) bool { return g.UUID == uuid })
		if i < 0 {
			continue
		}
		g := &all[i]
		out := views.InstanceGPU{UUID: uuid, Name: gpuName(g), Model: g.Model, Simulated: g.Simulated, MemoryTotal: views.Known(g.MemoryBytes), PowerLimit: numberOr(g.PowerLimitMilliwatts, "not_supported")}
		if in.State.Ended() {
			out.Utilization, out.MemoryUsed, out.Power = views.Unknown("not_read"), views.Unknown("not_read"), views.Unknown("not_read")
		} else {
			r, _, _ := s.latestOf(in, uuid)
			out.Utilization, out.MemoryUsed, out.Power, out.ReadAt = value(r, gpu.Utilization), value(r, gpu.MemoryUsed), value(r, gpu.Power), r.At
		}
		list = append(list, out)
	}
	return list, nil
}

// value is one reading as a view shows it.
func value(r gpu.Reading, m gpu.Metric) views.Value {
	if n, known := r.Values[m].Get(); known {
		return views.Known(n)
	}
	return views.Unknown(r.Values[m].Why().String())
}

func numberOr(n *int64, why string) views.Value {
	if n == nil {
		return views.Unknown(why)
	}
	return views.Known(*n)
}

// escapes are the terminal's own commands, which mean nothing on a page.
var escapes = regexp.MustCompile(`\x1b(\[[0-9;?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(\x07|\x1b\\)|[@-Z\\-_])`)

// logPatience is how long a page waits for an instance's output: its node may be out of reach without anybody knowing yet.
const logPatience = 2 * time.Second

// logTail is the end of an instance's output as text. No more than that is read: an output may be long, and a page is looked
// at often.
func (s *Server) logTail(c *call, id string) (text string, cut bool, err error) {
	ctx, cancel := context.WithTimeout(c.Request().Context(), logPatience)
	defer cancel()
	log, end, err := s.fleet.Log(ctx, id, math.MaxInt64, false) // beyond the end: there is where it ends
	if errors.Is(err, gpu.ErrNoInstance) || errors.Is(err, gpu.ErrNotRunning) {
		return "", false, nil
	}
	if err == nil {
		err = log.Close()
	}
	if err != nil {
		return "", false, err
	}
	log, at, err := s.fleet.Log(ctx, id, max(0, end-shownLog), false)
	if errors.Is(err, gpu.ErrNoInstance) {
		return "", false, nil // deleted just now
	}
	if err != nil {
		return "", false, err
	}
	defer log.Close()
	tail, err := io.ReadAll(io.LimitReader(log, shownLog))
	if err != nil {
		return "", false, err
	}
	if line := bytes.IndexByte(tail, '\n') + 1; at > 0 && line < len(tail) {
		tail = tail[line:] // begins with a whole line, where there is one
	}
	return readable(tail), at > 0, nil
}

// readable is a terminal's output as text for a page.
func readable(output []byte) string {
	text := escapes.ReplaceAllString(strings.ToValidUTF8(string(output), "\uFFFD"), "")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}
