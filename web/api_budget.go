package web

import (
	"time"

	"github.com/meterhouse/meterhouse/store"
)

// Budgets is a list of them.
type Budgets struct {
	Budgets    []Budget `json:"budgets"`
	NextCursor string   `json:"next_cursor"`
}

// Budget is a limit on what is spent in a period.
type Budget struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Scope       string    `json:"scope"`
	TeamID      string    `json:"team_id"`
	Team        string    `json:"team"`
	PersonID    string    `json:"person_id"`
	Person      string    `json:"person"`
	Label       string    `json:"label"`
	Period      string    `json:"period"`
	PeriodStart time.Time `json:"period_start"`
	PeriodEnd   time.Time `json:"period_end"`
	RollingDays int       `json:"rolling_days"` // of a rolling period, else 0
	LimitMicros int64     `json:"limit_micros"`
	SpentMicros int64     `json:"spent_micros"`
	Thresholds  []int     `json:"thresholds"`
	Forecasts   []int     `json:"forecasts"` // thresholds of what is expected
	Action      string    `json:"action"`    // at the limit: notify, spot_only, block or stop
	Emails      []string  `json:"emails"`
	Version     int       `json:"version"`
	Fired       []Fire    `json:"fired"`

	ForecastMicros *int64     `json:"forecast_micros"` // expected at the period's end; null: too little is known
	ForecastFired  []Fire     `json:"forecast_fired"`
	StopsAt        *time.Time `json:"stops_at"` // what runs is stopped then; null: nothing is
}

// Fire is a threshold that was crossed in this period.
type Fire struct {
	Threshold   int       `json:"threshold"`
	At          time.Time `json:"at"`
	SpentMicros int64     `json:"spent_micros"`
}

// BudgetBody is what POST and PUT take. Scope team is the person's own where team_id is left out.
type BudgetBody struct {
	Name           string   `json:"name"`
	Scope          string   `json:"scope"`
	TeamID         string   `json:"team_id"`
	PersonID       string   `json:"person_id"`
	Label          string   `json:"label"`
	Period         string   `json:"period"`
	RollingDays    int      `json:"rolling_days"`
	LimitMicros    int64    `json:"limit_micros"`
	Thresholds     []int    `json:"thresholds"`
	Forecasts      []int    `json:"forecasts"`
	Action         string   `json:"action"`
	Emails         []string `json:"emails"`
	IdempotencyKey string   `json:"idempotency_key"`
}

func budgetOut(b store.Budget) Budget {
	return Budget{
		ID: b.ID, Name: b.Name, Scope: b.Scope, TeamID: b.TeamID, Team: b.TeamName, PersonID: b.PersonID, Person: b.PersonName, Label: b.Label,
		Period: b.Period, PeriodStart: b.PeriodStart, PeriodEnd: b.PeriodEnd, LimitMicros: b.LimitMicros, SpentMicros: b.SpentMicros,
		RollingDays: b.RollingDays, Thresholds: append([]int{}, b.Thresholds...), Forecasts: append([]int{}, b.Forecasts...), Action: b.Action, Emails: append([]string{}, b.Emails...),
		Version: b.Version, Fired: firesOut(b.Fired), ForecastMicros: b.ForecastMicros, ForecastFired: firesOut(b.ForecastFired), StopsAt: b.StopsAt,
	}
}

func firesOut(fired []store.Fire) []Fire {
	out := make([]Fire, 0, len(fired))
	for _, f := range fired {
		out = append(out, Fire{Threshold: f.Threshold, At: f.At, SpentMicros: f.SpentMicros})
	}
	return out
}

// budget loads a budget that the person may see.
func (s *Server) budget(c *call, id string) (store.Budget, error) {
	if !plainID(id) {
		return store.Budget{}, notFound("budget")
	}
	b, err := s.store.Budget(c.Request().Context(), id)
	if err == nil && !c.sees(b.TeamID) {
		err = notFound("budget")
	}
	if err != nil {
		return store.Budget{}, err
	}
	return b, nil
}

func (s *Server) listBudgets(c *call) error {
	list, err := s.store.Budgets(c.Request().Context(), c.team())
	if err != nil {
		return err
	}
	out := Budgets{Budgets: make([]Budget, 0, len(list))}
	for _, b := range list {
		out.Budgets = append(out.Budgets, budgetOut(b))
	}
	return ok(c, out)
}

// checked is the budget that a body asks for, in the person's own team unless they are an admin.
func (b *BudgetBody) checked(c *call) (store.NewBudget, error) {
	n := store.NewBudget{Name: b.Name, Scope: b.Scope, TeamID: b.TeamID, PersonID: b.PersonID, Label: b.Label, Period: b.Period, RollingDays: b.RollingDays,
		LimitMicros: b.LimitMicros, Thresholds: b.Thresholds, Forecasts: b.Forecasts, Action: b.Action, Emails: b.Emails}
	if n.TeamID == "" {
		n.TeamID = c.who.TeamID
	}
	if !plainID(n.TeamID) || !c.sees(n.TeamID) {
		return n, invalid("team_id", "team_not_found")
	}
	return n, nil
}

// budgetBodyFields are the body's names of what the store calls otherwise.
var budgetBodyFields = map[string]string{"limit": "limit_micros", "team": "team_id", "person": "person_id"}

func (s *Server) createBudget(c *call) error {
	var body BudgetBody
	if err := decode(c, &body); err != nil {
		return err
	}
	n, err := body.checked(c)
	if err != nil {
		return err
	}
	if n.Request, err = c.bodyRequest(&body.IdempotencyKey, &body); err != nil {
		return err
	}
	b, err := s.store.CreateBudget(c.Request().Context(), c.who.ID, n)
	if err != nil {
		return renamed(err, budgetBodyFields)
	}
	return created(c, apiRoot+"/budgets/"+b.ID, budgetOut(b))
}

func (s *Server) getBudget(c *call) error {
	b, err := s.budget(c, c.Param("id"))
	if err != nil {
		return err
	}
	return ok(c, budgetOut(b))
}

func (s *Server) updateBudget(c *call) error {
	b, err := s.budget(c, c.Param("id"))
	if err != nil {
		return err
	}
	var body BudgetBody
	if err := decode(c, &body); err != nil {
		return err
	}
	if body.TeamID == "" {
		body.TeamID = b.TeamID
	}
	n, err := body.checked(c)
	if err != nil {
		return err
	}
	b, err = s.store.UpdateBudget(c.Request().Context(), c.who.ID, b.ID, n)
	if err != nil {
		return renamed(err, budgetBodyFields)
	}
	return ok(c, budgetOut(b))
}

func (s *Server) deleteBudget(c *call) error {
	b, err := s.budget(c, c.Param("id"))
	if err != nil {
		return err
	}
	if err := s.store.DeleteBudget(c.Request().Context(), c.who.ID, b.ID); err != nil {
		return err
	}
	return gone(c)
}
