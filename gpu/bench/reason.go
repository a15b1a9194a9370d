package bench

// Reason is the stable name of why a figure is not stable or a run failed; pages look its text up in the catalogue.
type Reason string

// Why a test is unstable.
const (
	ReasonTime        Reason = "time"         // the interval of the median was still too wide when time was up
	ReasonSpread      Reason = "spread"       // the coefficient of variation is over maxCV
	ReasonOtherLoad   Reason = "other_load"   // other processes used this machine's CPUs meanwhile
	ReasonLoadUnknown Reason = "load_unknown" // this machine does not tell what else ran
	ReasonSteal       Reason = "steal"        // the hypervisor gave the CPUs to others
	ReasonThrottled   Reason = "throttled"    // the CPU quota or the temperature limit held the run back
	ReasonInCache     Reason = "in_cache"     // the arrays are too small to measure memory
)

// Why a test or a run has no score at all.
const (
	ReasonWrong      Reason = "wrong"      // a kernel's result was outside the error bound
	ReasonMemory     Reason = "memory"     // not enough memory for the smallest sensible size
	ReasonDied       Reason = "died"       // the process ended without saying that it was done
	ReasonIncomplete Reason = "incomplete" // it said done, but results of planned tests are missing
	ReasonEmpty      Reason = "empty"      // it wrote no event at all
	ReasonInternal   Reason = "internal"   // an error inside the runner; Detail says which
)

// Note is the stable name of something worth knowing about a figure that does not make it unstable.
type Note string

const (
	NoteSizeShrunk   Note = "size_shrunk"   // memory was too small for the size that was asked for or is usual
	NoteCacheUnknown Note = "cache_unknown" // the size of the last-level cache is not told; assumedCacheBytes was taken
	NotePartialRows  Note = "partial_rows"  // only the first Rows rows of the product were computed, at full width and depth
)

// Reasons lists every Reason, so that a catalogue of texts can be checked against it.
func Reasons() []Reason {
	return []Reason{ReasonTime, ReasonSpread, ReasonOtherLoad, ReasonLoadUnknown, ReasonSteal, ReasonThrottled, ReasonInCache,
		ReasonWrong, ReasonMemory, ReasonDied, ReasonIncomplete, ReasonEmpty, ReasonInternal}
}

// Notes lists every Note.
func Notes() []Note { return []Note{NoteSizeShrunk, NoteCacheUnknown, NotePartialRows} }
