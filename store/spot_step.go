package store

import (
	"context"
	"strconv"

	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/spot"
)

// ReclaimStepTaken says that the first steps of a reclaim were taken, up to this number of them: their signals were sent.
// With the last one the instance is stopping and billed no longer. What was said before has no effect.
func (s *Store) ReclaimStepTaken(ctx context.Context, id string, steps int) error {
	return s.write(ctx, func(t *tx) error {
		i, err := t.instance(id)
		if err != nil || i.NoticeAt == nil || steps <= i.ReclaimSteps {
			return err
		}
		_, step, ok := spot.Next(*i.NoticeAt, steps-1)
		if !ok {
			return invalid("steps", "out_of_range")
		}
		if _, err := t.exec("UPDATE instance SET reclaim_steps = ? WHERE id = ?", steps, id); err != nil {
			return err
		}
		t.emit("instance", id)
		if err := t.instanceEvent(id, "reclaim_step", "", map[string]string{"signal": step.Signal}); err != nil {
			return err
		}
		if _, _, more := spot.Next(*i.NoticeAt, steps); more || i.State != life.Reclaiming {
			return nil
		}
		return t.requestStop(&i, "", "reclaimed")
	})
}

// CheckpointBegan says that the checkpoint command of an instance under notice is being run.
func (s *Store) CheckpointBegan(ctx context.Context, id string) error {
	return s.checkpoint(ctx, id, func(t *tx, i *Instance) error {
		if i.Checkpoint.BeganAt != nil {
			return nil // again, after the console was killed
		}
		if _, err := t.exec("UPDATE instance SET checkpoint_began = ? WHERE id = ?", micros(t.now), id); err != nil {
			return err
		}
		return t.instanceEvent(id, "checkpoint_began", "", nil)
	})
}

// CheckpointEnded says how the checkpoint command ended: by its exit status, or why it could not be run.
func (s *Store) CheckpointEnded(ctx context.Context, id string, exit *int, why string) error {
	return s.checkpoint(ctx, id, func(t *tx, i *Instance) error {
		kind, args, code := "checkpoint_failed", map[string]string{"detail": clipped(why, detailMax)}, any(nil)
		if exit != nil {
			kind, args, code = "checkpoint_ended", map[string]string{"code": strconv.Itoa(*exit)}, *exit
		}
		if _, err := t.exec("UPDATE instance SET checkpoint_ended = ?, checkpoint_exit = ?, checkpoint_detail = ? WHERE id = ?",
			micros(t.now), code, clipped(why, detailMax), id); err != nil {
			return err
		}
		return t.instanceEvent(id, kind, "", args)
	})
}

// checkpoint changes what is known of a checkpoint until its end is known.
func (s *Store) checkpoint(ctx context.Context, id string, change func(*tx, *Instance) error) error {
	return s.write(ctx, func(t *tx) error {
		i, err := t.instance(id)
		if err != nil || i.NoticeAt == nil || i.Checkpoint.Command == "" || i.Checkpoint.EndedAt != nil {
			return err
		}
		t.emit("instance", id)
		return change(t, &i)
	})
}
