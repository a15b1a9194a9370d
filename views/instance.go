package views

import "time"

// InstancePage is /instances/{id}. Its forms: POST …/stop with confirm (the instance's name, typed or sent by the dialog),
// POST …/suspend, POST …/resume, POST …/extend with hours, POST …/port with port. Without JavaScript "Stop…" leads to /instances/{id}?ask=stop,
// where Ask is "stop" and the page asks.
type InstancePage struct {
	Page
	InstanceRow
	Form        Form       // of extend, of stop, of save, or of port
	Ask         string     // "", "stop", "save", "port"
	Reason      string     // why it failed, is unreachable or was stopped, in words
	Step        string     // while starting: "queued", "image", "start", "health"
	Queue       *QueueLine // while it waits: up to itself
	Spot        *SpotFacts // nil: rented otherwise
	EndsWhy     string     // "hours", "reservation", "budget"
	Image       string
	ImageDigest string // of what it started from; "": it has none
	Command     string
	Labels      []string // "key=value"
	CPUs        int
	RAMBytes    int64
	DiskBytes   int64
	GPUs        []InstanceGPU
	BudgetLeft  Value // micro-units; unknown "no_budget"
	BudgetUntil time.Time
	Idle        IdleFacts
	StopsBudget string // of the budget that is used up and stops it at StopsAt; "": none
	StopsAt     time.Time
	Bill        Bill
	Events      []Event
	EventsMore  bool   // there are older ones
	Log         string // the last part of its output
	LogCut      bool   // there is more before it
	LogBad      bool   // it can't be read; the console's own log says why
	Limits      []Limit
	SSH         string // the command that enters it; "" where there is no gateway or it can't be entered
	Port        int    // that browsers are passed on to; 0: none
	BaseURL     string // how the CLI reaches this console, e.g. "http://127.0.0.1:8080"

	CanStop, CanSuspend, CanResume, CanExtend, CanTerminal, CanSave, CanPort bool
}

// formName is which of its forms came back.
func (v InstancePage) formName() string {
	if v.Ask == "save" || v.Ask == "port" {
		return v.Ask
	}
	return "extend"
}

// InstanceGPU is one GPU of an instance with what was last read.
type InstanceGPU struct {
	UUID, Name  string // Name is for show: "GPU 0"
	Model       string
	Simulated   bool
	Utilization Value // per mille
	MemoryUsed  Value // bytes
	MemoryTotal Value // bytes
	Power       Value // milliwatts
	PowerLimit  Value // milliwatts
	ReadAt      time.Time
}

// Bill is a bill explained: the lines add up to TotalMicros.
type Bill struct {
	Lines       []BillLine
	TotalMicros int64
	Open        bool // the last segment still runs

	FullMicrosPerHour int64 // on demand before the team's discount
	DiscountPPM       int64 // the team's discount, in parts per million; 0: it had none
}

// BillLine is one segment. State is an instance state, "minimum" (made up to 60 s), "storage" or "waived".
type BillLine struct {
	State             string
	From, To          time.Time // To is zero while it runs
	Seconds           int64
	RateMicrosPerHour int64
	AmountMicros      int64
	Billed            bool
	Note              string // why not billed or corrected, in words
}

// Event is something that happened to an instance. Kind chooses the text in the catalogue (lang.T.Event); Actor is the
// person's name, "" for the console itself; Args are what the text names.
type Event struct {
	At          time.Time
	Kind, Actor string
	Args        map[string]string
	You         bool // Actor is who looks
}

// Limit is one limit and whether this machine enforces it; Name as gpu.Limit writes it.
type Limit struct {
	Name     string
	Enforced bool
	Detail   string
}
