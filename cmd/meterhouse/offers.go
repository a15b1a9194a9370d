package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/meterhouse/meterhouse/store"
)

// offer is what the API says of one plan.
type offer struct {
	Plan      string `json:"plan"`
	GPUModel  string `json:"gpu_model"`
	GPUCount  int    `json:"gpu_count"`
	Free      int    `json:"free"`
	Simulated bool   `json:"simulated"`
	OnDemand  int64  `json:"on_demand_micros_per_hour"`
}

// offeredKinds names the kinds that can be rented, for people.
func offeredKinds() string {
	names := make([]string, len(store.OfferedKinds))
	for k, kind := range store.OfferedKinds {
		names[k] = string(kind)
	}
	return strings.Join(names, ", ")
}

// withOffers says what can be rented instead, where a rent was refused for what it asked for. Where that can't be found out,
// the refusal stands alone.
func (c *call) withOffers(ctx context.Context, api *client, refused error) error {
	var p *problem
	full := errors.As(refused, &p) && p.Type == noCapacity
	if blames(refused, "kind") {
		return fmt.Errorf("%w Kinds: %s", refused, offeredKinds())
	}
	if !full && !blames(refused, "plan", "gpu_model", "gpu_count") {
		return refused
	}
	var answer struct {
		Offers []offer `json:"offers"`
	}
	if api.get(ctx, "/offers", nil, &answer) != nil || len(answer.Offers) == 0 {
		return refused
	}
	var text strings.Builder
	t := table{head: []string{"PLAN", "HARDWARE", "FREE", "AN HOUR"}}
	for _, o := range answer.Offers {
		hardware := instance{GPUModel: o.GPUModel, GPUCount: o.GPUCount, Simulated: o.Simulated}.hardware()
		t.add(o.Plan, hardware, fmt.Sprint(o.Free), amount(o.OnDemand))
	}
	if err := t.print(&text); err != nil {
		return err
	}
	next := "`meterhouse rent --plan PLAN` rents one of these"
	if full {
		next += ", --queue waits for what was asked for"
	}
	return fmt.Errorf("%w\n\n%s\n%s", refused, text.String(), next)
}
