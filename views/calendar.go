package views

import "time"

// CalendarPage is /calendar?from=DATE&view=week&pool=POOL, with the form to reserve beside it. The form is POST /calendar
// with the fields plan (of one GPU), gpu_count, gpus (UUIDs, instead of a count), start and end (wall clock of the site's
// zone, "2006-01-02T15:04"), start_which and end_which ("1" or "2", where the clocks show the time twice), name, expect (the
// price that was shown, micro-units), idempotency_key (hidden) and do: "reserve", or "quote" to see the price alone.
type CalendarPage struct {
	Page
	View             string // "week", "month"
	Pool             string // "" for all
	Pools            []Option
	From, To         time.Time   // midnights of the site's zone
	Days             []time.Time // the midnights from From on, To not among them
	Prev, Next, This string      // links
	Groups           []CalendarGroup
	Listed           []CalendarDay
	Reserve          *ReserveForm // nil: may not
	Feeds            []Feed
	NewFeed          string // its address, shown once
}

// CalendarGroup are GPUs of one pool on one node.
type CalendarGroup struct {
	Model, Node string
	Simulated   bool
	Plan        string // of one GPU
	Free        []CalendarSpan
	Lanes       []CalendarLane
}

// CalendarLane is one GPU.
type CalendarLane struct {
	UUID, Name string
	Spans      []CalendarSpan // in their order, none over another
}

// CalendarSpan is a time within the page's. Kind: "reserved", "on_demand", "spot", "out" (of service), "free" (of a pool).
type CalendarSpan struct {
	From, To   time.Time
	Kind       string
	Name       string // "" where it is not the person's business
	Detail     string // why it is out of service
	URL        string
	Free, Of   int  // of a pool's GPUs
	Before, On bool // goes on before, after the page
	InUse      bool
}

// CalendarDay is what begins on a day, or has begun before the first.
type CalendarDay struct {
	Day     time.Time
	Entries []CalendarEntry
}

// CalendarEntry is a reservation or an instance in words.
type CalendarEntry struct {
	From, To  time.Time // To zero: nobody knows
	Kind      string    // as of a span
	Name, URL string
	Team      string
	Count     int
	Model     string
	Because   string // what sets an instance's end
}

// ReserveForm is what is typed to reserve, and what it costs.
type ReserveForm struct {
	Form             Form
	Plans            []Option
	GPUs             []CalendarGPU
	Times            FormTimes
	Quote            *ReserveQuote // nil where there is nothing to say a price of
	Refused          string        // why not, in words
	Overlaps         []CalendarEntry
	NearestURL       string // fills the form with the nearest free time
	NearestFrom      time.Time
	NearestTo        time.Time
	LookFirst, Again bool // the price was not seen before the click; it is another than was seen
}

// FormTimes are the two times of a form; StartTwice and EndTwice are asked where the clocks show one twice, and StartMoved
// and EndMoved are told where they jump over it.
type FormTimes struct {
	StartTwice, EndTwice []Option
	StartMoved, EndMoved bool
}

// CalendarGPU can be reserved by its name.
type CalendarGPU struct{ UUID, Name, Model string }

// ReserveQuote is what is known before the click.
type ReserveQuote struct {
	Start, End        time.Time
	GPUCount          int
	Model             string
	Simulated         bool
	TotalMicros       int64
	ListMicros        int64 // on demand
	RateMicrosPerHour int64
	DiscountPPM       int64
	FreeUntil         time.Time // cancelling costs nothing before; past: it does already
	CancelMicros      int64     // at most
	BudgetLeft        Value
	BudgetAfter       int64 // with this
	Moved             int
}

// Feed is an address that calendar programs subscribe to.
type Feed struct {
	ID                string
	CreatedAt, UsedAt time.Time // UsedAt zero: never
}
