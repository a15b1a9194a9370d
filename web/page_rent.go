package web

import (
	"cmp"
	"crypto/rand"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/budget"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/meter"
	"github.com/meterhouse/meterhouse/store/term"
	"github.com/meterhouse/meterhouse/views"
)

// catalogue is GET /rent: a row a GPU model, with the plan of one GPU.
func (s *Server) catalogue(c *call) error {
	ctx := c.Request().Context()
	offers, err := s.store.Offers(ctx)
	if err != nil {
		return err
	}
	gpus, err := s.store.GPUs(ctx)
	if err != nil {
		return err
	}
	v := views.RentPage{Page: s.page(c)}
	for _, o := range offers {
		if o.Plan.GPUCount > 1 {
			continue
		}
		row := offerRow(o)
		ppm, err := s.store.DiscountOf(ctx, c.who.TeamID, o.Plan)
		if err != nil {
			return err
		}
		row.FullMicros, row.DiscountPPM, row.OnDemandMicros = row.OnDemandMicros, ppm, term.Rate(row.OnDemandMicros, ppm)
		for i := range gpus {
			if o.Plan.GPUCount == 1 && gpus[i].Model == o.Plan.GPUModel && gpus[i].Simulated == o.Plan.Simulated {
				row.MemoryBytes = gpus[i].MemoryBytes
			}
		}
		if o.Plan.GPUCount == 0 {
			if row.Stream, row.BenchURL, err = s.measured(c, "stream", "triad"); err != nil {
				return err
			}
			if row.FP32, _, err = s.measured(c, "matmul", "fp32_parallel"); err != nil {
				return err
			}
		}
		v.Offers = append(v.Offers, row)
	}
	return s.show(c, views.Rent(v))
}

func offerRow(o store.Offer) views.Offer {
	row := views.Offer{
		Plan: o.Plan.ID, Model: o.Plan.GPUModel, Simulated: o.Plan.Simulated, CPUs: cores(o.Plan.CPUMillis), RAMBytes: o.Plan.MemoryBytes, Free: o.Free,
		Total: o.Total, FreeAbout: timeOrZero(o.FreeAt), HardEnd: timeOrZero(o.HardEnd), OnDemandMicros: o.OnDemandMicrosPerHour,
		SpotMicros: numberOr(o.SpotMicrosPerHour, "not_offered"), FP32: views.Unknown("not_measured"), Stream: views.Unknown("not_measured"),
	}
	if o.Plan.Simulated {
		row.FP32, row.Stream = views.Unknown("simulated"), views.Unknown("simulated")
	}
	for _, reason := range o.Blocked {
		if reason != "in_use" {
			row.Blocked = append(row.Blocked, views.Blocked{Reason: reason, Count: o.BlockedCounts[reason]})
		}
	}
	return row
}

// cores is thousandths of a core as a person counts them.
func cores(millis int64) int { return int((millis + 999) / 1000) }

// measured is the last stable figure of a CPU benchmark on this site, in the unit that the catalogue shows: GFLOPS, or MB/s
// from GB/s.
func (s *Server) measured(c *call, suite, test string) (v views.Value, path string, err error) {
	points, err := s.store.BenchmarkHistory(c.Request().Context(), suite, "cpu", test, "", shownHistory)
	if err != nil {
		return v, "", err
	}
	slices.SortFunc(points, func(a, b store.BenchmarkPoint) int { return b.At.Compare(a.At) })
	for _, p := range points {
		if p.Stable && !p.Simulated {
			n := p.Median
			if p.Unit == "GB/s" {
				n *= 1000
			}
			return views.Known(int64(n + 0.5)), "/bench/" + p.BenchmarkID, nil
		}
	}
	return views.Unknown("not_measured"), "", nil
}

func (s *Server) rentPage(c *call) error {
	v, offers, err := s.rentView(c)
	if err != nil {
		return err
	}
	if len(v.Plans) == 0 {
		return seeOther(c, "/rent")
	}
	plan := c.QueryParam("plan")
	if !slices.ContainsFunc(v.Plans, func(p views.PlanOption) bool { return p.Plan == plan }) {
		plan = v.Plans[0].Plan
	}
	v.Form.Values = url.Values{"plan": {plan}, "kind": {rentKind(c.QueryParam("kind"))}, "gpu_count": {"1"}, "image": {c.QueryParam("image")}, "idempotency_key": {rand.Text()}}
	if v.Form.Values, err = s.beginRent(c, v.Form.Values, offers); err != nil {
		return err
	}
	if err := s.rentReserved(c, &v, c.QueryParam("reservation")); err != nil {
		return err
	}
	if w, err := s.wanted(c, v.Form.Values, offers); err == nil {
		v.Quote = s.quote(c, w)
		if v.Quote.Starts == "queued" {
			v.Form.Values.Set("queue", "1")
		}
	}
	return s.show(c, views.RentNew(v))
}

// rentView is the form without what is typed into it.
func (s *Server) rentView(c *call) (views.RentNewPage, []store.Offer, error) {
	v := views.RentNewPage{Page: s.page(c), Kinds: []string{string(store.OnDemand), string(store.Spot)}}
	var err error
	if v.Images, err = s.imageOptions(c, cmp.Or(c.text("image"), c.QueryParam("image"))); err != nil {
		return v, nil, err
	}
	secrets, err := s.store.Secrets(c.Request().Context(), c.who.ID)
	if err != nil {
		return v, nil, err
	}
	for _, x := range secrets {
		v.Secrets = append(v.Secrets, x.Name)
	}
	offers, err := s.store.Offers(c.Request().Context())
	if err != nil {
		return v, nil, err
	}
	if v.Stores, err = s.attachable(c); err != nil {
		return v, nil, err
	}
	for _, o := range offers {
		if o.Plan.GPUCount > 1 {
			continue
		}
		p := views.PlanOption{Plan: o.Plan.ID, Model: o.Plan.GPUModel, Simulated: o.Plan.Simulated, Free: o.Free, OnDemandMicros: o.OnDemandMicrosPerHour, CPUs: cores(o.Plan.CPUMillis), RAMBytes: o.Plan.MemoryBytes}
		for _, other := range offers {
			if sameGPU(o, other) {
				p.MaxGPUs = max(p.MaxGPUs, other.Plan.GPUCount)
			}
		}
		v.Plans = append(v.Plans, p)
	}
	return v, offers, nil
}

func sameGPU(a, b store.Offer) bool {
	return a.Plan.GPUModel == b.Plan.GPUModel && a.Plan.Simulated == b.Plan.Simulated
}

// want is what the form asks for, as far as it is right.
type want struct {
	offer   store.Offer
	request store.RentRequest
	queue   bool
	list    int64 // on demand, of what is rented as spot; else 0
}

// wanted reads the form: the plan of as many GPUs as asked for. All that is wrong is said at once.
func (s *Server) wanted(c *call, f url.Values, offers []store.Offer) (want, error) {
	var w want
	var bad wrong
	note := func(err error) {
		if err != nil {
			bad = append(bad, explain(err))
		}
	}
	count := 1
	if text := f.Get("gpu_count"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxGPUCount {
			note(invalid("gpu_count", "wrong_gpu_count"))
		} else {
			count = n
		}
	}
	base := slices.IndexFunc(offers, func(o store.Offer) bool { return o.Plan.ID == f.Get("plan") })
	if base < 0 {
		note(&store.Error{Kind: store.Invalid, Field: "plan", Message: "plan_not_found", Args: map[string]string{"id": f.Get("plan"), "plans": planNames(offers)}})
	} else {
		w.offer = offers[base]
		if w.offer.Plan.GPUCount > 0 {
			fit := slices.IndexFunc(offers, func(o store.Offer) bool { return sameGPU(offers[base], o) && o.Plan.GPUCount == count })
			if fit < 0 {
				note(&store.Error{Kind: store.Invalid, Field: "gpu_count", Message: "gpu_count_not_offered", Args: map[string]string{"count": strconv.Itoa(count), "counts": countNames(offers, offers[base])}})
			} else {
				w.offer = offers[fit]
			}
		}
	}
	hours, err := parseHours(trimmed(f, "hours"))
	note(err)
	labels, err := parseLabels("labels", f.Get("labels"))
	note(err)
	port, err := parsePort(trimmed(f, "port"))
	note(err)
	env, err := parseEnv("env", f.Get("env"))
	note(err)
	secrets, err := parseSecretNames("secrets", f.Get("secrets"))
	note(err)
	w.queue = f.Get("queue") == "1"
	w.request = store.RentRequest{PersonID: c.who.ID, Name: trimmed(f, "name"), PlanID: w.offer.Plan.ID, Kind: store.OnDemand, Image: trimmed(f, "image"),
		Command: trimmed(f, "command"), Duration: hours, Queue: w.queue, Labels: labels, Env: env, Secrets: secrets, Port: port, IdempotencyKey: trimmed(f, "idempotency_key")}
	w.request.Volumes = rentVolumes(f)
	w.spot(f)
	if id := trimmed(f, "reservation"); id != "" {
		w.request.Kind, w.request.ReservationID = store.Reserved, id
	}
	return w, bad.orNil()
}

// quote is what the person knows before the click.
func (s *Server) quote(c *call, w want) *views.Quote {
	q := &views.Quote{RateMicrosPerHour: w.offer.OnDemandMicrosPerHour, GPUCount: w.offer.Plan.GPUCount, HardEnd: timeOrZero(w.offer.HardEnd), TotalMicros: views.Unknown("no_end"), Starts: "now"}
	if ppm, err := s.store.DiscountOf(c.Request().Context(), c.who.TeamID, w.offer.Plan); err == nil && ppm > 0 && w.request.Kind == store.OnDemand {
		q.FullMicrosPerHour, q.DiscountPPM, q.RateMicrosPerHour = q.RateMicrosPerHour, ppm, term.Rate(q.RateMicrosPerHour, ppm)
	}
	now := s.now()
	if !q.HardEnd.IsZero() {
		q.HardEndWhy = w.offer.HardEndBecause
	}
	if d := w.request.Duration; d != nil {
		if end := now.Add(*d); q.HardEnd.IsZero() || !end.After(q.HardEnd) {
			q.HardEnd, q.HardEndWhy = end, "hours"
		} else if !w.queue {
			q.Starts, q.Refused = "refused", words(c.t, zoned(s.format(c), store.ReservedAfter(w.offer.HardEndBecause, q.HardEnd)))
		}
	}
	if !q.HardEnd.IsZero() {
		q.TotalMicros = views.Known(meter.Amount(q.RateMicrosPerHour, q.HardEnd.Sub(now)))
	}
	if w.offer.Free == 0 {
		q.Starts, q.StartsAbout = "queued", timeOrZero(w.offer.FreeAt)
		ask := w.request
		ask.TeamID = c.who.TeamID
		if out, err := s.store.Outlook(c.Request().Context(), ask); err == nil && out.Reason == "" && out.StartsAt != nil {
			q.Starts = "now" // those who wait lose nothing by it
		} else if err == nil {
			q.QueuePlace, q.StartsAbout = out.Place, timeOrZero(out.StartsAt)
		}
		if q.Starts == "queued" && !w.queue && unsafe(c.Request().Method) {
			q.Starts, q.Refused = "refused", c.t.NoCapacity(w.offer.Plan.GPUModel)
		}
	}
	quoteSpot(q, w)
	s.quoteBudget(c, q, w, now)
	s.quoteQuota(c, q, w)
	s.quoteImage(c, q, w)
	if w.request.Kind == store.Reserved {
		s.quoteReserved(c, q, w)
	}
	return q
}

func (s *Server) quoteBudget(c *call, q *views.Quote, w want, now time.Time) {
	err := s.store.BudgetRefuses(c.Request().Context(), c.who.ID, c.who.TeamID, w.request.Labels, w.request.Kind)
	if store.KindOf(err) == store.BudgetBlocks {
		q.Starts, q.Refused = "refused", words(c.t, explain(err))
	}
	left, found, err := s.store.BudgetLeft(c.Request().Context(), c.who.ID, c.who.TeamID)
	switch {
	case err != nil:
		q.BudgetLeft = views.Unknown("not_read")
		return
	case !found:
		q.BudgetLeft = views.Unknown("no_budget")
		return
	}
	q.BudgetLeft = views.Known(left.LeftMicros)
	if rate := left.RunningRateMicrosPerHour + q.RateMicrosPerHour; rate > 0 {
		q.BudgetRunsOut, _ = budget.RunsOut(left.LeftMicros, rate, now, left.PeriodEnd)
	}
}

// rent is POST /rent/new. The key in the form makes the same form, sent twice, one instance.
func (s *Server) rent(c *call) error {
	v, offers, err := s.rentView(c)
	if err != nil {
		return err
	}
	if err := s.rentReserved(c, &v, c.text("reservation")); err != nil {
		return err
	}
	w, err := s.wanted(c, c.Request().PostForm, offers)
	if err == nil {
		v.Quote = s.quote(c, w)
	}
	if err == nil && c.text("do") == "quote" {
		v.Form = c.typedForm(nil)
		return s.show(c, views.RentNew(v))
	}
	if err == nil && c.text("do") == "template" {
		var t store.Template
		if t, err = s.store.SaveTemplate(c.Request().Context(), c.who.ID, c.text("template"), c.text("template_shared") == "1", templateOf(w, c.Request().PostForm)); err == nil {
			return s.done(c, "/templates", flash{Key: "template_saved", Name: t.Name})
		}
	}
	var in store.Instance
	if err == nil {
		in, _, err = s.store.Rent(c.Request().Context(), w.request)
	}
	if err != nil && typed(err) {
		v.Form = c.typedForm(renamed(err, rentFields))
		ask, again := s.quotaInTheWay(c, err)
		if again != nil {
			return again
		}
		v.Ask = ask
		return s.showAgain(c, err, views.RentNew(v))
	}
	if err != nil {
		return err
	}
	s.fleet.Kick()
	f := flash{Key: "rented", Name: in.Name}
	if in.State == life.Queued {
		f.Key = "queued"
	}
	return s.done(c, "/instances/"+in.ID, f)
}

// rentFields are the form's names of what the store calls otherwise.
var rentFields = map[string]string{"plan_id": "plan", "gpu_model": "plan", "duration": "hours"}
