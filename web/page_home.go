package web

import (
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/views"
)

const (
	homeRecent = 5
	// endsSoon is how long before its hard end an instance needs its person.
	endsSoon = time.Hour
	// lately is how long something that went wrong is news.
	lately      = 24 * time.Hour
	budgetNeeds = 800 // per mille spent
)

func (s *Server) home(c *call) error {
	ctx := c.Request().Context()
	v := views.HomePage{Page: s.page(c)}
	person := c.who.ID
	if c.can(store.Manager) {
		person = ""
	}
	live, _, err := s.store.Instances(ctx, store.Filter{TeamID: c.team(), PersonID: person, Live: true, Limit: 100})
	if err != nil {
		return err
	}
	for _, in := range live {
		v.Running = append(v.Running, instanceRow(in))
		if in.State.Billable() {
			v.RateMicrosPerHour += in.RateMicrosPerHour
		}
	}
	ended, _, err := s.store.Instances(ctx, store.Filter{TeamID: c.team(), PersonID: person, States: []life.State{life.Stopped, life.Failed}, Limit: homeRecent})
	if err != nil {
		return err
	}
	for _, in := range ended {
		v.Recent = append(v.Recent, instanceRow(in))
	}
	now := s.now()
	y, m, d := now.In(v.Zone).Date()
	spent := store.UsageQuery{To: now, GroupBy: "team", TeamID: c.team(), PersonID: person}
	today, month := spent, spent
	today.From, month.From = time.Date(y, m, d, 0, 0, 0, 0, v.Zone), monthOf(now, v.Zone)
	cuts, err := s.store.Usages(ctx, today, month)
	if err != nil {
		return err
	}
	v.TodayMicros, v.MonthMicros = sumOf(cuts[0]), sumOf(cuts[1])
	v.BudgetLeft, v.BudgetUntil = s.budgetLeft(c)
	gpus, err := s.store.GPUs(ctx)
	if err != nil {
		return err
	}
	blocks, err := s.store.GPUBlocks(ctx)
	if err != nil {
		return err
	}
	v.TotalGPUs, v.FreeGPUs = len(gpus), len(gpus)-len(blocks)
	budgets, err := s.store.Budgets(ctx, c.team())
	if err != nil {
		return err
	}
	if v.Needs, err = s.needs(c, live, ended, gpus, budgets); err != nil {
		return err
	}
	if v.Started, err = s.started(c, len(live)+len(ended) > 0, len(budgets) > 0); err != nil {
		return err
	}
	return s.show(c, views.Home(v))
}

func sumOf(rows []store.UsageRow) (micros int64) {
	for _, r := range rows {
		micros += r.CostMicros
	}
	return micros
}

// budgetLeft is the tightest budget's rest, as pages show it.
func (s *Server) budgetLeft(c *call) (views.Value, time.Time) {
	left, found, err := s.store.BudgetLeft(c.Request().Context(), c.who.ID, c.who.TeamID)
	switch {
	case err != nil:
		return views.Unknown("not_read"), time.Time{}
	case !found:
		return views.Unknown("no_budget"), time.Time{}
	}
	return views.Known(left.LeftMicros), left.PeriodEnd
}

// needs lists what waits for the person, most pressing first.
func (s *Server) needs(c *call, live, ended []store.Instance, gpus []store.GPU, budgets []store.Budget) ([]views.Need, error) {
	var list []views.Need
	now := s.now()
	for _, b := range budgets {
		if b.StopsAt != nil {
			list = append(list, views.Need{Kind: "budget_stop", Name: b.Name, URL: "/budgets#budget-" + b.ID, At: *b.StopsAt})
			continue
		}
		if b.LimitMicros > 0 && views.Share(b.SpentMicros, b.LimitMicros) >= budgetNeeds {
			list = append(list, views.Need{Kind: "budget", Name: b.Name, URL: "/budgets", Permille: int(views.Share(b.SpentMicros, b.LimitMicros)), At: b.PeriodEnd})
		}
	}
	for _, in := range live {
		n := views.Need{Name: in.Name, URL: "/instances/" + in.ID}
		switch {
		case in.State == life.Unreachable:
			n.Kind = "unreachable"
		case in.State == life.Queued:
			n.Kind = "queued"
		case in.EndsAt != nil && in.EndsAt.Sub(now) < endsSoon:
			n.Kind, n.At = "ends", *in.EndsAt
		default:
			continue
		}
		list = append(list, n)
	}
	for _, in := range ended {
		if in.State == life.Failed && in.EndedAt != nil && now.Sub(*in.EndedAt) < lately {
			list = append(list, views.Need{Kind: "failed", Name: in.Name, URL: "/instances/" + in.ID, At: *in.EndedAt, Detail: in.ExitDetail})
		}
	}
	for i := range gpus {
		if g := &gpus[i]; c.who.Admin && g.State != store.GPUOK && g.State != store.GPUWatch {
			list = append(list, views.Need{Kind: "gpu", Name: gpuName(g), URL: "/fleet", At: g.StateSince, Detail: g.StateReason})
		}
	}
	runs, _, err := s.store.Benchmarks(c.Request().Context(), store.BenchmarkFilter{PersonID: c.who.ID, Limit: homeRecent})
	if err != nil {
		return nil, err
	}
	for _, b := range runs {
		if (b.Status == "wrong" || b.Status == "unstable") && b.EndedAt != nil && now.Sub(*b.EndedAt) < lately {
			list = append(list, views.Need{Kind: "bench", Name: b.Suite, URL: "/bench/" + b.ID, At: *b.EndedAt})
		}
	}
	return list, nil
}

// auditLook is how far back it is looked for a first terminal.
const auditLook = 500

// started says which first steps the person has done; nil once all are.
func (s *Server) started(c *call, rented, budget bool) (*views.Started, error) {
	ctx := c.Request().Context()
	v := views.Started{Rented: rented, Budget: budget}
	runs, _, err := s.store.Benchmarks(ctx, store.BenchmarkFilter{PersonID: c.who.ID, Limit: 1})
	if err != nil {
		return nil, err
	}
	tokens, err := s.store.Tokens(ctx, c.who.ID)
	if err != nil {
		return nil, err
	}
	v.Bench, v.Token = len(runs) > 0, len(tokens) > 0
	if rented {
		log, _, err := s.store.AuditLog(ctx, auditLook, "")
		if err != nil {
			return nil, err
		}
		for _, r := range log {
			v.Terminal = v.Terminal || r.PersonID == c.who.ID && r.Action == terminalOpened
		}
	}
	if v.Rented && v.Terminal && v.Bench && v.Budget && v.Token {
		return nil, nil
	}
	return &v, nil
}
