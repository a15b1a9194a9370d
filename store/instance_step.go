package store

import (
	"context"
	"strconv"
	"time"

	"github.com/meterhouse/meterhouse/store/life"
)

// End is how an instance's processes ended.
type End struct {
	At        time.Time // the true end, from the shim; zero: now
	ExitCode  *int
	Detail    string
	Failed    bool   // it did not end as it should have: failed instead of stopped
	HostFault bool   // not the person's doing: free in its first minute
	Reason    string // stop reason, if none was given before; "": command_ended
}

// Proof is what was found after an end: whether anything of the instance is left.
type Proof struct {
	Clean bool
	Notes string // what was found, in words for people
}

// step takes an instance to another state. Conflict where the table of steps has no such step.
func (t *tx) step(i *Instance, to life.State) error {
	refused := &Error{Kind: Conflict, Message: "step_not_allowed", Args: map[string]string{"from": string(i.State), "to": string(to)}}
	if !life.Allowed(i.State, to) {
		return refused
	}
	n, err := t.exec("UPDATE instance SET state = ? WHERE id = ? AND state = ?", string(to), i.ID, string(i.State))
	if err != nil {
		return err
	}
	if n == 0 {
		return refused
	}
	i.State = to
	t.emit("instance", i.ID)
	return t.benchmarkFollows(i)
}

// between cuts a time that a caller names to what can be: not before the instance was asked for, not after now.
func (t *tx) between(i *Instance, at time.Time) time.Time {
	if at.IsZero() {
		at = t.now
	}
	return later(earlier(instant(at), t.now), i.RequestedAt)
}

// MarkRunning says that a starting instance is healthy: it is billed from at on. Conflict if it was stopped meanwhile.
func (s *Store) MarkRunning(ctx context.Context, id string, at time.Time) error {
	return s.write(ctx, func(t *tx) error {
		i, err := t.instance(id)
		if err != nil || i.State == life.Running {
			return err
		}
		if i.State != life.Starting {
			return &Error{Kind: Conflict, Message: "step_not_allowed", Args: map[string]string{"from": string(i.State), "to": string(life.Running)}}
		}
		at := t.between(&i, at)
		if err := t.step(&i, life.Running); err != nil {
			return err
		}
		if _, err := t.exec("UPDATE instance SET started_at = ?1, proof_at = ?1, booked_through = ?1 WHERE id = ?2", micros(at), id); err != nil {
			return err
		}
		if err := t.openSegment(&i, life.Running, at); err != nil {
			return err
		}
		return t.instanceEvent(id, "running", "", nil)
	})
}

// MarkStartFailed says that a starting instance never became healthy, and whether anything of it is left: nothing is billed,
// and its GPUs are free again or, with something left, quarantined, and the admins told.
func (s *Store) MarkStartFailed(ctx context.Context, id, why string, at time.Time, proof Proof) error {
	return s.write(ctx, func(t *tx) error {
		i, err := t.instance(id)
		if err != nil || i.State.Ended() {
			return err
		}
		if i.StartedAt != nil {
			return &Error{Kind: Conflict, Message: "step_not_allowed", Args: map[string]string{"from": string(i.State), "to": string(life.Failed)}}
		}
		if _, err := t.exec(`UPDATE instance SET ended_at = coalesce(ended_at, ?), ended_badly = 1, exit_detail = ?,
			stop_reason = CASE stop_reason WHEN '' THEN 'start_failed' ELSE stop_reason END WHERE id = ?`,
			micros(t.between(&i, at)), clipped(why, detailMax), id); err != nil {
			return err
		}
		if err := t.step(&i, life.Failed); err != nil {
			return err
		}
		if !proof.Clean {
			if err := t.quarantine(&i, clipped(proof.Notes, detailMax)); err != nil {
				return err
			}
		}
		if err := t.instanceEvent(id, "start_failed", "", map[string]string{"why": clipped(why, detailMax)}); err != nil {
			return err
		}
		return t.released(id)
	})
}

// released does what follows when an instance has ended: it tells whom it concerns.
func (t *tx) released(id string) error {
	i, err := t.instance(id)
	if err != nil {
		return err
	}
	for _, uuid := range i.GPUs {
		t.emit("gpu", uuid)
	}
	if i.StopReason == "by_person" || i.BenchmarkID != "" {
		return nil
	}
	p, err := t.person(i.PersonID)
	if err != nil {
		return err
	}
	return t.mail(Mail{MessageID: "instance-stopped." + i.ID + "@meterhouse", To: p.Email, Template: "instance_stopped", Data: map[string]string{
		"instance": i.ID, "name": i.Name, "reason": i.StopReason, "state": string(i.State), "cost_micros": strconv.FormatInt(i.CostMicros, 10), "detail": i.ExitDetail}})
}

// MarkStopped says that nothing of a stopping instance is left (or what is): it is stopped, or failed where it did not end
// well, and its GPUs are free; with something left they are quarantined in the same transaction, and the admins told.
func (s *Store) MarkStopped(ctx context.Context, id string, proof Proof) error {
	return s.write(ctx, func(t *tx) error {
		i, err := t.instance(id)
		if err != nil || i.State.Ended() {
			return err
		}
		to := life.Stopped
		if i.endedBadly {
			to = life.Failed
		}
		if i.State != life.Stopping {
			return &Error{Kind: Conflict, Message: "step_not_allowed", Args: map[string]string{"from": string(i.State), "to": string(to)}}
		}
		if err := t.step(&i, to); err != nil {
			return err
		}
		args := map[string]string{"state": string(to)}
		if !proof.Clean {
			args["notes"] = clipped(proof.Notes, detailMax)
			if err := t.quarantine(&i, args["notes"]); err != nil {
				return err
			}
		}
		if err := t.instanceEvent(id, "ended", "", args); err != nil {
			return err
		}
		if err := t.requeue(&i); err != nil {
			return err
		}
		return t.released(id)
	})
}

// quarantine keeps an instance's GPUs from being offered, and tells the admins why.
func (t *tx) quarantine(i *Instance, notes string) error {
	admins, err := t.admins()
	if err != nil {
		return err
	}
	for _, uuid := range i.GPUs {
		if err := t.setGPUState(uuid, GPUQuarantined, notes); err != nil {
			return err
		}
		if err := t.audit(AuditRecord{Action: "gpu_quarantined", Target: uuid, Detail: i.ID + ": " + notes}); err != nil {
			return err
		}
		for _, p := range admins {
			err := t.mail(Mail{MessageID: "gpu-quarantined." + i.ID + "." + shortHash(uuid+p.ID) + "@meterhouse", To: p.Email, Template: "gpu_quarantined",
				Data: map[string]string{"gpu": uuid, "gpu_model": i.GPUModel, "node": i.NodeName, "instance": i.ID, "name": i.Name, "notes": notes}})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
