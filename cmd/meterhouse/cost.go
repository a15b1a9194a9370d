package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// usage is what was spent, in rows.
type usage struct {
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`
	Total int64     `json:"total_micros"`
	Rows  []struct {
		Key        string `json:"key"`
		Name       string `json:"name"`
		Cost       int64  `json:"cost_micros"`
		GPUSeconds int64  `json:"gpu_seconds"`
	} `json:"rows"`
}

func cost(ctx context.Context, c *call) error {
	f := c.flags()
	flags := f.client()
	from := f.String("from", "", "begin, a date or RFC 3339; the month's if empty")
	to := f.String("to", "", "end, not included; now if empty")
	by := f.String("by", "member", "team, member, gpu_model, day, kind or label:KEY")
	if _, err := f.parseArgs(0); err != nil {
		return err
	}
	ask := url.Values{"group_by": {*by}}
	for name, text := range map[string]string{"from": *from, "to": *to} {
		if text == "" {
			continue
		}
		if _, err := time.Parse(time.DateOnly, text); err == nil {
			text += "T00:00:00Z"
		}
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			return misuse("--%s %q is no time such as 2026-01-31 or 2026-01-31T00:00:00Z", name, text)
		}
		ask.Set(name, text)
	}
	api, err := flags.client()
	if err != nil {
		return err
	}
	if *flags.json {
		var whole json.RawMessage
		if err := api.get(ctx, "/usage", ask, &whole); err != nil {
			return err
		}
		return c.printJSON(whole)
	}
	var u usage
	if err := api.get(ctx, "/usage", ask, &u); err != nil {
		return err
	}
	t := table{head: []string{strings.ToUpper(*by), "COST", "GPU HOURS"}}
	for _, r := range u.Rows {
		name := r.Name
		if name == "" {
			name = r.Key
		}
		t.add(name, amount(r.Cost), fmt.Sprintf("%d.%02d", r.GPUSeconds/3600, r.GPUSeconds%3600*100/3600))
	}
	t.add("total", amount(u.Total), " ")
	return t.print(c.out)
}
