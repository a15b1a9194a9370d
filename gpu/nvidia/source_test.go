package nvidia

import (
	"slices"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/gputest"
)

func TestSourceKeepsItsPromises(t *testing.T) {
	if !inChild(t) {
		return
	}
	gputest.Source(t, func(t *testing.T) gputest.Hardware {
		m := newMachine(t)
		s := m.open(500 * time.Millisecond)
		set := func(uuid string, f gputest.Fault, on bool) {
			value := func(n int64) int64 {
				if on {
					return n
				}
				return 0
			}
			switch f {
			case gputest.Lost:
				m.set(uuid, "answer", value(lost))
			case gputest.Hang:
				m.set(uuid, "hang", value(1))
			case gputest.NotSupported:
				m.set(uuid, "unsupported", value(utilizationBit))
			case gputest.Nonsense:
				m.set(uuid, "power", value(3_700_000_000))
			case gputest.Mismatch:
				m.init, m.answer = int(value(mismatch)), int(value(mismatch))
				m.write()
			}
		}
		return gputest.Hardware{
			Source: s,
			Pass:   m.pass,
			Break:  func(uuid string, f gputest.Fault) { set(uuid, f, true) },
			Mend:   func(uuid string, f gputest.Fault) { set(uuid, f, false) },
			Xid:    m.xid,
			Reboot: func() gpu.Source {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				slices.Reverse(m.gpus)
				m.write()
				return m.open(500 * time.Millisecond)
			},
		}
	})
}
