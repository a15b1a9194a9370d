package views

// WastePage is /costs/waste?days=7&group=GROUP.
type WastePage struct {
	Page
	Days  int    // 7, 30
	Group string // "instance", "member", "workload"
	Whose string // a team's name; "": the site's
	Own   bool   // what is the person's own alone
	Rows  []WasteRow
	Total WasteRow
}

// WasteRow is what a cost was for: its three parts add up to it.
type WasteRow struct {
	Name, URL                             string
	Simulated                             bool
	UsedMicros, IdleMicros, UnknownMicros int64
	Activity                              Value // per mille of what is known of its time, GPUs on average
	Low, High                             int64 // of the workload's band, per mille; 0, 0: none
}

func (r WasteRow) cost() int64 { return r.UsedMicros + r.IdleMicros + r.UnknownMicros }

// below reports whether it is known to be less active than its workload's band.
func (r WasteRow) below() bool { return r.Activity.Known && r.Activity.N < r.Low }

var (
	wasteGroups = []string{"instance", "member", "workload"}
	wasteDays   = []string{"7", "30"}
)
