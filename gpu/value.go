package gpu

// Why says why a value is absent. Its texts are stable names, used in the API and looked up in the catalogue of texts.
type Why uint8

const (
	NotRead      Why = iota // nobody has asked yet; what the zero Value means
	NotSupported            // the device has no such sensor, or not in this mode
	NoPermission            // the driver refuses to tell this user
	Lost                    // the device does not answer any more
	Mismatch                // driver and library versions differ
	Invalid                 // the driver answered with what the device cannot do
)

var whyNames = [...]string{"not_read", "not_supported", "no_permission", "lost", "driver_mismatch", "invalid"}

func (w Why) String() string {
	if int(w) < len(whyNames) {
		return whyNames[w]
	}
	return "not_read"
}

// Value is an integer in the unit of its Metric, or the reason why there is none. The zero Value is unknown (NotRead), so
// that what was never read can not pass for a zero.
type Value struct {
	n     int64
	known bool
	why   Why
}

// Known is a value that was read.
func Known(n int64) Value { return Value{n: n, known: true} }

// Unknown is a value that is absent for a reason.
func Unknown(w Why) Value { return Value{why: w} }

// Get returns the number and whether there is one.
func (v Value) Get() (n int64, ok bool) { return v.n, v.known }

// Why returns the reason of an unknown value; it means nothing for a known one.
func (v Value) Why() Why { return v.why }
