package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// nodeLine is what the API says of a node.
type nodeLine struct {
	ID, Name, State, Service, Reason, Build string
	Seen                                    time.Time  `json:"seen_at"`
	DrainBy                                 *time.Time `json:"drain_by"`
	GPUs                                    struct {
		Total int
		InUse int `json:"in_use"`
	}
	Instances int
	Windows   []windowLine
}

// windowLine is what the API says of a maintenance window.
type windowLine struct {
	ID         string
	Start, End time.Time
	Reason     string
}

func (w windowLine) times() string {
	return w.Start.Format(time.RFC3339) + "/" + w.End.Format(time.RFC3339)
}

func nodeList(ctx context.Context, c *call) error {
	f := c.flags()
	flags := f.client()
	if _, err := f.parseArgs(0); err != nil {
		return err
	}
	api, err := flags.client()
	if err != nil {
		return err
	}
	var whole json.RawMessage
	if err := api.get(ctx, "/nodes", nil, &whole); err != nil {
		return err
	}
	if *flags.json {
		return c.printJSON(whole)
	}
	var answer struct{ Nodes []nodeLine }
	if err := json.Unmarshal(whole, &answer); err != nil {
		return err
	}
	t := table{head: []string{"ID", "NAME", "STATE", "SERVICE", "SEEN", "GPUS", "IN USE", "INSTANCES", "BUILD", "MAINTENANCE", "REASON"}}
	for _, n := range answer.Nodes {
		windows := []string{}
		for _, w := range n.Windows {
			windows = append(windows, w.times())
		}
		t.add(n.ID, n.Name, n.State, n.Service, n.Seen.Format(time.RFC3339), strconv.Itoa(n.GPUs.Total), strconv.Itoa(n.GPUs.InUse), strconv.Itoa(n.Instances), n.Build, strings.Join(windows, " "), n.Reason)
	}
	return t.print(c.out)
}

// nodeID finds a node by its id or name.
func (c *client) nodeID(ctx context.Context, text string) (string, error) {
	var answer struct{ Nodes []nodeLine }
	if err := c.get(ctx, "/nodes", nil, &answer); err != nil {
		return "", err
	}
	for _, n := range answer.Nodes {
		if n.ID == text || n.Name == text {
			return n.ID, nil
		}
	}
	return "", fmt.Errorf("there is no node %q", text)
}

func nodeCordon(ctx context.Context, c *call) error {
	f := c.flags()
	reason := f.String("reason", "", "why, for people to read")
	return c.nodeService(ctx, f, "cordon", func() (any, error) { return map[string]string{"reason": *reason}, nil })
}

func nodeUncordon(ctx context.Context, c *call) error {
	return c.nodeService(ctx, c.flags(), "uncordon", func() (any, error) { return struct{}{}, nil })
}

func nodeDrain(ctx context.Context, c *call) error {
	f := c.flags()
	reason := f.String("reason", "", "why, for people to read")
	by := f.String("by", "", "RFC 3339, or a time from now such as 2h: what would last longer ends then")
	return c.nodeService(ctx, f, "drain", func() (any, error) {
		at, err := momentOf(*by)
		return map[string]string{"reason": *reason, "by": at}, err
	})
}

// momentOf is a moment, or a time from now, as the API takes it; "" stays.
func momentOf(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if d, err := time.ParseDuration(text); err == nil {
		return time.Now().Add(d).UTC().Format(time.RFC3339), nil
	}
	if _, err := time.Parse(time.RFC3339, text); err != nil {
		return "", misuse("%q is no time such as 2026-03-02T18:00:00Z or 2h", text)
	}
	return text, nil
}

// nodeService says what an admin wants of a node, and what became of it.
func (c *call) nodeService(ctx context.Context, f *flagSet, verb string, body func() (any, error)) error {
	flags := f.client()
	args, err := f.parseArgs(1)
	if err != nil {
		return err
	}
	sent, err := body()
	if err != nil {
		return err
	}
	api, err := flags.client()
	if err != nil {
		return err
	}
	id, err := api.nodeID(ctx, args[0])
	if err != nil {
		return err
	}
	var whole json.RawMessage
	if err := api.do(ctx, http.MethodPost, "/nodes/"+id+"/"+verb, sent, &whole, true); err != nil {
		return err
	}
	if *flags.json {
		return c.printJSON(whole)
	}
	var n nodeLine
	if err := json.Unmarshal(whole, &n); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "%s  %s  %d instances\n", n.Name, n.Service, n.Instances)
	return err
}

// nodeMaintenance books a window, or cancels one.
func nodeMaintenance(ctx context.Context, c *call) error {
	f := c.flags()
	flags := f.client()
	start := f.String("start", "", "RFC 3339, or a time from now such as 2h")
	end := f.String("end", "", "likewise")
	reason := f.String("reason", "", "why, for people to read")
	force := f.Bool("force", false, "give what is in the way notice")
	cancel := f.String("cancel", "", "cancel this window instead")
	key := f.String("idempotency-key", "cli-"+rand.Text(), "the same key books it once, however often it is sent")
	args, err := f.parseArgs(1)
	if err != nil {
		return err
	}
	api, err := flags.client()
	if err != nil {
		return err
	}
	id, err := api.nodeID(ctx, args[0])
	if err != nil {
		return err
	}
	path := "/nodes/" + id + "/maintenance"
	if *cancel != "" {
		return api.do(ctx, http.MethodDelete, path+"?"+url.Values{"window": {*cancel}}.Encode(), nil, nil, true)
	}
	body := map[string]any{"reason": *reason, "force": *force, "idempotency_key": *key}
	for field, text := range map[string]string{"start": *start, "end": *end} {
		if text == "" {
			return misuse("--%s is needed, or --cancel ID", field)
		}
		if body[field], err = momentOf(text); err != nil {
			return err
		}
	}
	var whole json.RawMessage
	if err := api.do(ctx, http.MethodPost, path, body, &whole, true); err != nil {
		return err
	}
	if *flags.json {
		return c.printJSON(whole)
	}
	var w windowLine
	if err := json.Unmarshal(whole, &w); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "%s  %s\n", w.ID, w.times())
	return err
}
