package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/meterhouse/meterhouse/web/lang"
)

// instance is what the API says of one.
type instance struct {
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	Status    string            `json:"status"`
	GPUModel  string            `json:"gpu_model"`
	GPUCount  int               `json:"gpu_count"`
	GPUs      []string          `json:"gpus"`
	Kind      string            `json:"kind"`
	Rate      int64             `json:"rate_micros_per_hour"`
	StartedAt *time.Time        `json:"started_at"`
	EndsAt    *time.Time        `json:"ends_at"`
	EndedAt   *time.Time        `json:"ended_at"`
	Cost      int64             `json:"cost_micros"`
	Simulated bool              `json:"simulated"`
	Labels    map[string]string `json:"labels"`
	Reason    string            `json:"stop_reason"`
	Detail    string            `json:"exit_detail"`
	WebPath   string            `json:"web_path"`
	Idle      *idleness         `json:"idle"`

	raw json.RawMessage // all that the API said
}

// UnmarshalJSON keeps what it reads, so that --json prints all of it.
func (i *instance) UnmarshalJSON(text []byte) error {
	type plain instance
	i.raw = bytes.Clone(text)
	return json.Unmarshal(text, (*plain)(i))
}

func (i instance) ended() bool { return i.Status == "stopped" || i.Status == "failed" }

func (i instance) hardware() string {
	if i.GPUCount == 0 {
		return "CPU only"
	}
	text := fmt.Sprintf("%d × %s", i.GPUCount, i.GPUModel)
	if i.Simulated {
		text += " (simulated)"
	}
	return text
}

// raws are instances as the API told them; an empty list where there are none.
func raws(list []instance) []json.RawMessage {
	all := make([]json.RawMessage, len(list))
	for n, i := range list {
		all[n] = i.raw
	}
	return all
}

const (
	// listPage is how many instances are asked for at once.
	listPage = 200
	// waitInterval is how often a verb that waits looks again.
	waitInterval = 200 * time.Millisecond
)

func list(ctx context.Context, c *call) error {
	f := c.flags()
	flags := f.client()
	status := f.String("status", "", "only those in this state")
	all := f.Bool("all", false, "also those that have ended")
	query := f.String("query", "", "only those with this in their name or id")
	if _, err := f.parseArgs(0); err != nil {
		return err
	}
	api, err := flags.client()
	if err != nil {
		return err
	}
	ask := url.Values{"limit": {strconv.Itoa(listPage)}}
	switch {
	case *status != "":
		ask.Set("status", *status)
	case !*all:
		ask.Set("status", "live")
	}
	if *query != "" {
		ask.Set("q", *query)
	}
	var found []instance
	for {
		var page struct {
			Instances []instance `json:"instances"`
			Next      string     `json:"next_cursor"`
		}
		if err := api.get(ctx, "/instances", ask, &page); err != nil {
			return err
		}
		found = append(found, page.Instances...)
		if page.Next == "" {
			break
		}
		ask.Set("cursor", page.Next)
	}
	if *flags.json {
		return c.printJSON(map[string]any{"instances": raws(found)})
	}
	t := table{head: []string{"ID", "NAME", "STATUS", "HARDWARE", "AN HOUR", "COST", "STARTED", "ENDS"}}
	for _, i := range found {
		t.add(i.ID, i.Name, i.Status, i.hardware(), amount(i.Rate), amount(i.Cost), at(i.StartedAt), at(i.EndsAt))
	}
	return t.print(c.out)
}

// bill is an instance's bill, explained.
type bill struct {
	Total    int64 `json:"total_micros"`
	Segments []struct {
		State   string     `json:"state"`
		From    time.Time  `json:"from"`
		To      *time.Time `json:"to"`
		Rate    int64      `json:"rate_micros_per_hour"`
		Amount  int64      `json:"amount_micros"`
		Minimum bool       `json:"minimum"`
		Waived  bool       `json:"waived"`
	} `json:"segments"`
}

func show(ctx context.Context, c *call) error {
	f := c.flags()
	flags := f.client()
	args, err := f.parseArgs(1)
	if err != nil {
		return err
	}
	api, err := flags.client()
	if err != nil {
		return err
	}
	path := "/instances/" + url.PathEscape(args[0])
	if *flags.json {
		var whole json.RawMessage
		if err := api.get(ctx, path, nil, &whole); err != nil {
			return err
		}
		return c.printJSON(whole)
	}
	var i instance
	var b bill
	if err := api.get(ctx, path, nil, &i); err != nil {
		return err
	}
	if err := api.get(ctx, path+"/bill", nil, &b); err != nil {
		return err
	}
	t := table{head: []string{i.ID, i.Name}}
	t.add("status", i.Status)
	t.add("hardware", i.hardware())
	for _, uuid := range i.GPUs {
		t.add("GPU", uuid)
	}
	t.add("kind", i.Kind)
	t.add("an hour", amount(i.Rate))
	t.add("started", at(i.StartedAt))
	t.add("ends", at(i.EndsAt))
	t.add("ended", at(i.EndedAt))
	if i.Reason == "idle" {
		t.add("because", lang.English.MailStoppedWhy(i.Reason, "", ""))
	}
	i.Idle.show(&t)
	if i.Detail != "" {
		t.add("because", i.Detail)
	}
	if i.WebPath != "" {
		t.add("web port", api.base+i.WebPath)
	}
	t.add("cost", amount(b.Total))
	if err := t.print(c.out); err != nil || len(b.Segments) == 0 {
		return err
	}
	if _, err := fmt.Fprintln(c.out); err != nil {
		return err
	}
	lines := table{head: []string{"STATE", "FROM", "TO", "AN HOUR", "AMOUNT"}}
	for _, s := range b.Segments {
		switch {
		case s.Minimum:
			s.State = "minimum"
		case s.Waived:
			s.State = "waived"
		}
		lines.add(s.State, at(&s.From), at(s.To), amount(s.Rate), amount(s.Amount))
	}
	return lines.print(c.out)
}

// waitFor looks at an instance until done says so.
func (c *client) waitFor(ctx context.Context, id string, done func(instance) bool) (instance, error) {
	for {
		var i instance
		if err := c.get(ctx, "/instances/"+url.PathEscape(id), nil, &i); err != nil {
			return i, err
		}
		if done(i) {
			return i, nil
		}
		select {
		case <-ctx.Done():
			return i, ctx.Err()
		case <-time.After(waitInterval):
		}
	}
}
