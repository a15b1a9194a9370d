package views

import "time"

// ReservationPage is /reservations/{id}, and ?ask=cancel with what giving it up means. Extending is POST
// /reservations/{id}/extend with the fields end, end_which, expect, idempotency_key and do ("extend", or "quote"); giving up
// is POST /reservations/{id}/cancel.
type ReservationPage struct {
	Page
	ID, Name, State      string // "booked", "running" (booked, and on now), "cancelled", "released", "ended"
	Team, Owner          string
	Model                string
	Simulated            bool
	Count                int
	Named                bool
	GPUs                 []string // "GPU 0"
	Node                 string
	Start, End           time.Time
	ClaimedAt, EndedAt   time.Time // zero: not; EndedAt: cancelled or released
	Parts                []ReservationPart
	TotalMicros          int64
	CostMicros           int64 // by now
	FeeMicros            int64
	RefundMicros         int64
	Used, Reserved, OnIt time.Duration // GPU time: used of it, reserved by now, all that the team used on GPUs in this time
	Utilization          Value         // per mille
	Coverage             Value         // per mille
	BreakEven            time.Duration // use after which it is no dearer than on demand; zero: never
	Instances            []InstanceRow
	CanEnd, CanUse       bool
	Ask                  bool
	CancelMicros         int64 // fee now
	BackMicros           int64 // at most, if all is rented again
	Extend               *ExtendForm
	ListMicrosPerHour    int64
}

// ReservationPart is a part at one rate, with its product.
type ReservationPart struct {
	From, To                             time.Time
	ListMicrosPerHour, RateMicrosPerHour int64
	DiscountPPM                          int64
	AmountMicros                         int64
}

// ExtendForm is a later end, and what it costs.
type ExtendForm struct {
	Form        Form
	Times       FormTimes
	Quote       *ReserveQuote
	Refused     string
	Overlaps    []CalendarEntry
	UntilURL    string // fills the form with how far it can go
	Until       time.Time
	NearestURL  string // to reserve elsewhere
	NearestFrom time.Time
	NearestTo   time.Time
	LookFirst   bool
}
