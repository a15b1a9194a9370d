package views

import "time"

// RentPage is /rent, the catalogue.
type RentPage struct {
	Page
	Offers []Offer
}

// Offer is a row of the catalogue: the GPUs of one model under one plan. GPUs is 0 for CPU-only work.
type Offer struct {
	Plan        string // goes into /rent/new?plan=
	Model       string // "A100-SXM4-80GB"; "" for a plan without GPU
	Simulated   bool
	MemoryBytes int64 // of one GPU
	CPUs        int   // that go with one GPU, or with the plan
	RAMBytes    int64
	Free, Total int
	// Blocked says for each GPU that can't be rented by which rule or fact; those that are simply rented are not in it.
	Blocked        []Blocked
	FreeAbout      time.Time // when one is free by its hard end; zero: unknown
	HardEnd        time.Time // up to when it can be had; zero: no end
	OnDemandMicros int64     // an hour and GPU, as the person's team pays it
	FullMicros     int64     // on demand before the team's discount
	DiscountPPM    int64     // the team's discount, in parts per million
	SpotMicros     Value     // an hour and GPU; unknown "not_offered"
	FP32           Value     // measured, GFLOPS; unknown "not_measured" or "simulated"
	Stream         Value     // measured, MB/s
	BenchURL       string    // the run that measured it
}

// Blocked is why some GPUs of an offer can't be rented. Reason: "in_use" (simply rented), "quarantined", "fenced", "lost",
// "node_lost", "node_cordoned", "driver_mismatch", "no_price", "busy" (an unknown process holds it), "quota", "role".
type Blocked struct {
	Reason string
	Count  int
	Detail string // names and numbers, e.g. "9.9 GB held, no owner"
}

// RentNewPage is /rent/new?plan=PLAN. Its form is POST /rent/new with the fields plan, gpu_count, name, image, command,
// hours (a decimal number, "" for no hard end), queue ("1": wait if none is free), labels ("key=value, key=value"),
// kind, requeue ("1"), checkpoint_command, port, idempotency_key (hidden) and do: "rent", or "quote" to see the price of what was typed without renting (answer 200).
type RentNewPage struct {
	Page
	Form    Form
	Plans   []PlanOption
	Kinds   []string  // that can be chosen
	Images  []Option  // the first is "this machine's files"
	Secrets []string  // names of those that the person can use
	Stores  []Option  // volumes that can be attached, the first is none; empty where there are no volumes
	Ask     *QuotaAsk // where a limit was in the way
	Quote   *Quote    // nil where the form is too wrong to say a price

	Reservation, ReservationName string // that it uses; sent as the field reservation
}

// PlanOption is a plan in the select of /rent/new.
type PlanOption struct {
	Plan, Model    string
	Simulated      bool
	Free, MaxGPUs  int // MaxGPUs 0: CPU-only
	OnDemandMicros int64
	CPUs           int
	RAMBytes       int64
}

// Quote is what a person knows before they click Rent.
type Quote struct {
	RateMicrosPerHour int64 // of all GPUs together
	GPUCount          int
	HardEnd           time.Time // zero: none
	HardEndWhy        string    // "hours" (as asked), "reservation" (the next one begins)
	TotalMicros       Value     // cost up to HardEnd; unknown where there is none
	BudgetLeft        Value     // micro-units; unknown "no_budget"
	BudgetRunsOut     time.Time // at this rate together with all that runs; zero: not within the period
	Starts            string    // "now", "queued", "notice" (spot instances yield), "refused"
	StartsAbout       time.Time // for "queued"; zero: unknown
	QueuePlace        int
	// ImageFit: "fits", "too_old", "unknown", "no_need"; "" for the machine's own files. The others: "" where not known.
	ImageFit, ImageCUDA, ImageNeeds, ImageDriver string
	ListMicrosPerHour                            int64  // spot: what it costs on demand; else 0
	FullMicrosPerHour                            int64  // on demand before the team's discount; 0 where it has none
	DiscountPPM                                  int64  // the team's discount, in parts per million
	Refused                                      string // why, in words from the catalogue or the store's error
}
