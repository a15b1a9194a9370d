package fleet

import (
	"context"
	"time"
)

// loop runs look at once, then whenever woken and at least once an interval, until ctx ends. What went wrong is logged when
// it changes, not each time, and tried again at the next turn: a full disk must not end the fleet.
func (f *Fleet) loop(ctx context.Context, name string, interval time.Duration, wake waker, look func(context.Context) error) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	last := ""
	for {
		err := look(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil && last != "":
			f.log.Info("works again", "loop", name)
			last = ""
		case err != nil && err.Error() != last:
			f.log.Error("will be tried again", "loop", name, "error", err)
			last = err.Error()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-wake:
		case <-ticker.C:
		}
	}
}

// forward wakes the loops when the database changed in this process. What another process changed is seen at the next turn.
func (f *Fleet) forward(ctx context.Context) error {
	events, cancel := f.store.Subscribe()
	defer cancel()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, open := <-events:
			if !open {
				return nil
			}
			f.wake.event(e.Kind)
		}
	}
}
