package gpu

// Limits of what any GPU can do. Drivers sometimes answer "success" with a number that no device reaches; such a number is
// worse than none, because it is averaged and billed. The widest part sold today stands in each comment.
const (
	maxPerMille    = 1000
	maxFan         = 2000                  // NVML's document allows more than 100 % of the nominal speed
	maxPower       = 3_000_000             // milliwatts, where the device does not tell its limit: B200 draws 1,000 W
	maxEnergy      = 1_000_000_000_000_000 // millijoules: a terajoule, 30 years at 1,000 W
	minTemperature = -40                   // degrees Celsius
	maxTemperature = 130                   // degrees Celsius: every part shuts down below
	maxClock       = 30_000                // MHz: GDDR7 is reported up to 16,000
	maxMemory      = 4 << 40               // bytes: 4 TiB
)

// Plausible returns n as a known value of metric m, or Unknown(Invalid) where device d can not have meant it: more memory
// than it has, half as much power again as its limit, a share above the whole.
func (d Device) Plausible(m Metric, n int64) Value {
	low, high := int64(0), int64(maxPerMille)
	switch m {
	case MemoryUsed, MemoryReserved, MemoryTotal:
		high = maxMemory
		if d.MemoryBytes > 0 && d.MemoryBytes < maxMemory {
			high = int64(d.MemoryBytes)
		}
	case Power:
		high = maxPower
		if limit, ok := d.PowerLimit.Get(); ok && limit > 0 && limit < maxPower {
			high = limit + limit/2
		}
	case Energy:
		high = maxEnergy
	case Temperature:
		low, high = minTemperature, maxTemperature
	case ClockSM, ClockMemory:
		high = maxClock
	case Fan:
		high = maxFan
	case Throttle:
		high = 1<<63 - 1
	}
	if n < low || n > high {
		return Unknown(Invalid)
	}
	return Known(n)
}
