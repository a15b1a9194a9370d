package web

import (
	"time"

	"github.com/meterhouse/meterhouse/store"
)

// Offers is what can be rented.
type Offers struct {
	Offers []Offer `json:"offers"`
}

// Offer is a plan with its price and what is free of it. Prices are of the whole plan, not of one GPU.
type Offer struct {
	Plan                  string         `json:"plan"`
	GPUModel              string         `json:"gpu_model"`
	GPUCount              int            `json:"gpu_count"`
	CPUMillis             int64          `json:"cpu_millis"`
	MemoryBytes           int64          `json:"memory_bytes"`
	DiskBytes             int64          `json:"disk_bytes"`
	Free                  int            `json:"free"`
	Total                 int            `json:"total"`
	Simulated             bool           `json:"simulated"`
	OnDemandMicrosPerHour int64          `json:"on_demand_micros_per_hour"`
	SpotMicrosPerHour     *int64         `json:"spot_micros_per_hour"`
	HardEnd               *time.Time     `json:"hard_end"`
	FreeAt                *time.Time     `json:"free_at"`
	Blocked               map[string]int `json:"blocked"`
}

func (s *Server) offers(c *call) error {
	list, err := s.store.Offers(c.Request().Context())
	if err != nil {
		return err
	}
	out := Offers{Offers: make([]Offer, 0, len(list))}
	for _, o := range list {
		out.Offers = append(out.Offers, offerOut(o))
	}
	return ok(c, out)
}

func offerOut(o store.Offer) Offer {
	blocked := o.BlockedCounts
	if blocked == nil {
		blocked = map[string]int{}
	}
	return Offer{
		Plan: o.Plan.ID, GPUModel: o.Plan.GPUModel, GPUCount: o.Plan.GPUCount, CPUMillis: o.Plan.CPUMillis, MemoryBytes: o.Plan.MemoryBytes,
		DiskBytes: o.Plan.DiskBytes, Free: o.Free, Total: o.Total, Simulated: o.Plan.Simulated, OnDemandMicrosPerHour: o.OnDemandMicrosPerHour,
		SpotMicrosPerHour: o.SpotMicrosPerHour, HardEnd: o.HardEnd, FreeAt: o.FreeAt, Blocked: blocked,
	}
}
