package views

import (
	"net/url"
	"time"

	"github.com/meterhouse/meterhouse/web/lang"
)

func sampleQueueLine() QueueLine {
	row := QueueRow{Kind: "on_demand", GPUModel: "A100-SXM4-80GB", Team: "research", StartsAt: Unknown("no_end_ahead")}
	first, second, third, fourth := row, row, row, row
	first.Place, first.ID, first.Name, first.Owner, first.GPUCount, first.Since, first.Reason, first.Aged, first.CanCancel = 1, "i-1a2b3c", "llama-pretrain", "Operator", 8, at(7, 0, 0).AddDate(0, 0, -1), "no_gpus", true, true
	second.Place, second.Team, second.GPUCount, second.Since, second.Reason, second.StartsAt, second.EndsAt, second.Fair = 2, "speech", 2, at(9, 12, 0), "reserved_soon", Known(at(18, 1, 0).UnixMicro()), at(20, 0, 0), "less"
	third.Place, third.ID, third.Name, third.Owner, third.GPUCount, third.Since, third.Reason, third.Behind, third.Kind, third.Fair = 3, "i-4d5e6f", "sweep", "Viewer", 1, at(10, 30, 0), "behind", []int{1, 2}, "spot", "more"
	fourth.Place, fourth.ID, fourth.Name, fourth.Owner, fourth.GPUCount, fourth.Since, fourth.Reason, fourth.StartsAt, fourth.CanCancel = 4, "i-708192", "bert-eval", "Operator", 1, at(10, 40, 0), "budget", Unknown("kept"), true
	return QueueLine{ID: "a100-sxm4-80gb", Model: "A100-SXM4-80GB", Rows: []QueueRow{first, second, third, fourth}, Shares: []QueueShare{
		{TeamID: "t-1", Team: "research", Share: 667, Used: 810, UsedTime: 412 * time.Hour, Fair: "more"},
		{Share: 333, Used: 190, UsedTime: 96*time.Hour + 30*time.Minute, Fair: "less"},
	}}
}

func sampleQueue(t lang.T) QueuePage {
	cpu := QueueLine{Rows: []QueueRow{{Place: 1, ID: "i-93a4b5", Name: "prepare", Owner: "Operator", Team: "research", Kind: "on_demand", Since: at(10, 44, 0), StartsAt: Known(at(10, 45, 0).UnixMicro()), CanCancel: true}}}
	return QueuePage{Page: samplePage(t, "/queue"), Lines: []QueueLine{sampleQueueLine(), cpu}}
}

// sampleQueueWeights is the page of an admin whose weight was refused.
func sampleQueueWeights(t lang.T) QueuePage {
	return QueuePage{Page: samplePage(t, "/queue"), Weights: []QueueWeight{{TeamID: "t-1", Team: "research", Weight: 200}, {TeamID: "t-2", Team: "speech", Weight: 100}},
		Form: Form{Values: url.Values{"team": {"t-2"}, "weight": {"0"}}, Errors: []FieldError{{Field: "weight", Text: t.Error("weight_out_of_range", map[string]string{"max": "1000"})}}}}
}
