package term

import (
	"time"

	"github.com/meterhouse/meterhouse/store/money"
)

// Utilization returns how much of the reserved GPU-time was used, in parts per million. ok is false if nothing was
// reserved: then it is unknown.
func Utilization(used, reserved time.Duration) (ppm int64, ok bool) { return share(used, reserved) }

// Coverage returns how much of all used GPU-time was reserved, in parts per million. ok is false if nothing was used.
func Coverage(reserved, all time.Duration) (ppm int64, ok bool) { return share(reserved, all) }

func share(part, whole time.Duration) (ppm int64, ok bool) {
	if whole <= 0 {
		return 0, false
	}
	return money.Product(part.Microseconds(), Whole).Over(max(whole.Microseconds(), 1)), true
}

// BreakEven returns after how much use a reservation is no dearer than the same use on demand, to the microsecond. ok is
// false if that is not within the reservation's length.
func BreakEven(reservedMicros, onDemandMicrosPerHour int64, length time.Duration) (use time.Duration, ok bool) {
	if reservedMicros < 0 || onDemandMicrosPerHour <= 0 {
		return 0, false
	}
	us := money.Product(reservedMicros, hour).Over(onDemandMicrosPerHour)
	if us > length.Microseconds() {
		return 0, false
	}
	if !money.AtLeast(us, onDemandMicrosPerHour, reservedMicros, hour) {
		us++ // it was rounded down
	}
	return time.Duration(us) * time.Microsecond, us <= length.Microseconds()
}
