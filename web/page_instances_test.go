package web

import (
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
)

func TestWhatIsReclaimedEndsWhenTheNoticeSaysUnlessItsHardEndIsSooner(t *testing.T) {
	notice := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	in := store.Instance{State: life.Reclaiming, SpotRun: store.SpotRun{NoticeAt: &notice}}
	reclaims := *in.ReclaimsAt()
	sooner, later := notice.Add(time.Second), notice.Add(time.Hour)
	for _, c := range []struct {
		hard *time.Time
		want time.Time
	}{{nil, reclaims}, {&later, reclaims}, {&sooner, sooner}} {
		in.EndsAt = c.hard
		if got := instanceRow(in).EndsAt; !got.Equal(c.want) {
			t.Errorf("hard end %v: ends at %v, want %v", c.hard, got, c.want)
		}
	}
}
