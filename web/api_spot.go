package web

import (
	"time"

	"github.com/meterhouse/meterhouse/store"
)

// Checkpoint is the command that is run in an instance under notice, and what became of it.
type Checkpoint struct {
	Command  string     `json:"command"`
	BeganAt  *time.Time `json:"began_at"`
	EndedAt  *time.Time `json:"ended_at"`
	ExitCode *int       `json:"exit_code"`
	Detail   string     `json:"detail"`
}

func checkpointOut(in store.Checkpoint) *Checkpoint {
	if in.Command == "" {
		return nil
	}
	return &Checkpoint{Command: in.Command, BeganAt: in.BeganAt, EndedAt: in.EndedAt, ExitCode: in.ExitCode, Detail: in.Detail}
}

// SpotMarket is what a pool's GPUs cost as spot, as a part of the on-demand price, and why.
type SpotMarket struct {
	Pool               string    `json:"pool"`
	GPUModel           string    `json:"gpu_model"`
	Simulated          bool      `json:"simulated"`
	FactorPPM          int64     `json:"factor_ppm"`
	MinimumPPM         int64     `json:"minimum_ppm"`
	UsePPM             int64     `json:"use_ppm"`
	AverageUsePPM      int64     `json:"average_use_ppm"`
	NextMoveAt         time.Time `json:"next_move_at"`
	Runs               int64     `json:"runs"`
	Reclaims           int64     `json:"reclaims"`
	ReclaimsPerHourPPM *int64    `json:"reclaims_per_hour_ppm"` // null: nothing ran in the last 30 days
}

// SpotMarkets are those of all pools.
type SpotMarkets struct {
	Markets []SpotMarket `json:"markets"`
}

func (s *Server) listSpot(c *call) error {
	list, err := s.store.SpotMarkets(c.Request().Context())
	if err != nil {
		return err
	}
	out := SpotMarkets{Markets: make([]SpotMarket, 0, len(list))}
	for _, m := range list {
		v := SpotMarket{Pool: m.PoolID, GPUModel: m.GPUModel, Simulated: m.Simulated, FactorPPM: m.FactorPPM, MinimumPPM: m.MinimumPPM,
			UsePPM: m.UsePPM, AverageUsePPM: m.AveragePPM, NextMoveAt: m.NextMove, Runs: m.Runs, Reclaims: m.Reclaims}
		if m.Runs > 0 {
			v.ReclaimsPerHourPPM = &m.ReclaimsPerHourPPM
		}
		out.Markets = append(out.Markets, v)
	}
	return ok(c, out)
}

// SpotPrice is a factor that held from a moment on.
type SpotPrice struct {
	At        time.Time `json:"at"`
	FactorPPM int64     `json:"factor_ppm"`
}

// SpotPrices is a pool's history of them.
type SpotPrices struct {
	Prices []SpotPrice `json:"prices"`
}

// spotShown is how far back a price history goes by default.
const spotShown = 7 * 24 * time.Hour

func (s *Server) listSpotPrices(c *call) error {
	now := s.now()
	from, to, err := s.interval(c, now.Add(-spotShown), now)
	if err != nil {
		return err
	}
	if !plainID(c.Param("id")) {
		return notFound("pool")
	}
	list, err := s.store.SpotPrices(c.Request().Context(), c.Param("id"), from)
	if err != nil {
		return err
	}
	out := SpotPrices{Prices: make([]SpotPrice, 0, len(list))}
	for _, p := range list {
		if p.At.Before(to) {
			out.Prices = append(out.Prices, SpotPrice{At: p.At, FactorPPM: p.FactorPPM})
		}
	}
	return ok(c, out)
}

// SpotMinimumBody sets the floor of a pool's price factor.
type SpotMinimumBody struct {
	MinimumPPM int64 `json:"minimum_ppm"`
}

func (s *Server) putSpotMinimum(c *call) error {
	var b SpotMinimumBody
	if err := decode(c, &b); err != nil {
		return err
	}
	if !plainID(c.Param("id")) {
		return notFound("pool")
	}
	if err := s.store.SetSpotMinimum(c.Request().Context(), c.Param("id"), b.MinimumPPM, c.who.ID); err != nil {
		return err
	}
	return s.listSpot(c)
}
