package views

import (
	"maps"
	"net/url"
	"time"

	"github.com/a-h/templ"

	"github.com/meterhouse/meterhouse/web/lang"
)

// Samples for goldens and pictures: made-up figures that add up, in a zone that is not UTC.

var berlin = func() *time.Location {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		return time.FixedZone("CET", 3600)
	}
	return zone
}()

var sampleNow = time.Date(2026, 12, 1, 10, 45, 0, 0, berlin)

func at(hour, minute, second int) time.Time {
	return time.Date(2026, 12, 1, hour, minute, second, 0, berlin)
}

func samplePage(t lang.T, path string) Page {
	return Page{
		Format: Format{T: t, Zone: berlin, Currency: "USD"}, Path: path, CSRF: "csrf-of-the-sample", Nonce: "nonce-of-the-sample",
		Person: &Person{ID: "p1", Name: "Operator", Email: "operator@example.com", Role: "admin", Team: "research"},
		Budget: &BudgetBar{Team: "research", SpentMicros: 412_600_000, LimitMicros: 900_000_000, Period: "month", Until: time.Date(2027, 1, 1, 0, 0, 0, 0, berlin)},
		Nav:    NavCounts{Inbox: 2, Instances: 3, GPUs: 8}, Now: sampleNow,
	}
}

var sampleRows = []InstanceRow{
	{ID: "i-7f3a91", Name: "bert-finetune", Status: "running", Kind: "on_demand", GPUModel: "A100-SXM4-80GB", GPUCount: 2, Node: "rack-1", Owner: "Operator", Team: "research",
		RateMicrosPerHour: 2_664_000, CostMicros: 7_427_380, CreatedAt: at(8, 12, 1), StartedAt: at(8, 12, 7), EndsAt: at(18, 0, 0)},
	{ID: "i-0b22c4", Name: "a-very-long-name-that-somebody-gave-to-an-instance-for-the-sweep", Status: "queued", Kind: "on_demand", GPUModel: "RTX 6000 Ada", GPUCount: 1, Owner: "Operator", Team: "research",
		RateMicrosPerHour: 1_900_000, CreatedAt: at(10, 40, 0), QueuePlace: 2},
	{ID: "i-51aa00", Name: "notebook", Status: "suspended", Kind: "on_demand", GPUModel: "Simulated A100", GPUCount: 1, Simulated: true, Node: "local", Owner: "Operator", Team: "research",
		RateMicrosPerHour: 100_000, CostMicros: 123_456, CreatedAt: at(9, 0, 0), StartedAt: at(9, 0, 2)},
}

var sampleEnded = []InstanceRow{
	{ID: "i-33dd10", Name: "stream-1", Status: "stopped", Kind: "on_demand", Node: "local", Owner: "Operator", Team: "research", RateMicrosPerHour: 20_000, CostMicros: 333,
		CreatedAt: at(7, 0, 0), StartedAt: at(7, 0, 1), StoppedAt: at(7, 1, 1), Bench: "b-1"},
	{ID: "i-33dd11", Name: "broken", Status: "failed", Kind: "on_demand", GPUModel: "L4", GPUCount: 1, Node: "rack-1", Owner: "Operator", Team: "research", RateMicrosPerHour: 800_000,
		CreatedAt: at(7, 0, 0), StoppedAt: at(7, 1, 1)},
}

func sampleHome(t lang.T) HomePage {
	return HomePage{Page: samplePage(t, "/"), Running: sampleRows, Recent: sampleEnded, RateMicrosPerHour: 2_764_000, TodayMicros: 7_551_169, MonthMicros: 412_600_000,
		BudgetLeft: Known(487_400_000), BudgetUntil: time.Date(2027, 1, 1, 0, 0, 0, 0, berlin), FreeGPUs: 5, TotalGPUs: 8,
		Needs: []Need{
			{Kind: "ends", Name: "bert-finetune", URL: "/instances/i-7f3a91", At: at(18, 0, 0)},
			{Kind: "budget", Name: "research", URL: "/budgets", Permille: 458},
			{Kind: "failed", Name: "broken", URL: "/instances/i-33dd11", Detail: "python: can't open file 'train.py'"},
		},
		Started: &Started{Rented: true, Terminal: true}}
}

func sampleEmptyHome(t lang.T) HomePage {
	p := samplePage(t, "/")
	p.Budget, p.Nav, p.SimulatedOnly = nil, NavCounts{GPUs: 4}, true
	p.Flash = &Flash{Kind: "done", Text: t.SetupDone()}
	return HomePage{Page: p, BudgetLeft: Unknown("no_budget"), FreeGPUs: 4, TotalGPUs: 4, Started: &Started{}}
}

func sampleRent(t lang.T) RentPage {
	return RentPage{Page: samplePage(t, "/rent"), Offers: []Offer{
		{Plan: "a100", Model: "A100-SXM4-80GB", MemoryBytes: 80 << 30, CPUs: 16, RAMBytes: 128 << 30, Free: 2, Total: 4, HardEnd: at(18, 0, 0), OnDemandMicros: 4_160_000,
			SpotMicros: Unknown("not_offered"), FP32: Known(19_050), Stream: Known(1_790_000), BenchURL: "/bench/b-1"},
		{Plan: "l4", Model: "L4", MemoryBytes: 24 << 30, CPUs: 4, RAMBytes: 16 << 30, Free: 4, Total: 4, OnDemandMicros: 800_000, FullMicros: 1_000_000, DiscountPPM: 200_000,
			SpotMicros: Unknown("not_offered"), FP32: Unknown("not_measured"), Stream: Unknown("not_measured")},
		{Plan: "rtx", Model: "RTX 6000 Ada", MemoryBytes: 48 << 30, CPUs: 8, RAMBytes: 64 << 30, Total: 2, FreeAbout: at(14, 20, 0), OnDemandMicros: 1_900_000,
			SpotMicros: Unknown("not_offered"), FP32: Known(61_000), Stream: Known(870_000), Blocked: []Blocked{{Reason: "quarantined", Count: 1, Detail: "9.9 GiB"}}},
		{Plan: "sim", Model: "Simulated A100", Simulated: true, MemoryBytes: 80 << 30, CPUs: 1, RAMBytes: 2 << 30, Free: 2, Total: 2, OnDemandMicros: 100_000,
			SpotMicros: Unknown("not_offered"), FP32: Unknown("simulated"), Stream: Unknown("simulated")},
		{Plan: "cpu", CPUs: 1, RAMBytes: 2 << 30, Free: 2, Total: 2, OnDemandMicros: 20_000, SpotMicros: Unknown("not_offered"), FP32: Unknown("not_measured"), Stream: Unknown("not_measured")},
	}}
}

func sampleRentNew(t lang.T) RentNewPage {
	v := RentNewPage{Page: samplePage(t, "/rent/new?plan=a100"),
		Plans: []PlanOption{
			{Plan: "a100", Model: "A100-SXM4-80GB", Free: 2, MaxGPUs: 4, OnDemandMicros: 4_160_000, CPUs: 16},
			{Plan: "sim", Model: "Simulated A100", Simulated: true, Free: 2, MaxGPUs: 2, OnDemandMicros: 100_000, CPUs: 1},
		},
		Images: []Option{{Value: "", Label: t.ImageThisMachine()}},
		Quote: &Quote{RateMicrosPerHour: 8_320_000, GPUCount: 2, HardEnd: at(18, 0, 0), HardEndWhy: "hours", TotalMicros: Known(60_320_000),
			BudgetLeft: Known(487_400_000), BudgetRunsOut: sampleNow.Add(44 * time.Hour), Starts: "now"}}
	v.Form.Values = url.Values{"plan": {"a100"}, "gpu_count": {"2"}, "hours": {"7.25"}, "idempotency_key": {"k-1"}, "labels": {"project=bert"}}
	return v
}

func sampleRentWrong(t lang.T) RentNewPage {
	v := sampleRentNew(t)
	v.Quote = nil
	v.Form.Values.Set("hours", "-3")
	v.Form.Values.Set("name", "Ünglück <b>")
	v.Form.Errors = []FieldError{{"name", t.Error("name_wrong", nil)}, {"hours", t.Error("wrong_hours", nil)}, {"", t.Error("no_capacity", map[string]string{"plan": "a100"})}}
	return v
}

func sampleProblem(t lang.T, status int) ProblemPage {
	v := ProblemPage{Page: samplePage(t, "/x"), Status: status, ID: "q-8f3a21"}
	if status == 429 {
		v.RetryAfter = 72 * time.Second
	}
	if status == 404 {
		v.Person = nil
	}
	return v
}

// pages are all samples by the name of their golden.
func pages(t lang.T) map[string]templ.Component {
	bare := samplePage(t, "/login")
	bare.Person, bare.Budget = nil, nil
	all := map[string]templ.Component{
		"setup":         Setup(SetupPage{Page: bare, Zones: []string{"Europe/Berlin", "Asia/Shanghai"}, Form: Form{Values: url.Values{"zone": {"Europe/Berlin"}, "currency": {"USD"}}}}),
		"login":         Login(LoginPage{Page: bare, Form: Form{Values: url.Values{"email": {"operator@example.com"}, "next": {"/rent"}}, Errors: []FieldError{{"email", t.LoginWrong()}}}}),
		"home":          Home(sampleHome(t)),
		"home-empty":    Home(sampleEmptyHome(t)),
		"rent":          Rent(sampleRent(t)),
		"rent-new":      RentNew(sampleRentNew(t)),
		"rent-wrong":    RentNew(sampleRentWrong(t)),
		"instances":     Instances(InstancesPage{Page: samplePage(t, "/instances"), Counts: map[string]int{"": 42, "live": 3}, Rows: append(append([]InstanceRow{}, sampleRows...), sampleEnded...), Next: "c2"}),
		"instance":      Instance(sampleInstance(t)),
		"instance-over": Instance(sampleOver(t)),
		"instance-new":  Instance(sampleStarting(t)),
		"fleet":         Fleet(sampleFleet(t)),
		"nodes":         Nodes(sampleNodes(t)),
		"node":          Node(sampleNode(t)),
		"node-read":     Node(sampleNodeRead(t)),
		"spot":          Spot(sampleSpot(t)),
		"reclaimed":     Instance(sampleReclaimed(t)),
		"idle":          Instance(sampleIdle(t)),
		"waste":         Waste(sampleWaste(t)),
		"waste-empty":   Waste(WastePage{Page: samplePage(t, "/costs/waste"), Days: 7, Group: "instance"}),
		"admin-idle":    Idle(sampleIdleAdmin(t)),
		"keep":          Keep(sampleKeep(t, false)),
		"keep-done":     Keep(sampleKeep(t, true)),
		"queue":         Queue(sampleQueue(t)),
		"queue-weights": Queue(sampleQueueWeights(t)),
		"bench":         Bench(sampleBench(t)),
		"bench-run":     BenchRun(sampleRun(t)),
		"costs":         Costs(sampleCosts(t)),
		"budgets":       Budgets(sampleBudgets(t)),
		"quotas":        Quotas(sampleQuotas(t)),
		"inbox":         Inbox(sampleInbox(t)),
		"images":        Images(sampleImages(t)),
		"images-empty":  Images(sampleImagesEmpty(t)),
		"templates":     Templates(sampleTemplates(t)),
		"settings":      Settings(sampleSettings(t)),
		"settings-ask":  Settings(sampleSettingsAsk(t)),
	}
	for status, name := range map[int]string{403: "403", 404: "404", 409: "409", 422: "422", 429: "429", 500: "500"} {
		all["problem-"+name] = Problem(sampleProblem(t, status))
	}
	maps.Copy(all, bookPages(t))
	maps.Copy(all, calendarSamples(t))
	maps.Copy(all, mailSamples(t))
	for name, m := range mails(t) {
		all["mail-"+name] = m.HTML()
	}
	return all
}
