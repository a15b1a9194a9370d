package spot

import "time"

// Pace is how often the price moves; it moves by at most a fiftieth of itself.
const Pace = 5 * time.Minute

// grain is the grid on which the use is averaged. Both grids count from the Unix epoch.
const grain = time.Minute

const (
	minute      = int64(grain / time.Microsecond)
	pace        = int64(Pace / time.Microsecond)
	moves       = 50            // the part of itself by which a price may move at once
	perPPM      = 1000          // an average is kept in parts per billion, so that its rounding is never seen
	weight      = 64_493_015    // 1 - exp(-1 min / 15 min), of weightWhole
	weightWhole = 1_000_000_000 // so that average × weight stays far below an int64's end
)

// Market is the spot market of a pool at one moment: a plain value, to be kept as it is.
type Market struct {
	UsePPM     int64     // what the pool's use is since At
	AreaPPM    int64     // use × microseconds since the last full minute before At
	AveragePPB int64     // the moving average with a time constant of 15 minutes, as of that minute
	FactorPPM  int64     // the price's share of the on-demand price
	At         time.Time // in UTC
}

// Open returns the market of a pool that has been used that much for long: its price is where it would come to rest.
func Open(usePPM, minimumPPM int64, at time.Time) Market {
	usePPM = bounded(usePPM)
	us := at.UnixMicro()
	return Market{UsePPM: usePPM, AreaPPM: usePPM * (us - floor(us, minute)), AveragePPB: usePPM * perPPM,
		FactorPPM: max(Curve(usePPM), Floor(minimumPPM)), At: at.UTC()}
}

// Floor returns an admin's minimum of the factor within what is allowed: 10 % to 100 %.
func Floor(minimumPPM int64) int64 { return min(max(minimumPPM, LowestMinimum), Whole) }

// Observe returns the market at a moment from which on the use is another: until then it was what was observed before.
func (m Market) Observe(usePPM, minimumPPM int64, at time.Time) Market {
	m = m.Tick(minimumPPM, at)
	m.UsePPM = bounded(usePPM)
	return m
}

// Tick returns the market at a later moment with the same use. Ticking often, seldom, or once after a long outage comes to
// the same, and takes bounded work. A moment before At changes nothing. A minimum that was raised is approached at the
// price's own pace.
func (m Market) Tick(minimumPPM int64, at time.Time) Market {
	return m.Follow(minimumPPM, at, func(Market) {})
}

// Follow is Tick that tells of each move of the price, with the market as it was at that moment.
func (m Market) Follow(minimumPPM int64, at time.Time, moved func(Market)) Market {
	now, to := m.At.UnixMicro(), at.UnixMicro()
	if to <= now {
		return m
	}
	for next := floor(now, minute) + minute; next <= to; next += minute {
		m.AreaPPM += m.UsePPM * (next - now)
		now = next
		steady := m.average()
		if before := m.FactorPPM; floor(now, pace) == now {
			m.FactorPPM, m.At = towards(before, m.target(minimumPPM)), time.UnixMicro(now).UTC()
			if m.FactorPPM != before {
				moved(m)
			}
		}
		if steady && m.FactorPPM == m.target(minimumPPM) { // and so at every later minute
			now = floor(to, minute)
			break
		}
	}
	m.AreaPPM += m.UsePPM * (to - now)
	m.At = time.UnixMicro(to).UTC()
	return m
}

// average takes in the minute that is full. It reports whether another one at the same use would change nothing.
func (m *Market) average() (steady bool) {
	mean := m.AreaPPM / (minute / perPPM)
	step := (mean - m.AveragePPB) * weight / weightWhole
	m.AveragePPB += step
	m.AreaPPM = 0
	return step == 0 && mean == m.UsePPM*perPPM
}

// AveragePPM returns the moving average of the use in parts per million.
func (m Market) AveragePPM() int64 { return (m.AveragePPB + perPPM/2) / perPPM }

// NextMove returns the first moment after At at which the price can move.
func (m Market) NextMove() time.Time {
	return time.UnixMicro(floor(m.At.UnixMicro(), pace) + pace).UTC()
}

func (m Market) target(minimumPPM int64) int64 {
	return max(Curve(m.AveragePPM()), Floor(minimumPPM))
}

// towards moves a factor to its target as far as it may at once.
func towards(factor, target int64) int64 {
	most := factor / moves
	return min(max(target, factor-most), factor+most)
}

func bounded(usePPM int64) int64 { return min(max(usePPM, 0), Whole) }

// floor returns the last point of a grid that is not after a time, also before the epoch.
func floor(us, grid int64) int64 {
	rest := us % grid
	if rest < 0 {
		rest += grid
	}
	return us - rest
}
