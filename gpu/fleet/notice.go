package fleet

import (
	"context"
	"time"
)

// noticeInterval is how late a notice may come: they are counted in minutes.
const noticeInterval = 5 * time.Second

// notices tells people ahead of time what ends and begins.
func (f *Fleet) notices(ctx context.Context) error {
	return f.loop(ctx, "notices", noticeInterval, f.noticesNow, func(ctx context.Context) error {
		_, err := f.store.GiveNotices(ctx)
		return err
	})
}
