package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"
)

// lifeOf is what the API says of one instance's life and bill, read anew with nothing of the console's own types.
type lifeOf struct {
	ID         string     `json:"id"`
	Status     string     `json:"status"`
	Rate       int64      `json:"rate_micros_per_hour"`
	StartedAt  *time.Time `json:"started_at"`
	EndedAt    *time.Time `json:"ended_at"`
	Cost       int64      `json:"cost_micros"`
	StopReason string     `json:"stop_reason"`
	bill       struct {
		Total    int64         `json:"total_micros"`
		Booked   int64         `json:"booked_micros"`
		Segments []billSegment `json:"segments"`
	}
	postings int64
	entries  int
}

type billSegment struct {
	State    string    `json:"state"`
	Billable bool      `json:"billable"`
	Rate     int64     `json:"rate_micros_per_hour"`
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	Open     bool      `json:"open"`
	Amount   int64     `json:"amount_micros"`
	Minimum  bool      `json:"minimum"`
}

// checkBills compares every bill of a soak with what its segments come to, and with the ledger.
func checkBills(t *testing.T, c *console, k *soak) {
	t.Helper()
	lives, sum := livesOf(t, k.api)
	if sum.Sign() != 0 {
		t.Errorf("the ledger sums to %s", sum)
	}
	if len(lives) != len(k.made) {
		t.Errorf("%d instances, %d rents were answered", len(lives), len(k.made))
	}
	kinds, unbilled := map[string]int{}, map[string]int{}
	var cost int64
	for _, l := range lives {
		if !k.made[l.ID] {
			t.Errorf("%s was rented, and nobody was told", l.ID)
		}
		kind, wrong := l.check()
		if wrong != "" {
			t.Errorf("%s (%s): %s\n%+v", l.ID, l.Status, wrong, l.bill)
		}
		kinds[kind]++
		if kind == neverHealthy {
			unbilled[l.Status+", "+l.StopReason]++
		}
		cost += l.Cost
	}
	var spent usage
	c.cliJSON(&spent, "cost", "--by", "label:soak")
	if spent.Total != cost {
		t.Errorf("usage says %d, the bills add up to %d", spent.Total, cost)
	}
	t.Logf("%d bills: %s; never healthy: %s; %d micro-units billed, the ledger sums to %s", len(lives), counted(kinds), counted(unbilled), cost, sum)
}

// The kinds of bill.
const (
	neverHealthy = "never healthy"
	minimum      = "minimum"
	longer       = "longer"
)

// check recomputes one bill from its segments alone, by the rule and not by the console's code.
func (l *lifeOf) check() (kind, wrong string) {
	if l.Status != "stopped" && l.Status != "failed" {
		return "not ended", "it has not ended"
	}
	if l.StopReason == "node_lost" || l.StopReason == "start_failed" {
		return l.StopReason, "a kill of the console ended it"
	}
	if l.StartedAt == nil {
		if l.bill.Total != 0 || l.Cost != 0 || l.entries != 0 || len(l.bill.Segments) != 0 {
			return neverHealthy, "it never was healthy and is billed"
		}
		return neverHealthy, ""
	}
	own := slices.DeleteFunc(slices.Clone(l.bill.Segments), func(g billSegment) bool { return g.Minimum })
	if wrong := l.seamless(own); wrong != "" {
		return longer, wrong
	}
	kind, want := owed(own, l.Rate)
	var lines int64
	for _, g := range l.bill.Segments {
		lines += g.Amount
	}
	for what, got := range map[string]int64{"the bill": l.bill.Total, "the list": l.Cost, "the ledger": l.postings, "what is booked": l.bill.Booked, "the lines": lines} {
		if want.Cmp(big.NewInt(got)) != 0 {
			return kind, fmt.Sprintf("%s has %d, its segments come to %s", what, got, want)
		}
	}
	return kind, ""
}

// seamless says where segments leave a gap, overlap, or differ from when the instance started and ended.
func (l *lifeOf) seamless(own []billSegment) string {
	at := *l.StartedAt
	for n, g := range own {
		switch {
		case g.Open:
			return fmt.Sprintf("segment %d is open", n)
		case !g.From.Equal(at):
			return fmt.Sprintf("segment %d begins at %v, not at %v", n, g.From, at)
		case !g.To.After(g.From):
			return fmt.Sprintf("segment %d ends at %v, before it began", n, g.To)
		case g.Rate != l.Rate:
			return fmt.Sprintf("segment %d has another rate", n)
		}
		at = g.To
	}
	if l.EndedAt == nil || !l.EndedAt.Equal(at) {
		return fmt.Sprintf("the last segment ends at %v, the instance at %v", at, l.EndedAt)
	}
	return ""
}

// owed is Σ(rate × seconds) / 3600, a minute at least, rounded half away from zero: micro-units × microseconds in big
// integers.
func owed(own []billSegment, rate int64) (kind string, micros *big.Int) {
	const minute, hour = 60_000_000, 3_600_000_000
	sum, used := new(big.Int), int64(0)
	for _, g := range own {
		if g.Billable {
			d := g.To.UnixMicro() - g.From.UnixMicro()
			used += d
			sum.Add(sum, new(big.Int).Mul(big.NewInt(g.Rate), big.NewInt(d)))
		}
	}
	kind = longer
	if used < minute {
		kind = minimum
		sum.Add(sum, new(big.Int).Mul(big.NewInt(rate), big.NewInt(minute-used)))
	}
	sum.Add(sum, big.NewInt(hour/2)) // none is negative
	return kind, sum.Div(sum, big.NewInt(hour))
}

// livesOf reads every instance, its bill and what the ledger holds of it, and adds the whole ledger up.
func livesOf(t *testing.T, api *client) (lives []*lifeOf, sum *big.Int) {
	t.Helper()
	byID := map[string]*lifeOf{}
	everyPage(t, api, "/instances?limit=200", "instances", func(l *lifeOf) {
		if err := api.get(t.Context(), "/instances/"+l.ID+"/bill", nil, &l.bill); err != nil {
			t.Fatal(err)
		}
		lives, byID[l.ID] = append(lives, l), l
	})
	type entry struct {
		ID         int64  `json:"id"`
		InstanceID string `json:"instance_id"`
		Postings   []struct {
			Account string `json:"account"`
			Amount  int64  `json:"amount_micros"`
		} `json:"postings"`
	}
	sum = new(big.Int)
	everyPage(t, api, "/ledger?limit=200", "entries", func(e *entry) {
		own, l := int64(0), byID[e.InstanceID]
		if l == nil {
			t.Fatalf("entry %d is of no instance", e.ID)
		}
		l.entries++
		for _, p := range e.Postings {
			own += p.Amount
			if strings.HasPrefix(p.Account, "team:") {
				l.postings += p.Amount
			}
		}
		if own != 0 {
			t.Errorf("entry %d sums to %d", e.ID, own)
		}
		sum.Add(sum, big.NewInt(own))
	})
	return lives, sum
}

// everyPage gives each item of a list in pages to take.
func everyPage[T any](t *testing.T, api *client, path, name string, take func(*T)) {
	t.Helper()
	for cursor := ""; ; {
		var page map[string]json.RawMessage
		var items []*T
		if err := api.get(t.Context(), path+"&cursor="+cursor, nil, &page); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(page[name], &items); err != nil {
			t.Fatal(err)
		}
		for _, item := range items {
			take(item)
		}
		if err := json.Unmarshal(page["next_cursor"], &cursor); err != nil {
			t.Fatal(err)
		}
		if cursor == "" {
			return
		}
	}
}

func counted(kinds map[string]int) string {
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		parts = append(parts, fmt.Sprintf("%d %s", kinds[kind], kind))
	}
	return strings.Join(parts, ", ")
}
