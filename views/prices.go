package views

import "time"

// PricesPage is /admin/prices. The price list is POST /admin/prices with the fields price-PLAN (a decimal number an hour),
// starts (a wall time of the site, "" for now) and do ("try", "publish"); a discount is POST /admin/prices/discounts with team,
// pool, percent ("" ends the rule) and starts; the terms are POST /admin/prices/terms with length-K, unit-K ("d", "m"),
// percent-K and starts; a pool's least spot price is POST /admin/prices/spot with pool and percent.
type PricesPage struct {
	Page
	Pools        []PricePool
	Form         Form // of the price list
	Trial        *PriceTrial
	Discounts    []DiscountRow // that hold or will, the newest first
	DiscountSeen int64         // the newest version of any
	DiscountForm Form
	Teams, Where []Option // that a discount can be for
	Terms        []TermStep
	TermsNext    []TermStep // that begin later, none if none do
	TermsVersion int64      // the newest
	TermsStart   time.Time  // when they do
	TermsForm    Form
	SpotForm     Form
	SpotPools    []Option
}

// PricePool is a pool with its plans.
type PricePool struct {
	Name      string // "": CPU-only work
	Simulated bool
	Plans     []PlanRow
}

// PlanRow is a plan with its price on demand.
type PlanRow struct {
	ID        string
	GPUs      int
	Micros    int64     // an hour, now
	Since     time.Time // zero: from the beginning
	Version   int64
	Newest    int64 // version, whenever it starts
	By        string
	Next      Value // that begins later
	NextStart time.Time
}

// PriceTrial is what last month's use would have cost.
type PriceTrial struct {
	From, To           time.Time
	Rows               []TrialRow
	WasMicros, WouldBe int64
	Changes            int // prices that differ
}

// TrialRow is one team's.
type TrialRow struct {
	Team               string
	GPUSeconds         int64
	WasMicros, WouldBe int64
}

// DiscountRow is a rule by which somebody pays less.
type DiscountRow struct {
	TeamID, Team string // "": every team
	PoolID, Pool string // "": every pool
	PPM          int64
	StartsAt     time.Time
	By           string
	Later        bool // it begins later
	Ends         bool // and then there is none
}

// TermStep is the discount from a length on.
type TermStep struct {
	Days, Months int // one of them
	PPM          int64
}
