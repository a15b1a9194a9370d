package views

import "time"

// ReplayPage is /admin/prices/replay. POST there, as multipart, begins one, with the fields file (a CSV file), model, gpus,
// per_node and price (a decimal number an hour and GPU); POST /admin/prices/replay/cancel gives it up.
type ReplayPage struct {
	Page
	Form    Form
	Running *IntegrityRun // nil: none
	Runs    []ReplayRow   // that came to an end, the newest first
}

// ReplayRow is one replay.
type ReplayRow struct {
	Status, By, Name, Error   string
	At                        time.Time
	Model                     string
	GPUs                      int64
	RateMicros                int64 // of one GPU, an hour
	Asked, Served             int64 // tasks
	AskedHours, ServedHours   int64 // GPU-hours, in millionths
	LostHours                 int64
	UtilizationPPM            int64
	Reclaims                  int64
	OnDemandWait, SpotWait    [3]time.Duration // median, 95 of 100 below, longest
	OnDemandMicros, SpotMicro int64
	LedgerMicros              int64
}
