package main

import (
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"strings"

	"github.com/meterhouse/meterhouse/store"
)

// rentRequest is the body of POST /instances.
type rentRequest struct {
	Name     string   `json:"name,omitempty"`
	Plan     string   `json:"plan,omitempty"`
	GPUModel string   `json:"gpu_model,omitempty"`
	GPUCount *int     `json:"gpu_count,omitempty"`
	CPUOnly  bool     `json:"cpu_only,omitempty"`
	Node     string   `json:"node,omitempty"`
	Kind     string   `json:"kind,omitempty"`
	Image    string   `json:"image,omitempty"`
	Command  string   `json:"command,omitempty"`
	Hours    *float64 `json:"hours,omitempty"`
	Queue    bool     `json:"queue,omitempty"`
	Requeue  bool     `json:"requeue,omitempty"`
	Hook     string   `json:"checkpoint_command,omitempty"`
	Labels   labels   `json:"labels,omitempty"`
	Env      labels   `json:"env,omitempty"`
	Secrets  labels   `json:"secrets,omitempty"`
	Template string   `json:"template,omitempty"`
	Volumes  mounts   `json:"volumes,omitempty"`
	Port     int      `json:"port,omitempty"`
	Key      string   `json:"idempotency_key,omitempty"`
}

func rent(ctx context.Context, c *call) error {
	f := c.flags()
	flags := f.client()
	r := rentRequest{Labels: labels{}, Env: labels{}, Secrets: labels{}}
	f.StringVar(&r.Name, "name", "", "name")
	f.StringVar(&r.Plan, "plan", "", "plan, instead of model and count")
	f.StringVar(&r.GPUModel, "gpu-model", "", "GPU model; any if empty")
	count := f.Int("gpu-count", 1, "how many GPUs")
	f.BoolVar(&r.CPUOnly, "cpu-only", false, "no GPU")
	f.StringVar(&r.Node, "node", "", "node to run on, by name or id; any if empty")
	f.StringVar(&r.Kind, "kind", string(store.OfferedKinds[0]), offeredKinds())
	f.StringVar(&r.Image, "image", "", "image; this machine's own files if empty")
	f.StringVar(&r.Command, "command", "", "command; without one the instance is worked in by terminal")
	hours := f.Float64("hours", 0, "hours until the hard end; none if 0")
	f.BoolVar(&r.Queue, "queue", false, "wait for a GPU where none is free")
	f.BoolVar(&r.Requeue, "requeue", false, "back to the queue if it is reclaimed; METERHOUSE_RUN says which run it is")
	f.StringVar(&r.Hook, "checkpoint-command", "", "run in a spot instance when it is given notice of its reclaim")
	f.Var(r.Labels, "label", "KEY=VALUE; may be given many times")
	f.Var(variables(r.Env), "env", "KEY=VALUE of its environment; may be given many times")
	f.Var(r.Secrets, "secret", "KEY=NAME: a variable that gets a secret's value; may be given many times")
	f.StringVar(&r.Template, "template", "", "saved launch form: what is not said here is taken from it")
	f.Var(&r.Volumes, "volume", "NAME:PATH or NAME:PATH:ro; may be given many times")
	f.IntVar(&r.Port, "port", 0, "port of a web server in it, such as 8888: the console passes browsers on to it")
	f.StringVar(&r.Key, "idempotency-key", "", "the same key rents once, however often it is sent")
	wait := f.Bool("wait", false, "wait until it runs")
	args, tail, err := f.parse()
	switch {
	case err != nil:
		return err
	case len(args) > 0:
		return misuse("unexpected %q: a command follows --", args[0])
	case len(tail) > 0 && r.Command != "":
		return misuse("a command stands in --command or behind --, not in both")
	case *hours < 0:
		return misuse("--hours is above 0")
	}
	if len(tail) > 0 {
		r.Command = commandLine(tail)
	}
	if *hours > 0 {
		r.Hours = hours
	}
	counted := r.GPUModel != ""
	f.Visit(func(g *flag.Flag) { counted = counted || g.Name == "gpu-count" })
	if r.Plan == "" && !r.CPUOnly && (r.Template == "" || counted) {
		r.GPUCount = count
	}
	if said := false; r.Template != "" {
		if f.Visit(func(g *flag.Flag) { said = said || g.Name == "kind" }); !said {
			r.Kind = ""
		}
	}
	if r.Key == "" {
		r.Key = "cli-" + rand.Text()
	}
	api, err := flags.client()
	if err != nil {
		return err
	}
	var i instance
	if err := api.post(ctx, "/instances", r, &i, true); err != nil {
		return c.withOffers(ctx, api, err)
	}
	if *wait {
		if i, err = api.waitFor(ctx, i.ID, func(i instance) bool { return i.Status != "queued" && i.Status != "starting" }); err != nil {
			return err
		}
	}
	if *flags.json {
		err = c.printJSON(i.raw)
	} else {
		_, err = fmt.Fprintf(c.out, "%s  %s  %s  %s an hour\n", i.ID, i.Status, i.hardware(), amount(i.Rate))
	}
	if err == nil && *wait && i.Status == "failed" {
		return fmt.Errorf("%s failed: `meterhouse logs %s` has its output", i.ID, i.ID)
	}
	return err
}

// commandLine is one shell command: a single word is taken as it is, several are quoted so that each stays one word.
func commandLine(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if w == "" || strings.ContainsAny(w, " \t\n\"'`$&|;<>()*?[]{}~#!\\=%") {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// mount is a volume for an instance.
type mount struct {
	Volume   string `json:"volume"`
	Path     string `json:"path"`
	ReadOnly bool   `json:"read_only"`
}

// mounts are those of a command line.
type mounts []mount

func (m *mounts) String() string { return "" }

// Set adds one, written NAME:PATH or NAME:PATH:ro.
func (m *mounts) Set(text string) error {
	rest, readOnly := strings.CutSuffix(text, ":ro")
	name, path, found := strings.Cut(rest, ":")
	if !found || name == "" || !strings.HasPrefix(path, "/") {
		return fmt.Errorf("%q is not NAME:PATH, such as data:/data", text)
	}
	*m = append(*m, mount{name, path, readOnly})
	return nil
}
