package store

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	commandMax  = 64 << 10 // bytes
	argvMax     = 256
	labelsMax   = 20
	labelKeyMax = 63
	labelMax    = 200
	gpuCountMax = 64
	imageMax    = 300
	longestTerm = 365 * 24 * time.Hour
)

// RentRequest is what a person asks for: a plan by its id, or a GPU model and count, or CPU-only work. A count without a
// model takes any model, the cheapest that is free first.
type RentRequest struct {
	PersonID       string
	TeamID         string // who pays; "": the person's home team
	Name           string // "": made from the plan
	PlanID         string
	GPUModel       string // as in the plans, or its slug
	GPUCount       int    // 0 with a model: 1
	CPUOnly        bool
	Kind           InstanceKind // "": OnDemand
	ReservationID  string       // with Reserved: whose GPUs; "": the team's that ends first
	Image, Command string
	Argv           []string
	Duration       *time.Duration // from the start to the hard end; nil: no hard end
	Queue, Requeue bool
	// CheckpointCommand is run in a spot instance when it is given notice; "": none.
	CheckpointCommand string
	Labels            map[string]string
	Env               map[string]string `json:",omitempty"` // variables of its environment
	Secrets           map[string]string `json:",omitempty"` // variable → name of a secret, whose value it gets when it starts
	IdempotencyKey    string            // the same person, key and request is the same instance
	GPUs              []string          // wanted UUIDs; empty: any
	Node              string            `json:",omitempty"` // where it is to run, by id or name; "": anywhere
	BenchmarkID       string
	Port              int          `json:",omitempty"` // that browsers are passed on to; 0: none
	Volumes           []VolumeWish `json:",omitempty"` // of the team; requests without any are hashed as before there were volumes
}

// cleanRequest checks all that can be checked without the database.
func cleanRequest(r RentRequest) (_ RentRequest, err error) {
	if r.Kind == "" {
		r.Kind = OfferedKinds[0]
	}
	switch {
	case !slices.Contains(OfferedKinds, r.Kind):
		return r, invalid("kind", "kind_unknown")
	case r.CheckpointCommand != "" && r.Kind != Spot:
		return r, invalid("checkpoint_command", "checkpoint_needs_spot")
	case len(r.CheckpointCommand) > commandMax:
		return r, tooLong("checkpoint_command", commandMax)
	case strings.ContainsRune(r.CheckpointCommand, 0) || !utf8.ValidString(r.CheckpointCommand):
		return r, invalid("checkpoint_command", "not_allowed_characters")
	}
	if r.Name != "" {
		if r.Name, err = cleanName("name", r.Name); err != nil {
			return r, err
		}
	}
	if r.Image, err = cleanText("image", r.Image, 0, imageMax); err != nil {
		return r, err
	}
	if r.GPUCount < 0 || r.GPUCount > gpuCountMax || len(r.GPUs) > gpuCountMax {
		return r, invalid("gpu_count", "gpu_count_wrong")
	}
	if r.CPUOnly && (r.GPUCount > 0 || len(r.GPUs) > 0 || r.GPUModel != "") {
		return r, invalid("gpu_count", "cpu_only_has_no_gpus")
	}
	if r.Duration != nil && (*r.Duration < time.Microsecond || *r.Duration > longestTerm) {
		return r, invalid("hours", "duration_wrong")
	}
	if err := cleanPort(r.Port); err != nil {
		return r, err
	}
	if err := cleanKey(r.IdempotencyKey); err != nil {
		return r, err
	}
	if err := cleanCommand(r); err != nil {
		return r, err
	}
	if err := cleanEnv(r.Env, r.Secrets); err != nil {
		return r, err
	}
	if r.Volumes, err = cleanWishes(r.Volumes); err != nil {
		return r, err
	}
	r.Labels, err = cleanLabels(r.Labels)
	return r, err
}

func cleanCommand(r RentRequest) error {
	size := len(r.Command)
	for _, arg := range append([]string{r.Command}, r.Argv...) {
		size += len(arg)
		if strings.ContainsRune(arg, 0) || !utf8.ValidString(arg) {
			return invalid("command", "not_allowed_characters")
		}
	}
	if size > 2*commandMax || len(r.Command) > commandMax || len(r.Argv) > argvMax {
		return tooLong("command", commandMax)
	}
	return nil
}

func cleanLabels(labels map[string]string) (map[string]string, error) {
	if len(labels) > labelsMax {
		return nil, invalid("labels", "too_many_labels")
	}
	clean := make(map[string]string, len(labels))
	for key, value := range labels {
		k, err := cleanText("labels", key, 1, labelKeyMax)
		if err != nil {
			return nil, err
		}
		if strings.ContainsAny(k, "=,") {
			return nil, invalid("labels", "not_allowed_characters")
		}
		if clean[k], err = cleanText("labels", value, 0, labelMax); err != nil {
			return nil, err
		}
	}
	return clean, nil
}

// requestHash tells whether two requests with one idempotency key are the same.
func requestHash(r RentRequest) ([]byte, error) {
	r.BenchmarkID, r.Argv = "", nil // made anew by each try
	text, err := json.Marshal(r)
	sum := sha256.Sum256(text)
	return sum[:], err
}
