package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/spot"
)

// reclaimPause is how long a step of a reclaim waits for its time at once, and until it is tried again: far below the second
// within which it has to come.
const reclaimPause = 100 * time.Millisecond

// reclaim takes the steps of an instance's reclaim at their times, in a goroutine that run waits for.
func (k *keeper) reclaim(ctx context.Context) {
	if k.reclaiming {
		return
	}
	k.reclaiming = true
	k.watchers.Go(func() {
		r := reclaimer{m: k.m, id: k.id}
		defer r.hook.Wait()
		r.run(ctx)
	})
}

// reclaimer goes from step to step by what the database says was taken. A step is written down after it was taken: who is
// killed in between takes it again, but not who only can't write it down yet, because the disk is full.
type reclaimer struct {
	m     *machine
	id    string
	taken int
	said  string

	hook  sync.WaitGroup // the checkpoint command
	began bool           // it has
}

func (r *reclaimer) run(ctx context.Context) {
	for ctx.Err() == nil {
		at, more, err := r.step(ctx)
		if err != nil && ctx.Err() == nil && err.Error() != r.said {
			r.said = err.Error()
			r.m.log.Error("a step of the reclaim will be tried again", "instance", r.id, "error", err)
		}
		if !more {
			return
		}
		for wait := reclaimPause; wait > 0; {
			if !sleep(ctx, wait) {
				return
			}
			wait = min(at.Sub(r.m.now()), reclaimPause)
		}
	}
}

// step takes what is due, and returns when the next step is. more is false when the reclaim is over.
func (r *reclaimer) step(ctx context.Context) (at time.Time, more bool, err error) {
	inst, err := r.m.store.Instance(ctx, r.id)
	if err != nil {
		return at, true, err
	}
	if inst.State == life.Unreachable {
		return at, true, nil
	}
	if inst.State != life.Reclaiming || inst.NoticeAt == nil {
		return at, false, nil
	}
	due := spot.Due(*inst.NoticeAt, r.m.now())
	r.taken = max(r.taken, inst.ReclaimSteps)
	for k := r.taken; k < len(due); k++ {
		stepErr := r.m.takeStep(ctx, inst, due[k])
		if k == 0 {
			r.checkpoint(ctx, inst)
		}
		if errors.Is(stepErr, gpu.ErrNotRunning) || isUnknown(stepErr) {
			return at, false, nil // it has ended: the keeper hears of that
		}
		_, _, later := spot.Next(*inst.NoticeAt, k+1)
		if err = errors.Join(err, stepErr); stepErr == nil || !later { // the last one is the keeper's to finish
			r.taken = k + 1
		}
	}
	r.checkpoint(ctx, inst)
	if r.taken > inst.ReclaimSteps && ctx.Err() == nil {
		if told := r.m.store.ReclaimStepTaken(ctx, r.id, r.taken); told != nil {
			return at, true, errors.Join(err, told)
		}
	}
	at, _, more = spot.Next(*inst.NoticeAt, r.taken)
	return at, more, err
}

// takeStep sends what one step sends.
func (m *machine) takeStep(ctx context.Context, inst store.Instance, step spot.Step) error {
	switch step.Signal {
	case "SIGUSR1":
		content, err := notice(inst)
		if err != nil {
			return err
		}
		return m.executor.Notice(ctx, inst.ID, content)
	case "SIGTERM":
		return m.executor.Signal(ctx, inst.ID, syscall.SIGTERM)
	case "SIGKILL":
		return m.executor.Signal(ctx, inst.ID, syscall.SIGKILL)
	}
	return fmt.Errorf("no way to send %s", step.Signal)
}

// notice is what an instance finds in its notice.json.
func notice(inst store.Instance) ([]byte, error) {
	type signal struct {
		Signal string    `json:"signal"`
		At     time.Time `json:"at"`
	}
	content := struct {
		Instance string    `json:"instance"`
		Run      int       `json:"run"`
		NoticeAt time.Time `json:"notice_at"`
		Reclaims time.Time `json:"reclaims_at"`
		Requeue  bool      `json:"requeue"`
		Signals  []signal  `json:"signals"`
	}{inst.ID, inst.Run, *inst.NoticeAt, *inst.ReclaimsAt(), inst.Requeue, nil}
	for _, s := range spot.Due(*inst.NoticeAt, *inst.ReclaimsAt()) {
		content.Signals = append(content.Signals, signal{s.Signal, inst.NoticeAt.Add(s.After)})
	}
	text, err := json.Marshal(content)
	return append(text, '\n'), err
}

// checkpoint begins the command that the person named, once, and again if a console was killed while it ran: that took the
// command along.
func (r *reclaimer) checkpoint(ctx context.Context, inst store.Instance) {
	if r.began || inst.Checkpoint.Command == "" || inst.Checkpoint.EndedAt != nil {
		return
	}
	r.began = true
	r.hook.Go(func() {
		if err := r.m.runCheckpoint(ctx, inst); err != nil && ctx.Err() == nil {
			r.m.log.Error("what became of the checkpoint is not known", "instance", inst.ID, "error", err)
		}
	})
}

func (m *machine) runCheckpoint(ctx context.Context, inst store.Instance) error {
	unsaid := m.store.CheckpointBegan(ctx, inst.ID) // the work is not lost for that
	exit, err := m.executor.Exec(ctx, inst.ID, gpu.ExecRequest{Argv: []string{"/bin/sh", "-c", inst.Checkpoint.Command}})
	if ctx.Err() != nil {
		return ctx.Err() // the next console runs it again
	}
	if err != nil {
		return errors.Join(unsaid, m.store.CheckpointEnded(ctx, inst.ID, nil, err.Error()))
	}
	return errors.Join(unsaid, m.store.CheckpointEnded(ctx, inst.ID, &exit.Code, exit.Err))
}

// reclaimDue gives notice and places by what is due in the database.
func (f *Fleet) reclaimDue(ctx context.Context) error {
	if _, err := f.store.Reclaim(ctx); err != nil {
		return fmt.Errorf("reclaim what others need: %w", err)
	}
	return nil
}

// spotInterval is how often the use of the pools is looked at where nothing says that it has changed.
const spotInterval = 10 * time.Second

// spotMarkets writes down the use of the pools, and the moves of the spot price that are due.
func (f *Fleet) spotMarkets(ctx context.Context) error {
	return f.loop(ctx, "spot markets", spotInterval, f.spotNow, f.store.FollowSpotMarkets)
}
