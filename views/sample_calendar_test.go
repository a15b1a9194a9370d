package views

import (
	"net/url"
	"time"

	"github.com/a-h/templ"

	"github.com/meterhouse/meterhouse/web/lang"
)

// calendarSamples are the pages of the calendar and of reservations.
func calendarSamples(t lang.T) map[string]templ.Component {
	asked := sampleReservation(t)
	asked.Ask, asked.CancelMicros = true, 29_952_000
	running := sampleReservation(t)
	running.State, running.CanUse, running.ClaimedAt, running.Utilization, running.Coverage = "running", true, at(9, 0, 0), Known(750), Known(612)
	running.Used, running.Reserved, running.CostMicros, running.Extend.Refused = 3*time.Hour, 4*time.Hour, 9_984_000, ""
	running.Instances = []InstanceRow{sampleRows[0]}
	return map[string]templ.Component{
		"calendar": Calendar(sampleCalendar(t)), "calendar-month": Calendar(sampleMonth(t)), "calendar-conflict": Calendar(sampleConflict(t)),
		"reservation": Reservation(running), "reservation-ask": Reservation(asked),
	}
}

func sampleCalendar(t lang.T) CalendarPage {
	monday := time.Date(2026, 11, 30, 0, 0, 0, 0, berlin)
	v := CalendarPage{Page: samplePage(t, "/calendar"), View: "week", Pools: []Option{{Label: t.CalendarAllPools()}, {Value: "a100", Label: "A100-SXM4-80GB"}, {Value: "l4", Label: "L4"}},
		From: monday, To: monday.AddDate(0, 0, 7), Prev: "/calendar?from=2026-11-23&view=week", This: "/calendar?view=week", Next: "/calendar?from=2026-12-07&view=week"}
	for k := range 7 {
		v.Days = append(v.Days, monday.AddDate(0, 0, k))
	}
	thursday := time.Date(2026, 12, 3, 0, 0, 0, 0, berlin)
	mine := CalendarSpan{From: thursday, To: thursday.AddDate(0, 0, 2), Kind: "reserved", Name: "vision", URL: "/reservations/r-1"}
	runs := CalendarSpan{From: at(8, 12, 7), To: thursday, Kind: "on_demand", Name: "bert-finetune", URL: "/instances/i-7f3a91"}
	v.Groups = []CalendarGroup{
		{Model: "A100-SXM4-80GB", Node: "rack-1", Plan: "a100-x1", Free: []CalendarSpan{{From: at(8, 12, 7), To: thursday.AddDate(0, 0, 2), Kind: "free", Free: 0, Of: 2}},
			Lanes: []CalendarLane{{UUID: "GPU-0", Name: "GPU 0", Spans: []CalendarSpan{runs, mine}}, {UUID: "GPU-1", Name: "GPU 1", Spans: []CalendarSpan{{From: at(8, 0, 0), To: v.To, Kind: "spot", On: true}}}}},
		{Model: "L4", Node: "local", Simulated: true, Plan: "l4-x1", Lanes: []CalendarLane{{UUID: "GPU-2", Name: "GPU 2", Spans: []CalendarSpan{{From: at(7, 0, 0), To: at(8, 0, 0), Kind: "out", Detail: "quarantined"}}}}},
	}
	v.Listed = []CalendarDay{
		{Day: time.Date(2026, 12, 1, 0, 0, 0, 0, berlin), Entries: []CalendarEntry{{From: at(8, 0, 0), Kind: "spot", Count: 1, Model: "A100-SXM4-80GB"},
			{From: at(8, 12, 7), To: thursday, Kind: "on_demand", Name: "bert-finetune", URL: "/instances/i-7f3a91", Team: "research", Count: 1, Model: "A100-SXM4-80GB", Because: "reservation"}}},
		{Day: thursday, Entries: []CalendarEntry{{From: mine.From, To: mine.To, Kind: "reserved", Name: "vision", URL: mine.URL, Team: "research", Count: 1, Model: "A100-SXM4-80GB"}}},
	}
	v.Feeds = []Feed{{ID: "f-1", CreatedAt: at(8, 0, 0), UsedAt: at(10, 40, 0)}, {ID: "f-2", CreatedAt: at(9, 0, 0)}}
	v.NewFeed = "https://gpu.example.com/calendar.ics?key=mhc_3f9c2ab1"
	v.Reserve = &ReserveForm{Plans: v.Pools[1:], GPUs: []CalendarGPU{{"GPU-0", "GPU 0", "A100-SXM4-80GB · rack-1"}, {"GPU-2", "GPU 2", "L4 · local"}},
		Form:  Form{Values: url.Values{"plan": {"a100"}, "gpu_count": {"2"}, "start": {"2026-12-07T09:00"}, "end": {"2026-12-14T09:00"}}},
		Quote: sampleQuote()}
	return v
}

func sampleQuote() *ReserveQuote {
	start := time.Date(2026, 12, 7, 9, 0, 0, 0, berlin)
	return &ReserveQuote{Start: start, End: start.AddDate(0, 0, 7), GPUCount: 2, Model: "A100-SXM4-80GB", TotalMicros: 1_118_208_000, ListMicros: 1_397_760_000, RateMicrosPerHour: 6_656_000,
		DiscountPPM: 200_000, FreeUntil: start.AddDate(0, 0, -1), CancelMicros: 79_872_000, BudgetLeft: Known(487_400_000), BudgetAfter: 487_400_000 - 1_118_208_000}
}

func sampleMonth(t lang.T) CalendarPage {
	v := sampleCalendar(t)
	v.View, v.From, v.To, v.Days, v.NewFeed, v.Feeds, v.Listed, v.Reserve = "month", time.Date(2026, 10, 1, 0, 0, 0, 0, berlin), time.Date(2026, 11, 1, 0, 0, 0, 0, berlin), nil, "", nil, nil, nil
	for k := range 31 {
		v.Days = append(v.Days, v.From.AddDate(0, 0, k))
	}
	for k := range v.Groups {
		v.Groups[k].Free = nil
		for l := range v.Groups[k].Lanes {
			v.Groups[k].Lanes[l].Spans = nil
		}
	}
	return v
}

func sampleConflict(t lang.T) CalendarPage {
	v := sampleCalendar(t)
	v.NewFeed = ""
	r := v.Reserve
	r.Quote, r.Refused, r.Overlaps = nil, "The GPUs are not free in this time.", v.Listed[1].Entries
	if t.Code() == "zh" {
		r.Refused = "该时段内 GPU 不空闲。"
	}
	r.Form.Values = url.Values{"plan": {"a100"}, "gpu_count": {"2"}, "start": {"2026-10-25T02:30"}, "end": {"2026-10-25T06:00"}}
	r.Form.Errors = []FieldError{{"start_which", t.HourTwice()}}
	r.Times = FormTimes{StartTwice: []Option{{Label: t.ChooseOne()}, {Value: "1", Label: t.FirstOfTwo("CEST +02:00")}, {Value: "2", Label: t.SecondOfTwo("CET +01:00")}}, EndMoved: true}
	r.NearestURL, r.NearestFrom, r.NearestTo = "/calendar?start=2026-12-05T00%3A00#reserve", time.Date(2026, 12, 5, 0, 0, 0, 0, berlin), time.Date(2026, 12, 5, 4, 0, 0, 0, berlin)
	return v
}

func sampleReservation(t lang.T) ReservationPage {
	start := at(9, 0, 0)
	quote := sampleQuote()
	return ReservationPage{Page: samplePage(t, "/reservations/r-1"), ID: "r-1", Name: "vision", State: "booked", Team: "research", Owner: "Operator", Model: "A100-SXM4-80GB", Count: 1,
		GPUs: []string{"GPU 0"}, Node: "rack-1", Start: start, End: start.AddDate(0, 0, 2), TotalMicros: 113_817_600, CostMicros: 0, Utilization: Unknown("not_begun"), Coverage: Unknown("nothing_used"),
		Parts: []ReservationPart{{From: start, To: start.AddDate(0, 0, 1), ListMicrosPerHour: 2_496_000, RateMicrosPerHour: 2_371_200, DiscountPPM: 50_000, AmountMicros: 56_908_800},
			{From: start.AddDate(0, 0, 1), To: start.AddDate(0, 0, 2), ListMicrosPerHour: 2_496_000, RateMicrosPerHour: 2_371_200, DiscountPPM: 50_000, AmountMicros: 56_908_800}},
		BreakEven: 45*time.Hour + 36*time.Minute, ListMicrosPerHour: 2_496_000, CanEnd: true,
		Extend: &ExtendForm{Form: Form{Values: url.Values{"end": {"2026-12-03T09:00"}}}, Quote: quote, LookFirst: true}}
}
