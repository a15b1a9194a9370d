package views

// Value is a number in the unit its field names, or the reason why there is none. The zero Value is unknown, so that what
// was never read can not be shown as 0.
type Value struct {
	N     int64
	Known bool
	// Why is one of "not_read", "not_supported", "no_permission", "lost", "driver_mismatch", "invalid", as gpu.Why writes
	// them, or "not_measured", "simulated", "not_offered", "no_budget", "no_history".
	Why string
}

// Known is a value that there is.
func Known(n int64) Value { return Value{N: n, Known: true} }

// Unknown is a value that there is not, for a reason.
func Unknown(why string) Value { return Value{Why: why} }
