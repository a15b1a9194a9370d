package views

import (
	"net/url"
	"time"

	"github.com/meterhouse/meterhouse/web/lang"
)

func sampleIdle(t lang.T) InstancePage {
	v := sampleInstance(t)
	v.Idle = IdleFacts{Since: v.Now.Add(-70 * time.Minute), StopsAt: v.Now.Add(50 * time.Minute), CanKeep: true}
	return v
}

func sampleIdleAdmin(t lang.T) IdlePage {
	v := IdlePage{Page: samplePage(t, "/admin/idle"), On: true, SetBy: "admin", SavedMicros: 7_500_000}
	v.SetAt = v.Now.Add(-30 * time.Hour)
	v.Form.Values = url.Values{"on": {"1"}, "mail": {"1"}, "stop": {"2"}, "minimum": {"0"}}
	v.Would = []IdleWould{{ID: "i-7f3a91", Name: "bert-finetune", Owner: "member", Team: "research", Since: v.Now.Add(-26 * time.Hour), At: v.Now.Add(-24 * time.Hour), SavedMicros: 7_500_000}}
	return v
}

func sampleKeep(t lang.T, done bool) KeepPage {
	v := KeepPage{Page: samplePage(t, "/keep/1.2.ab"), Token: "1.2.ab", Name: "bert-finetune", RateMicrosPerHour: 2_500_000}
	if v.Person = nil; done {
		v.Until = v.Now.Add(24 * time.Hour)
	}
	return v
}

func sampleWaste(t lang.T) WastePage {
	v := WastePage{Page: samplePage(t, "/costs/waste"), Days: 7, Group: "workload", Whose: "research"}
	v.Rows = []WasteRow{{Name: "training", UsedMicros: 400_000, IdleMicros: 1_600_000, UnknownMicros: 500_000, Activity: Known(200), Low: 900, High: 1000},
		{Name: "", UsedMicros: 900_000, IdleMicros: 100_000, Activity: Known(900)}, {Name: "inference", UnknownMicros: 27, Activity: Unknown("not_read")}}
	v.Total = WasteRow{UsedMicros: 1_300_000, IdleMicros: 1_700_000, UnknownMicros: 500_027, Activity: Known(433)}
	return v
}
