package web

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
)

// Instance is an instance as the API shows it.
type Instance struct {
	ID                string            `json:"id"`
	Name              string            `json:"name"`
	Status            string            `json:"status"`
	Kind              string            `json:"kind"`
	Plan              string            `json:"plan"`
	GPUModel          string            `json:"gpu_model"`
	GPUCount          int               `json:"gpu_count"`
	GPUs              []string          `json:"gpus"`
	Simulated         bool              `json:"simulated"`
	Node              string            `json:"node"`
	Team              string            `json:"team"`
	PersonID          string            `json:"person_id"`
	Person            string            `json:"person"`
	Image             string            `json:"image"`
	Command           string            `json:"command"`
	Labels            map[string]string `json:"labels"`
	RateMicrosPerHour int64             `json:"rate_micros_per_hour"`
	ListMicrosPerHour int64             `json:"list_micros_per_hour"` // before the discount
	DiscountPPM       int64             `json:"discount_ppm"`
	CostMicros        int64             `json:"cost_micros"`
	RequestedAt       time.Time         `json:"requested_at"`
	StartedAt         *time.Time        `json:"started_at"`
	EndsAt            *time.Time        `json:"ends_at"`
	EndsBecause       string            `json:"ends_because"` // "" as asked for; "reservation": somebody's begins; "reservation_ends": its own is over; "maintenance" or "drain": its node is to be empty
	EndedAt           *time.Time        `json:"ended_at"`
	StopReason        string            `json:"stop_reason"`
	ExitCode          *int              `json:"exit_code"`
	ExitDetail        string            `json:"exit_detail"`
	BenchmarkID       string            `json:"benchmark_id"`
	QueuePlace        int               `json:"queue_place"`
	Requeue           bool              `json:"requeue"`
	Run               int               `json:"run"`
	EarlierID         string            `json:"earlier_id"`
	LaterID           string            `json:"later_id"`
	NoticeAt          *time.Time        `json:"notice_at"`
	ReclaimsAt        *time.Time        `json:"reclaims_at"`
	ExpectedAt        *time.Time        `json:"expected_at"`
	SavedMicros       *int64            `json:"saved_micros"`
	Checkpoint        *Checkpoint       `json:"checkpoint"`
	Queue             *InstanceQueue    `json:"queue"`
	Port              int               `json:"port"`     // that browsers are passed on to; 0: none
	WebPath           string            `json:"web_path"` // where they are at the console; "" without a port
	Idle              *InstanceIdle     `json:"idle"`     // of one instance that is asked for by its id
}

// Instances is a page of them.
type Instances struct {
	Instances  []Instance `json:"instances"`
	NextCursor string     `json:"next_cursor"`
}

// RentBody is what POST /instances takes.
type RentBody struct {
	Name           string            `json:"name"`
	Plan           string            `json:"plan"`
	GPUModel       string            `json:"gpu_model"`
	GPUCount       *int              `json:"gpu_count"`
	GPUs           []string          `json:"gpus"`
	Node           string            `json:"node"` // where it is to run, by id or name; "": anywhere
	CPUOnly        bool              `json:"cpu_only"`
	Kind           string            `json:"kind"`
	Image          string            `json:"image"`
	Command        string            `json:"command"`
	Hours          *json.Number      `json:"hours"`
	Queue          bool              `json:"queue"`
	Requeue        bool              `json:"requeue"`
	Checkpoint     string            `json:"checkpoint_command"`
	Labels         map[string]string `json:"labels"`
	Volumes        []VolumeWish      `json:"volumes"`
	Env            map[string]string `json:"env"`
	Secrets        map[string]string `json:"secrets"` // variable → name of a secret
	Port           *int              `json:"port"`
	Template       string            `json:"template"` // id or name: what the body leaves out is taken from it
	IdempotencyKey string            `json:"idempotency_key"`
}

// Empty is a body with nothing in it.
type Empty struct{}

func instanceOut(in store.Instance) Instance {
	out := Instance{
		ID: in.ID, Name: in.Name, Status: string(in.State), Kind: string(in.Kind), Plan: in.PlanID, GPUModel: in.GPUModel, GPUCount: in.GPUCount,
		GPUs: in.GPUs, Simulated: in.Simulated, Node: in.NodeName, Team: in.TeamName, PersonID: in.PersonID, Person: in.PersonName, Image: in.Image,
		Command: in.Command, Labels: in.Labels, RateMicrosPerHour: in.RateMicrosPerHour, ListMicrosPerHour: in.ListMicrosPerHour, DiscountPPM: in.DiscountPPM, EndsBecause: in.EndsBecause, CostMicros: in.CostMicros, RequestedAt: in.RequestedAt,
		StartedAt: in.StartedAt, EndsAt: in.EndsAt, EndedAt: in.EndedAt, StopReason: in.StopReason, ExitCode: in.ExitCode, ExitDetail: in.ExitDetail,
		BenchmarkID: in.BenchmarkID, QueuePlace: in.QueuePlace, Requeue: in.Requeue, Run: in.Run, EarlierID: in.EarlierID, LaterID: in.LaterID,
		NoticeAt: in.NoticeAt, ReclaimsAt: in.ReclaimsAt(), ExpectedAt: in.ExpectedAt, SavedMicros: in.SavedMicros, Checkpoint: checkpointOut(in.Checkpoint), Port: in.Port,
	}
	if in.Port != 0 {
		out.WebPath = appRoot + in.ID + "/"
	}
	if out.GPUs == nil {
		out.GPUs = []string{}
	}
	if out.Labels == nil {
		out.Labels = map[string]string{}
	}
	return out
}

// instance loads an instance that the person may see. Another team's is answered as if there were none.
func (s *Server) instance(c *call, id string) (store.Instance, error) {
	if !plainID(id) {
		return store.Instance{}, notFound("instance")
	}
	in, err := s.store.Instance(c.Request().Context(), id)
	if err == nil && !c.sees(in.TeamID) {
		err = notFound("instance")
	}
	if err != nil {
		return store.Instance{}, err
	}
	return in, nil
}

// ownInstance loads an instance that the person may change and enter.
func (s *Server) ownInstance(c *call) (store.Instance, error) {
	in, err := s.instance(c, c.Param("id"))
	if err == nil && !c.acts(in.TeamID, in.PersonID) {
		err = forbidden("forbidden")
	}
	return in, err
}

// plainID reports whether a text can be an id at all: what comes in an address is anything.
func plainID(id string) bool {
	if id == "" || len(id) > 64 {
		return false
	}
	for _, b := range []byte(id) {
		if (b < 'a' || b > 'z') && (b < '0' || b > '9') && b != '-' {
			return false
		}
	}
	return true
}

func (s *Server) listInstances(c *call) error {
	f, err := instanceFilter(c)
	if err != nil {
		return err
	}
	list, next, err := s.store.Instances(c.Request().Context(), f)
	if err != nil {
		return err
	}
	out := Instances{Instances: make([]Instance, 0, len(list)), NextCursor: next}
	for _, in := range list {
		out.Instances = append(out.Instances, instanceOut(in))
	}
	return ok(c, out)
}

func instanceFilter(c *call) (store.Filter, error) {
	f := store.Filter{TeamID: c.team(), Query: c.QueryParam("q")}
	var err error
	if f.Cursor, f.Limit, err = paging(c); err != nil {
		return f, err
	}
	if f.PersonID = c.QueryParam("person"); f.PersonID == "me" {
		f.PersonID = c.who.ID
	}
	if len(f.Query) > 100 || !printable(f.Query) {
		return f, invalid("q", "not_allowed_characters")
	}
	if f.PersonID != "" && !plainID(f.PersonID) {
		return f, invalid("person", "wrong_id")
	}
	f.States, f.Live, err = states(c.QueryParam("status"))
	return f, err
}

// states reads a list of states, or "live".
func states(text string) (list []life.State, live bool, err error) {
	if text == "" || text == "live" {
		return nil, text == "live", nil
	}
	for word := range strings.SplitSeq(text, ",") {
		if !slices.Contains(life.States, life.State(word)) {
			return nil, false, invalid("status", "unknown_status")
		}
		list = append(list, life.State(word))
	}
	return list, false, nil
}

func (s *Server) createInstance(c *call) error {
	var b RentBody
	if err := decode(c, &b); err != nil {
		return err
	}
	if err := s.withTemplate(c, &b); err != nil {
		return err
	}
	req, err := b.request(c)
	if err != nil {
		return err
	}
	in, _, err := s.store.Rent(c.Request().Context(), req)
	if err != nil {
		return err
	}
	s.fleet.Kick()
	where := apiRoot + "/instances/" + in.ID
	if in.State == life.Queued {
		return accepted(c, where, instanceOut(in))
	}
	return created(c, where, instanceOut(in))
}

// request checks what the store can't see any more: what was left out and what was 0.
func (b *RentBody) request(c *call) (store.RentRequest, error) {
	var w wrong
	req := store.RentRequest{
		PersonID: c.who.ID, Name: b.Name, PlanID: b.Plan, GPUModel: b.GPUModel, CPUOnly: b.CPUOnly, Kind: store.InstanceKind(b.Kind), Image: b.Image,
		Command: b.Command, Queue: b.Queue, Requeue: b.Requeue, Labels: b.Labels, IdempotencyKey: b.IdempotencyKey, GPUs: b.GPUs, Node: b.Node,
		CheckpointCommand: b.Checkpoint, Volumes: wishes(b.Volumes), Env: b.Env, Secrets: b.Secrets,
	}
	if req.Kind == "" {
		req.Kind = store.OnDemand
	}
	switch {
	case b.GPUCount != nil && *b.GPUCount < 1 && !b.CPUOnly && b.Plan == "" || b.GPUCount != nil && (*b.GPUCount < 0 || *b.GPUCount > maxGPUCount):
		w = append(w, invalid("gpu_count", "wrong_gpu_count"))
	case b.GPUCount != nil:
		req.GPUCount = *b.GPUCount
	case b.Plan == "" && !b.CPUOnly:
		req.GPUCount = max(1, len(b.GPUs))
	}
	if b.Port != nil {
		req.Port = *b.Port
	}
	if b.Hours != nil {
		d, err := parseHours(b.Hours.String())
		if err != nil {
			w = append(w, explain(err))
		}
		req.Duration = d
	}
	return req, w.orNil()
}

// maxGPUCount is more than any node has: beyond it a number is a slip.
const maxGPUCount = 1024

func (s *Server) getInstance(c *call) error {
	in, err := s.instance(c, c.Param("id"))
	if err != nil {
		return err
	}
	out, err := s.withQueue(c, in)
	if err != nil {
		return err
	}
	if in.EndedAt == nil && in.StartedAt != nil {
		told, err := s.store.InstanceIdle(c.Request().Context(), in.ID)
		if err != nil {
			return err
		}
		out.Idle = idleOut(told)
	}
	return ok(c, out)
}
