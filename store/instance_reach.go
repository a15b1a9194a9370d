package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/meterhouse/meterhouse/store/life"
)

// ProofOfLife says that instances were seen to live at a moment: one small write for all, every few seconds. PostDue books
// no time that is not proven.
func (s *Store) ProofOfLife(ctx context.Context, ids []string, at time.Time) error {
	if len(ids) == 0 {
		return nil
	}
	chosen, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	return s.write(ctx, func(t *tx) error {
		us := micros(earlier(at, t.now))
		_, err := t.exec("UPDATE instance SET proof_at = ?1 WHERE id IN (SELECT value FROM json_each(?2)) AND ended_at IS NULL AND coalesce(proof_at, 0) < ?1", us, string(chosen))
		return err
	})
}

// MarkUnreachable says that nothing proves any more that an instance lives, and why: its node is lost, or can't tell. It is
// billed up to the last proof of life (the one given, or a later one that is known), and no further until MarkReachable or
// MarkEnded prove more.
func (s *Store) MarkUnreachable(ctx context.Context, id string, lastProof time.Time, why string) error {
	return s.write(ctx, func(t *tx) error {
		i, err := t.instance(id)
		if err != nil || i.State == life.Unreachable || i.State.Ended() {
			return err
		}
		billed := i.StartedAt != nil && i.EndedAt == nil
		if billed {
			at := t.between(&i, lastProof)
			if i.ProofAt != nil {
				at = later(at, earlier(*i.ProofAt, t.now))
			}
			closed, err := t.closeSegment(id, at, false)
			if err != nil {
				return err
			}
			if err := t.openSegment(&i, life.Unreachable, closed); err != nil {
				return err
			}
			if err := t.book(&i, closed); err != nil {
				return err
			}
		}
		if err := t.step(&i, life.Unreachable); err != nil {
			return err
		}
		return t.instanceEvent(id, "unreachable", "", map[string]string{"last_proof": lastProof.UTC().Format(time.RFC3339), "detail": clipped(why, detailMax)})
	})
}

// MarkReachable says that an instance's node is back. If the instance ran on (alive), the time out of reach is billed and
// it is again what it was; if it did not, it ended at its last proof of life, by the host's fault, and is stopping.
func (s *Store) MarkReachable(ctx context.Context, id string, alive bool, at time.Time) error {
	return s.write(ctx, func(t *tx) error {
		i, err := t.instance(id)
		if err != nil || i.State != life.Unreachable {
			return err
		}
		at := t.between(&i, at)
		to, err := t.before(&i)
		if err != nil {
			return err
		}
		switch {
		case !alive && i.EndedAt == nil:
			if _, err := t.exec("UPDATE instance SET ended_badly = 1, stop_reason = CASE stop_reason WHEN '' THEN 'node_lost' ELSE stop_reason END WHERE id = ?", id); err != nil {
				return err
			}
			if err := t.endBilling(&i, at, true, false); err != nil {
				return err
			}
			to = life.Stopping
		case alive && to.Billable():
			closed, err := t.closeSegment(id, at, true)
			if err != nil {
				return err
			}
			if err := t.openSegment(&i, to, closed); err != nil {
				return err
			}
			if err := t.book(&i, closed); err != nil {
				return err
			}
			if _, err := t.exec("UPDATE instance SET proof_at = ? WHERE id = ?", micros(at), id); err != nil {
				return err
			}
		}
		if err := t.step(&i, to); err != nil {
			return err
		}
		return t.instanceEvent(id, map[bool]string{true: "reachable", false: "gone"}[alive], "", nil)
	})
}

// before returns what an unreachable instance was before.
func (t *tx) before(i *Instance) (life.State, error) {
	switch {
	case i.EndedAt != nil:
		return life.Stopping, nil
	case i.StartedAt == nil:
		return life.Starting, nil
	}
	segments, err := t.segments(i.ID)
	if err != nil {
		return "", err
	}
	for k := len(segments) - 1; k >= 0; k-- {
		if state := segments[k].State; state != life.Unreachable {
			return state, nil
		}
	}
	return life.Running, nil
}
