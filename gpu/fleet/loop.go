package fleet

import (
	"context"
	"time"
)

// loop runs look at once, then whenever woken and at least once an interval, until ctx ends. What went wrong is logged when
// it changes, not each time, and tried again at the next turn: a full disk must not end the fleet.
func (c *common) loop(ctx context.Context, name string, interval time.Duration, wake waker, look func(context.Context) error) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	last := ""
	for {
		err := look(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil && last != "":
			c.log.Info("works again", "loop", name)
			last = ""
		case err != nil && err.Error() != last:
			c.log.Error("will be tried again", "loop", name, "error", err)
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

// event wakes the loops that care for this kind of event, the machines' too.
func (f *Fleet) event(kind string) {
	f.wake.event(kind)
	for _, m := range f.all() {
		m.wake.event(kind)
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
			f.event(e.Kind)
		}
	}
}
