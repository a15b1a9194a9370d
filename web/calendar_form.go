package web

import (
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/calendar"
	"github.com/meterhouse/meterhouse/views"
)

// wallField is a form's field for a date and time on the site's wall clocks.
const wallField = "2006-01-02T15:04"

// wallTime reads one. A time that the clocks show twice is asked about: which is "1" or "2"; one that they jump over is
// moved forward, and moved says so.
func wallTime(field, text, which string, zone *time.Location) (at time.Time, twice, moved bool, err error) {
	if text == "" {
		return at, false, false, invalid(field, "required")
	}
	wall, err := calendar.ParseWall(text, zone)
	if err != nil || wall.At[0].Year() < 2000 || wall.At[0].Year() > 2200 {
		return at, false, false, invalid(field, "wall_wrong")
	}
	if len(wall.At) == 1 {
		return wall.At[0], false, wall.Moved, nil
	}
	switch which {
	case "1":
		return wall.At[0], true, false, nil
	case "2":
		return wall.At[1], true, false, nil
	}
	return at, true, false, invalid(field+"_which", "hour_twice")
}

// formTimes reads a form's start and end, or its end alone, and says what the clocks make of them.
func (s *Server) formTimes(c *call, f url.Values, fields ...string) (at map[string]time.Time, times views.FormTimes, err error) {
	at = map[string]time.Time{}
	zone, err := s.zone(c)
	if err != nil {
		return at, times, err
	}
	var bad wrong
	for _, field := range fields {
		text := trimmed(f, field)
		moment, twice, moved, err := wallTime(field, text, f.Get(field+"_which"), zone)
		if err != nil {
			bad = append(bad, explain(err))
		}
		at[field] = moment
		var options []views.Option
		if twice {
			options = whichOptions(c, text, zone)
		}
		if field == "start" {
			times.StartTwice, times.StartMoved = options, moved
		} else {
			times.EndTwice, times.EndMoved = options, moved
		}
	}
	return at, times, bad.orNil()
}

func whichOptions(c *call, text string, zone *time.Location) []views.Option {
	wall, err := calendar.ParseWall(text, zone)
	if err != nil || len(wall.At) < 2 {
		return nil
	}
	name := func(t time.Time) string { return t.In(zone).Format("MST -07:00") }
	return []views.Option{{Label: c.t.ChooseOne()}, {Value: "1", Label: c.t.FirstOfTwo(name(wall.At[0]))}, {Value: "2", Label: c.t.SecondOfTwo(name(wall.At[1]))}}
}

// wallValues is a moment as a form's fields have it.
func wallValues(f url.Values, field string, t time.Time, zone *time.Location) {
	text := t.In(zone).Format(wallField)
	f.Set(field, text)
	if wall, err := calendar.ParseWall(text, zone); err == nil && len(wall.At) == 2 {
		f.Set(field+"_which", strconv.Itoa(1+slices.IndexFunc(wall.At, t.Truncate(time.Minute).Equal)))
	}
}

// wantedReservation reads the form; all that is wrong is said at once.
func (s *Server) wantedReservation(c *call, f url.Values, plans []store.Plan) (n store.NewReservation, times views.FormTimes, err error) {
	var bad wrong
	count, err := reservedCount(f)
	if err != nil {
		bad = append(bad, explain(err))
	}
	base := slices.IndexFunc(plans, func(p store.Plan) bool { return p.ID == f.Get("plan") && p.GPUCount == 1 })
	n = store.NewReservation{PersonID: c.who.ID, Name: trimmed(f, "name"), GPUs: f["gpus"]}
	switch {
	case len(n.GPUs) > 0:
		n.GPUCount = count
	case base < 0:
		bad = append(bad, invalid("plan", "required"))
	case count > 0:
		at := slices.IndexFunc(plans, func(p store.Plan) bool {
			return p.GPUModel == plans[base].GPUModel && p.Simulated == plans[base].Simulated && p.GPUCount == count
		})
		if at < 0 {
			bad = append(bad, &store.Error{Kind: store.Invalid, Field: "gpu_count", Message: "gpu_count_not_offered",
				Args: map[string]string{"count": strconv.Itoa(count), "counts": planCounts(plans, plans[base])}})
		} else {
			n.PlanID = plans[at].ID
		}
	}
	at, times, err := s.formTimes(c, f, "start", "end")
	if err != nil {
		var list wrong
		if !errors.As(err, &list) {
			return n, times, err
		}
		bad = append(bad, list...)
	}
	n.Start, n.End = at["start"], at["end"]
	return n, times, bad.orNil()
}

// quoteReserve fills in what the form's reservation costs, or why it can't be had and what is nearest.
func (s *Server) quoteReserve(c *call, v *views.CalendarPage, plans []store.Plan) error {
	n, times, err := s.wantedReservation(c, v.Reserve.Form.Values, plans)
	v.Reserve.Times = times
	var q store.ReservationQuote
	if err == nil {
		q, err = s.store.QuoteReservation(c.Request().Context(), n)
	}
	if err != nil {
		if !typed(err) {
			return err
		}
		return s.refuseReserve(c, v, n, err)
	}
	v.Reserve.Quote = s.reserveQuote(c, q, n.Start, n.End)
	return nil
}

func (s *Server) reserveQuote(c *call, q store.ReservationQuote, start, end time.Time) *views.ReserveQuote {
	out := &views.ReserveQuote{Start: start, End: end, GPUCount: len(q.GPUs), Model: q.Plan.GPUModel, Simulated: q.Plan.Simulated, TotalMicros: q.TotalMicros,
		ListMicros: q.ListMicros, RateMicrosPerHour: q.Part.RateMicrosPerHour, DiscountPPM: q.Part.DiscountPPM, FreeUntil: q.FreeUntil, CancelMicros: q.CancelMicros, Moved: q.Moved}
	out.BudgetLeft, _ = s.budgetLeft(c)
	out.BudgetAfter = out.BudgetLeft.N - q.TotalMicros
	return out
}

// refuseReserve says beside the price why there is none; what overlaps, and the nearest free time as a link that fills the
// form.
func (s *Server) refuseReserve(c *call, v *views.CalendarPage, n store.NewReservation, err error) error {
	r := v.Reserve
	var list wrong
	if errors.As(err, &list) && len(list) > 0 {
		r.Refused = words(c.t, list[0])
		return nil
	}
	e := explain(err)
	r.Refused = words(c.t, zoned(v.Format, e))
	ids, nearest := elsewhen(e)
	var over error
	if r.Overlaps, over = s.overlapping(c, ids, n.Start, n.End); over != nil {
		return over
	}
	if nearest == nil {
		return nil
	}
	zone, over := s.zone(c)
	if over != nil {
		return over
	}
	f := url.Values{"from": {nearest.Start.In(zone).Format(time.DateOnly)}, "view": {v.View}}
	for _, field := range []string{"plan", "gpu_count", "gpus", "name"} {
		if typed := r.Form.Values[field]; len(typed) > 0 {
			f[field] = typed
		}
	}
	if v.Pool != "" {
		f.Set("pool", v.Pool)
	}
	wallValues(f, "start", nearest.Start, zone)
	wallValues(f, "end", nearest.End, zone)
	r.NearestURL, r.NearestFrom, r.NearestTo = "/calendar?"+f.Encode()+"#reserve", nearest.Start, nearest.End
	return nil
}

// overlapping are the reservations in the way, as far as they are the person's business.
func (s *Server) overlapping(c *call, ids []string, from, to time.Time) ([]views.CalendarEntry, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	taken, err := s.store.Occupancy(c.Request().Context(), from, to)
	var list []views.CalendarEntry
	for _, id := range ids {
		var e *views.CalendarEntry
		for _, t := range taken {
			if t.ID != id {
				continue
			}
			if e == nil {
				list = append(list, calendarEntry(c, t))
				e = &list[len(list)-1]
				continue
			}
			e.Count++
		}
	}
	return list, err
}

// reserveForm is POST /calendar. Nothing is booked at a price that was not shown before.
func (s *Server) reserveForm(c *call) error {
	v, plans, err := s.calendarView(c)
	if err != nil {
		return err
	}
	if v.Reserve == nil {
		return notFound("plan")
	}
	v.Reserve.Form = c.typedForm(nil)
	expect, looked := strconv.ParseInt(c.text("expect"), 10, 64)
	if c.text("do") == "quote" || looked != nil {
		v.Reserve.LookFirst = c.text("do") != "quote"
		return s.showReserve(c, v, plans, nil)
	}
	n, _, err := s.wantedReservation(c, c.Request().PostForm, plans)
	var r store.Reservation
	if err == nil {
		n.Expect, n.Request = &expect, c.request()
		r, err = s.store.Reserve(c.Request().Context(), n)
		err = sentBefore(err)
	}
	if err != nil {
		if !typed(err) {
			return err
		}
		return s.showReserve(c, v, plans, err)
	}
	return s.done(c, "/reservations/"+r.ID, flash{Key: "reserved", Name: r.Name})
}

// showReserve shows the form again with its price; bad is what came of sending it. Where the price alone was asked for, that
// there is none is an answer.
func (s *Server) showReserve(c *call, v views.CalendarPage, plans []store.Plan, bad error) error {
	if err := s.quoteReserve(c, &v, plans); err != nil {
		return err
	}
	if bad == nil && v.Reserve.Quote == nil {
		n, _, err := s.wantedReservation(c, c.Request().PostForm, plans)
		if err == nil {
			_, err = s.store.QuoteReservation(c.Request().Context(), n)
		}
		bad = err
	}
	if bad == nil || c.text("do") == "quote" && explain(bad).Kind != store.Invalid {
		return s.show(c, views.Calendar(v))
	}
	v.Reserve.LookFirst = false
	v.Reserve.Form.Errors = zonedFields(c, v.Format, renamed(bad, reserveFields))
	return s.showAgain(c, bad, views.Calendar(v))
}

// zoned writes the moments that an error names as a person reads them.
func zoned(f views.Format, e *store.Error) *store.Error {
	other := *e
	other.Args = zonedArgs(f, e.Args)
	return &other
}

func zonedArgs(f views.Format, args map[string]string) map[string]string {
	args = maps.Clone(args)
	for name, text := range args {
		if at, err := time.Parse(time.RFC3339, text); err == nil {
			args[name] = f.DateTime(at) + " " + f.ZoneAbbr(at)
		}
	}
	return args
}

// zonedFields is what is wrong with which field, with moments as a person reads them.
func zonedFields(c *call, f views.Format, err error) []views.FieldError {
	var list wrong
	if errors.As(err, &list) {
		return c.fields(err)
	}
	return c.fields(zoned(f, explain(err)))
}

// reserveFields are the form's names of what the store calls otherwise.
var reserveFields = map[string]string{"plan_id": "plan", "gpu_model": "plan"}

// planCounts are the numbers of GPUs in which a plan's model is offered.
func planCounts(plans []store.Plan, of store.Plan) string {
	var counts []string
	for _, p := range plans {
		if p.GPUModel == of.GPUModel && p.Simulated == of.Simulated {
			counts = append(counts, strconv.Itoa(p.GPUCount))
		}
	}
	return strings.Join(counts, ", ")
}
