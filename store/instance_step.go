package store

import "time"

// End is how an instance's processes ended.
type End struct {
	At        time.Time // the true end, from the shim; zero: now
	ExitCode  *int
	Detail    string
	Failed    bool // it did not end as it should have: failed instead of stopped
	HostFault bool
	Reason    string // stop reason if none was set; "": command_ended
}

// Proof is what was found after an end: whether anything of the instance is left.
type Proof struct {
	Clean bool
	Notes string // what was found, in words
}
