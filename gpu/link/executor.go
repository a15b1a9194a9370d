package link

import (
	"context"
	"encoding/json"
	"syscall"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// Executor is what runs on the node, gpu.ErrUnreachable while there is no line.
func (n *Node) Executor() gpu.Executor { return executor{n} }

type executor struct{ n *Node }

// Name is the agent's executor's, as it was called last.
func (e executor) Name() string { return e.n.Info().Executor }

// Limits returns what the node said last, where it can't be asked.
func (e executor) Limits(ctx context.Context) []gpu.Limit {
	var limits []gpu.Limit
	_, err := e.n.call(ctx, "limits", "", nil, &limits)
	e.n.mu.Lock()
	defer e.n.mu.Unlock()
	if err == nil {
		e.n.limits = limits
	}
	return e.n.limits
}

// state calls what returns a State, and moves its times to the console's clock.
func (e executor) state(ctx context.Context, call, id string, args any) (st gpu.State, err error) {
	s, err := e.n.call(ctx, call, id, args, &st)
	if s != nil {
		e.place(&st, s.clock.coarse())
	}
	return st, err
}

func (e executor) place(st *gpu.State, by time.Duration) {
	for _, t := range []*time.Time{&st.StartedAt, &st.LastProof, &st.EndedAt} {
		if !t.IsZero() {
			*t = t.Add(by)
		}
	}
	if st.Node == "" && st.ID != "" {
		st.Node = e.n.name
	}
}

func (e executor) Start(ctx context.Context, spec gpu.Spec) (gpu.State, error) {
	return e.state(ctx, "start", spec.ID, spec)
}

func (e executor) State(ctx context.Context, id string) (gpu.State, error) {
	return e.state(ctx, "state", id, nil)
}

func (e executor) Wait(ctx context.Context, id string) (gpu.State, error) {
	return e.state(ctx, "wait", id, nil)
}

func (e executor) Stop(ctx context.Context, id string, grace time.Duration) (gpu.State, error) {
	return e.state(ctx, "stop", id, stopArgs{grace.Milliseconds()})
}

func (e executor) List(ctx context.Context) (all []gpu.State, err error) {
	s, err := e.n.call(ctx, "list", "", nil, &all)
	if err != nil {
		return nil, err
	}
	for i := range all {
		e.place(&all[i], s.clock.coarse())
	}
	return all, nil
}

func (e executor) act(ctx context.Context, call, id string, args any) error {
	_, err := e.n.call(ctx, call, id, args, nil)
	return err
}

func (e executor) Signal(ctx context.Context, id string, sig syscall.Signal) error {
	return e.act(ctx, "signal", id, signalArgs{int(sig)})
}

func (e executor) Notice(ctx context.Context, id string, content []byte) error {
	return e.act(ctx, "notice", id, noticeArgs{content})
}

func (e executor) Suspend(ctx context.Context, id string) error {
	return e.act(ctx, "suspend", id, nil)
}
func (e executor) Resume(ctx context.Context, id string) error { return e.act(ctx, "resume", id, nil) }
func (e executor) Remove(ctx context.Context, id string) error { return e.act(ctx, "remove", id, nil) }

func (e executor) Usage(ctx context.Context, id string) (u gpu.Usage, err error) {
	return u, e.get(ctx, "usage", id, &u)
}

func (e executor) PIDs(ctx context.Context, id string) (pids []int, err error) {
	return pids, e.get(ctx, "pids", id, &pids)
}

func (e executor) Clean(ctx context.Context, id string) (left gpu.Residue, err error) {
	return left, e.get(ctx, "clean", id, &left)
}

func (e executor) get(ctx context.Context, call, id string, result any) error {
	_, err := e.n.call(ctx, call, id, nil, result)
	return err
}

// doneOf reads how a call with streams ended from its last frame.
func doneOf(payload []byte, result any) error {
	var r reply
	if err := json.Unmarshal(payload, &r); err != nil {
		return err
	}
	if len(r.Result) > 0 && result != nil {
		if err := json.Unmarshal(r.Result, result); err != nil {
			return err
		}
	}
	return r.Error.err()
}
