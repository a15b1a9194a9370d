package views

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/web/lang"
)

func sampleInstance(t lang.T) InstancePage {
	return InstancePage{Page: samplePage(t, "/instances/i-7f3a91"), InstanceRow: sampleRows[0], EndsWhy: "hours", Image: "", Command: "torchrun --nproc-per-node=2 train.py",
		Labels: []string{"project=bert", "run=7"}, CPUs: 32, RAMBytes: 256 << 30, DiskBytes: 200 << 30,
		GPUs: []InstanceGPU{
			{UUID: "GPU-3f0c", Name: "GPU 0", Model: "A100-SXM4-80GB", Utilization: Known(970), MemoryUsed: Known(65_712_000_000), MemoryTotal: Known(80 << 30), Power: Known(352_000), PowerLimit: Known(400_000), ReadAt: at(10, 44, 58)},
			{UUID: "GPU-91be", Name: "GPU 1", Model: "A100-SXM4-80GB", Utilization: Known(740), MemoryUsed: Known(62_300_000_000), MemoryTotal: Known(80 << 30), Power: Unknown("no_permission"), ReadAt: at(10, 44, 58)},
		},
		BudgetLeft: Known(487_400_000), BudgetUntil: time.Date(2027, 1, 1, 0, 0, 0, 0, berlin),
		Bill: Bill{Open: true, TotalMicros: 7_427_380, Lines: []BillLine{
			{State: "starting", From: at(8, 12, 1), To: at(8, 12, 7), Seconds: 6},
			{State: "running", From: at(8, 12, 7), To: at(9, 24, 11), Seconds: 4324, RateMicrosPerHour: 2_664_000, AmountMicros: 3_199_760, Billed: true},
			{State: "suspended", From: at(9, 24, 11), To: at(9, 33, 41), Seconds: 570, RateMicrosPerHour: 2_664_000, AmountMicros: 421_800, Billed: true},
			{State: "running", From: at(9, 33, 41), Seconds: 5143, RateMicrosPerHour: 2_664_000, AmountMicros: 3_805_820, Billed: true},
		}},
		Events: []Event{
			{At: at(10, 2, 0), Kind: "extended", Actor: "Operator", You: true, Args: map[string]string{"until": "2026-12-01T17:00:00Z"}},
			{At: at(9, 33, 41), Kind: "resumed", Actor: "Operator", You: true},
			{At: at(9, 24, 11), Kind: "suspended", Actor: "Operator", You: true},
			{At: at(8, 12, 7), Kind: "running"},
			{At: at(8, 12, 1).AddDate(0, 0, -1), Kind: "rented", Actor: "Operator"},
		},
		Log:     "step 1840  loss 1.213  2,914 tokens/s\ncheckpoint saved\n",
		LogCut:  true,
		Limits:  []Limit{{Name: "cpu", Enforced: true, Detail: "cgroup v2"}, {Name: "disk", Detail: "no project quota on this disk"}},
		BaseURL: "http://127.0.0.1:8080", CanStop: true, CanSuspend: true, CanExtend: true, CanTerminal: true, Port: 8888, CanPort: true}
}

func sampleOver(t lang.T) InstancePage {
	v := sampleInstance(t)
	v.InstanceRow = sampleRows[0]
	v.Status, v.StoppedAt, v.Reason = "stopped", at(10, 59, 24), t.MailStoppedWhy("hours", "", "")
	v.Bill.Open, v.CanStop, v.CanSuspend, v.CanExtend, v.CanTerminal, v.CanPort, v.GPUs = false, false, false, false, false, false, nil
	return v
}

func sampleStarting(t lang.T) InstancePage {
	v := sampleInstance(t)
	v.InstanceRow = sampleRows[1]
	v.Step, v.Bill, v.Events, v.Log, v.LogCut, v.GPUs = "queued", Bill{}, v.Events[3:], "", false, nil
	v.CanSuspend, v.CanExtend, v.CanTerminal, v.Ask, v.Labels = false, false, false, "stop", nil
	v.Port = 0
	v.BudgetLeft = Unknown("no_budget")
	line := sampleQueueLine()
	line.Rows = line.Rows[:3]
	v.Queue = &line
	return v
}

func sampleFleet(t lang.T) FleetPage {
	v := FleetPage{Page: samplePage(t, "/fleet"), Expected: 6, Present: 5, Nodes: []FleetNode{{ID: "n-1", Name: "rack-1", Driver: "570.86.15", CPUs: 64, RAMBytes: 512 << 30, State: "up", Service: "open"}, {ID: "n-2", Name: "local", CPUs: 2, RAMBytes: 8 << 30, State: "up", Service: "draining"}}}
	v.SimulatedOnly = true
	for i, state := range []string{"rented", "free", "drain", "quarantined", "lost", "fenced"} {
		g := FleetTile{UUID: "GPU-" + strconv.Itoa(i), Name: "GPU " + strconv.Itoa(i), Model: "A100-SXM4-80GB", Node: "rack-1", State: state, MemoryTotal: Known(80 << 30),
			MemoryUsed: Known(int64(i+1) << 33), Utilization: Known(int64(970 - i*190)), Temperature: Known(64), Power: Known(352_000), PowerLimit: Known(400_000), ReadAt: at(10, 44, 58), Simulated: i > 3}
		switch state {
		case "rented":
			g.InstanceID, g.InstanceName, g.Owner, g.Team = "i-7f3a91", "bert-finetune", "Operator", "research"
		case "quarantined":
			g.Detail = "9.9 GiB, PID 4711"
		case "lost":
			g.Utilization, g.MemoryUsed, g.Temperature, g.Power, g.ReadAt = Unknown("lost"), Unknown("lost"), Unknown("lost"), Unknown("lost"), time.Time{}
		}
		v.Tiles = append(v.Tiles, g)
	}
	return v
}

func sampleBench(t lang.T) BenchPage {
	head := BenchResult{Test: "triad", Unit: "GB/s", Median: 11.84}
	return BenchPage{Page: samplePage(t, "/bench"), Suites: []string{"stream", "matmul"}, Backends: []string{"cpu"}, Targets: []Option{{Value: "", Label: t.BenchTargetCPU()}},
		Form: Form{Values: url.Values{"suite": {"stream"}, "backend": {"cpu"}, "idempotency_key": {"k-2"}}},
		Rows: []BenchRow{
			{ID: "b-2", Suite: "matmul", Backend: "cpu", Target: "CPU", Status: "running", Owner: "Operator", CreatedAt: at(10, 40, 0), Seconds: 300},
			{ID: "b-1", Suite: "stream", Backend: "cpu", Target: "CPU", Status: "done", Headline: &head, Owner: "Operator", CreatedAt: at(7, 0, 0), Seconds: 58},
			{ID: "b-0", Suite: "stream", Backend: "cpu", Target: "CPU", Status: "unstable", Headline: &head, Owner: "Operator", CreatedAt: at(6, 0, 0), Seconds: 61},
		}, Next: "c2"}
}

func sampleRun(t lang.T) BenchRunPage {
	v := BenchRunPage{Page: samplePage(t, "/bench/b-1"), InstanceID: "i-33dd10", Size: "67,108,864", Seed: "1", MaxSeconds: 120, CostMicros: 333, ProgressDone: 4, ProgressAll: 4}
	v.BenchRow = BenchRow{ID: "b-1", Suite: "stream", Backend: "cpu", Target: "CPU", Status: "unstable", Owner: "Operator", CreatedAt: at(7, 0, 0), Seconds: 58, Headline: &BenchResult{Test: "triad", Unit: "GB/s", Median: 11.84, N: 24}}
	v.Detail = "scale: CV 4.1 %"
	for i, test := range []string{"copy", "scale", "add", "triad"} {
		x := 10.2 + float64(i)*0.6
		r := BenchResult{Test: test, Unit: "GB/s", Median: x, P5: x - 0.11, P95: x + 0.09, CV: 0.006, N: 24, Stable: test != "scale", PeakPermille: Unknown("no_peak")}
		if !r.Stable {
			r.CV, r.Why = 0.041, "CV 4.1 %"
		}
		h := BenchHistory{Test: test, Unit: "GB/s"}
		for day := range 9 {
			h.Points = append(h.Points, BenchPoint{RunID: "b-" + strconv.Itoa(day), At: at(7, 0, 0).AddDate(0, 0, day-8), Median: x + float64(day*day%5)*0.2 - 0.4, Stable: day%4 != 1, Current: day == 8})
		}
		v.Results, v.History = append(v.Results, r), append(v.History, h)
	}
	v.Environment = []Fact{{"cpu_model", "Example CPU @ 2.4 GHz"}, {"cores", "2"}, {"kernel", "6.1.0"}, {"something_new", "1"}}
	return v
}

func sampleCosts(t lang.T) CostsPage {
	v := CostsPage{Page: samplePage(t, "/costs?month=2026-11"), From: time.Date(2026, 11, 1, 0, 0, 0, 0, berlin), To: time.Date(2026, 12, 1, 0, 0, 0, 0, berlin), Month: "2026-11", Previous: "2026-10", NextMonth: "2026-12", Group: "label", Whose: "research"}
	for day := range 30 {
		d := CostDay{Day: time.Date(2026, 11, day+1, 0, 0, 0, 0, berlin), Micros: int64(day*7919%13) * 2_100_001, Future: day > 27}
		if !d.Future {
			v.TotalMicros += d.Micros
		}
		v.Days = append(v.Days, d)
	}
	v.LedgerMicros, v.LastMicros = v.TotalMicros, 300_000_000
	for month := range 12 {
		m := CostMonth{Month: time.Date(2025, time.Month(12+month), 1, 0, 0, 0, 0, berlin), Micros: int64(month*month%7) * 60_000_000, Current: month == 11}
		if m.Current {
			m.Micros = v.TotalMicros
		}
		v.Months = append(v.Months, m)
	}
	v.Rows = []CostRow{
		{Name: "project=bert", GPUSeconds: 401_220, Micros: v.TotalMicros - 40_000_123, LastMicros: 250_000_000, URL: "/instances?q=bert"},
		{Name: "", GPUSeconds: 3_600, Micros: 40_000_000, LastMicros: 50_000_000},
		{Name: "project=notebook", GPUSeconds: 60, Micros: 123, Simulated: true},
	}
	return v
}

func sampleBudgets(t lang.T) BudgetsPage {
	from, to := time.Date(2026, 12, 1, 0, 0, 0, 0, berlin), time.Date(2027, 1, 1, 0, 0, 0, 0, berlin)
	marks := []Threshold{{Percent: 50}, {Percent: 80, Mail: true}, {Percent: 100, Mail: true}, {Percent: 120, Mail: true}}
	fired := []Threshold{{Percent: 50, Fired: at(9, 0, 0)}, {Percent: 80, Mail: true, Fired: at(10, 30, 0)}, {Percent: 100, Mail: true}}
	return BudgetsPage{Page: samplePage(t, "/budgets"), CanEdit: true, Scopes: []Option{{Value: "team:1", Label: "research"}}, Actions: []string{"notify", "spot_only", "block", "stop"}, Periods: []string{"day", "week", "month", "quarter", "rolling"},
		Form: Form{Values: url.Values{"period": {"month"}, "thresholds": {"50, 80, 100, 120"}, "forecasts": {"100"}, "action": {"notify"}}},
		Rows: []BudgetRow{
			{ID: "1", Name: "research", Scope: "team", ScopeName: "research", Period: "month", From: from, To: to, LimitMicros: 900_000_000, SpentMicros: 412_600_000, Forecast: Unknown("no_history"), Thresholds: marks, Action: "notify", CanEdit: true},
			{ID: "2", Name: "bert", Scope: "label", ScopeName: "project=bert", Period: "week", From: from, To: to, LimitMicros: 100_000_000, SpentMicros: 84_210_000, Forecast: Known(131_000_000), Thresholds: fired, Forecasts: []Threshold{{Percent: 100, Mail: true, Fired: at(9, 0, 0)}}, Action: "block", CanEdit: true},
			{ID: "3", Name: "tests", Scope: "member", ScopeName: "Operator", Period: "day", From: from, To: to, LimitMicros: 1_000_000, SpentMicros: 1_210_000, Forecast: Unknown("no_history"), Thresholds: fired, Action: "spot_only", InForce: true, CanEdit: true},
			{ID: "4", Name: "lab", Scope: "team", ScopeName: "research", Period: "rolling", RollingDays: 30, From: from, To: to, LimitMicros: 1_000_000, SpentMicros: 1_210_000, Forecast: Known(1_300_000), Thresholds: fired, Action: "stop", InForce: true, StopsAt: at(10, 59, 30), CanEdit: true},
		},
		Fired: []FiredRow{{At: at(10, 30, 0), Budget: "bert", Percent: 80, SpentMicros: 80_000_123, LimitMicros: 100_000_000, Mail: "sent"}, {At: at(9, 30, 0), Budget: "bert", Percent: 100, Forecast: true, SpentMicros: 131_000_000, LimitMicros: 100_000_000}, {At: at(9, 0, 0), Budget: "bert", Percent: 50, SpentMicros: 50_000_000, LimitMicros: 100_000_000}}}
}

func sampleSettings(t lang.T) SettingsPage {
	v := SettingsPage{Page: samplePage(t, "/settings"), Language: t.Code(), NewToken: "mh_" + strings.Repeat("3f9c2ab1", 5), BaseURL: "http://127.0.0.1:8080", HasPassword: true}
	v.ProfileForm.Values = url.Values{"name": {"Operator"}, "email": {"operator@example.com"}}
	v.Keys = []SSHKey{{ID: "k1", Name: "laptop", Fingerprint: "SHA256:uNiVztksCsDhcc0u9e8BrUXhUqCXVKqhxxxxxxxxxxx", AddedAt: at(8, 0, 0)}}
	v.Tokens = []Token{{ID: "t1", Name: "ci", CreatedAt: at(8, 0, 0), UsedAt: at(10, 40, 0)}, {ID: "t2", Name: "new", CreatedAt: at(10, 0, 0)}}
	v.Mail, v.SiteMail = []MailWish{{"budgets", true}, {"instances", false}, {"reservations", true}, {"faults", true}, {"quotas", true}}, true
	v.Sessions = []Session{{ID: "s1", Agent: "Chromium, Linux", Address: "127.0.0.1", SeenAt: at(10, 44, 0), Current: true}, {ID: "s2", Agent: "Safari, iOS", Address: "192.0.2.7", SeenAt: at(9, 0, 0)}}
	return v
}

// sampleSettingsAsk is the question before a token is revoked, to somebody who has no password.
func sampleSettingsAsk(t lang.T) SettingsPage {
	v := sampleSettings(t)
	v.HasPassword, v.NewToken, v.Ask = false, "", &SettingsAsk{Kind: "tokens", ID: "t1", Name: "ci"}
	return v
}

func mails(t lang.T) map[string]Letter {
	base := MailBase{Format: Format{T: t, Zone: berlin, Currency: "USD"}, To: "Operator", Site: "https://gpu.example.com", Unsubscribe: "https://gpu.example.com/u/1", Now: sampleNow}
	budget := BudgetMail{MailBase: base, Budget: "bert", Team: "research", Percent: 80, SpentMicros: 80_000_123, LimitMicros: 100_000_000, PeriodEnd: time.Date(2027, 1, 1, 0, 0, 0, 0, berlin), Action: "block", BudgetID: "2"}
	reached := budget
	reached.Percent, reached.SpentMicros = 100, 100_000_456
	invitation := InvitationMail{MailBase: base, Team: "research", By: "Operator", Link: "https://gpu.example.com/login?code=abc", Expires: sampleNow.Add(24 * time.Hour), New: true}
	signIn := invitation
	signIn.New = false
	return map[string]Letter{
		"budget": budget.Letter(), "budget-reached": reached.Letter(), "invitation": invitation.Letter(), "sign-in": signIn.Letter(),
		"stopped": StoppedMail{MailBase: base, Instance: "bert-finetune", InstanceID: "i-7f3a91", Reason: "hours", StartedAt: at(8, 12, 7), StoppedAt: at(18, 0, 0), Seconds: 35273, CostMicros: 26_102_020}.Letter(),
	}
}
