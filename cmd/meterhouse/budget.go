package main

import (
	"context"
	"encoding/json"
	"time"
)

// budgetLine is what the API says of a budget.
type budgetLine struct {
	ID     string    `json:"id"`
	Name   string    `json:"name"`
	Period string    `json:"period"`
	Limit  int64     `json:"limit_micros"`
	Spent  int64     `json:"spent_micros"`
	Action string    `json:"action"`
	End    time.Time `json:"period_end"`
}

func budget(ctx context.Context, c *call) error {
	f := c.flags()
	flags := f.client()
	if _, err := f.parseArgs(0); err != nil {
		return err
	}
	api, err := flags.client()
	if err != nil {
		return err
	}
	if *flags.json {
		var whole json.RawMessage
		if err := api.get(ctx, "/budgets", nil, &whole); err != nil {
			return err
		}
		return c.printJSON(whole)
	}
	var answer struct {
		Budgets []budgetLine `json:"budgets"`
	}
	if err := api.get(ctx, "/budgets", nil, &answer); err != nil {
		return err
	}
	t := table{head: []string{"ID", "NAME", "PERIOD", "LIMIT", "SPENT", "LEFT", "ENDS", "ACTION"}}
	for _, b := range answer.Budgets {
		t.add(b.ID, b.Name, b.Period, amount(b.Limit), amount(b.Spent), amount(b.Limit-b.Spent), at(&b.End), b.Action)
	}
	return t.print(c.out)
}
