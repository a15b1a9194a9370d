package quota

import (
	"math"
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"
)

var now = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

var team, member = Scope{Team: "t"}, Scope{Team: "t", Member: "m"}

func rule(id string, s Scope, k Kind, limit int64) Rule {
	return Rule{ID: id, Scope: s, Kind: k, Limit: limit}
}

func TestTheRuleInTheWayIsTheMostSpecific(t *testing.T) {
	hour, day := time.Hour, 24*time.Hour
	asked := Request{Team: "t", Member: "m", Pool: "p", Milli: 2000, RateMicrosPerHour: 5_000_000, Term: &hour}
	long, open, spot, none := asked, asked, asked, asked
	long.Term, open.Term, spot.Spot = &day, nil, true
	only := asked
	only.Only = []Kind{Instances}
	none.Milli, none.RateMicrosPerHour = 0, 0
	held := []Held{{"t", "m", "p", 1000, 2_500_000, false}, {"t", "m", "q", 1000, 2_500_000, false}, {"t", "n", "p", 4000, 10_000_000, true}, {"u", "m", "p", 9000, 9, false}}
	for _, c := range []struct {
		name               string
		request            Request
		rules              []Rule
		grants             []Grant
		id                 string
		limit, used, would int64
	}{
		{name: "no rule", request: asked},
		{name: "just as much as is allowed", request: asked, rules: []Rule{rule("1", team, GPUs, 8000)}},
		{name: "a thousandth more", request: asked, rules: []Rule{rule("1", team, GPUs, 7999)}, id: "1", limit: 7999, used: 6000, would: 8000},
		{name: "a pool's", request: asked, rules: []Rule{rule("1", Scope{Team: "t", Pool: "p"}, GPUs, 6999)}, id: "1", limit: 6999, used: 5000, would: 7000},
		{name: "another pool's, team's, member's", request: asked, rules: []Rule{rule("1", Scope{Team: "t", Pool: "q"}, GPUs, 0), rule("2", Scope{Team: "u"}, GPUs, 0), rule("3", Scope{Team: "t", Member: "n"}, GPUs, 0)}},
		{name: "the member's pool before the member before the pool before the team", request: asked, rules: []Rule{rule("1", team, GPUs, 0), rule("2", Scope{Team: "t", Pool: "p"}, GPUs, 0), rule("3", member, GPUs, 0), rule("4", Scope{"t", "m", "p"}, GPUs, 0)}, id: "4", used: 1000, would: 3000},
		{name: "instances", request: asked, rules: []Rule{rule("1", member, Instances, 2)}, id: "1", limit: 2, used: 2, would: 3},
		{name: "what is reserved is no instance", request: asked, rules: []Rule{rule("1", team, Instances, 2)}, id: "1", limit: 2, used: 2, would: 3},
		{name: "a rule of a kind that does not count", request: only, rules: []Rule{rule("1", team, GPUs, 0)}},
		{name: "the running rate", request: asked, rules: []Rule{rule("1", team, Rate, 19_999_999)}, id: "1", limit: 19_999_999, used: 15_000_000, would: 20_000_000},
		{name: "what costs nothing passes a rate that is reached", request: none, rules: []Rule{rule("1", team, Rate, 0), rule("2", team, GPUs, 0)}},
		{name: "the longest term", request: long, rules: []Rule{rule("1", team, Term, 86_399)}, id: "1", limit: 86_399, would: 86_400},
		{name: "just the longest term", request: long, rules: []Rule{rule("1", team, Term, 86_400)}},
		{name: "no end at all", request: open, rules: []Rule{rule("1", team, Term, 86_400)}, id: "1", limit: 86_400},
		{name: "spot only", request: asked, rules: []Rule{rule("1", team, SpotOnly, 0)}, id: "1"},
		{name: "spot is spot", request: spot, rules: []Rule{rule("1", team, SpotOnly, 0), {ID: "2", Scope: team, Kind: Hours}}},
		{name: "never on demand", request: asked, rules: []Rule{{ID: "2", Scope: team, Kind: Hours}}, id: "2"},
		{name: "the highest grant counts", request: asked, rules: []Rule{rule("1", team, GPUs, 1)}, grants: []Grant{{"1", 8000, now.Add(1)}, {"1", 9, now.Add(hour)}}},
		{name: "one that is over counts nothing", request: asked, rules: []Rule{rule("1", team, GPUs, 1)}, grants: []Grant{{"1", 8000, now}, {"2", 8000, now.Add(hour)}, {"1", 9, now.Add(hour)}}, id: "1", limit: 9, used: 6000, would: 8000},
		{name: "a grant lifts what has no limit", request: asked, rules: []Rule{rule("1", team, SpotOnly, 0)}, grants: []Grant{{"1", 0, now.Add(1)}}},
	} {
		got := Check(c.request, held, c.rules, c.grants, now, time.UTC)
		if (got != nil) != (c.id != "") || got != nil && (got.Rule.ID != c.id || got.Limit != c.limit || got.Used != c.used || got.Would != c.would || got.Open != (c.request.Term == nil) || got.Allowed != nil) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestHoursOfTheWeekAreThoseOfTheZonesClocks(t *testing.T) {
	work := Week{}.With(time.Saturday, 22, 30).With(time.Sunday, 2, 3).With(time.Monday, -1, 1)
	for _, c := range []struct {
		name, zone, at string
		allows         bool
		next           string
	}{
		{"02:00 is left out in March", "Europe/Berlin", "2026-03-29T01:00:00Z", false, "2026-03-29T22:00:00Z"},
		{"just before", "Europe/Berlin", "2026-03-29T00:59:59Z", false, "2026-03-29T22:00:00Z"},
		{"02:00 comes the first time in October", "Europe/Berlin", "2026-10-25T00:00:00Z", true, "2026-10-25T00:00:00Z"},
		{"02:59 the second time", "Europe/Berlin", "2026-10-25T01:59:59Z", true, "2026-10-25T01:59:59Z"},
		{"03:00", "Europe/Berlin", "2026-10-25T02:00:00Z", false, "2026-10-25T23:00:00Z"},
		{"half an hour's change", "Australia/Lord_Howe", "2026-04-04T15:29:59Z", false, "2026-04-04T15:30:00Z"},
		{"New York's March", "America/New_York", "2026-03-08T06:59:00Z", false, "2026-03-09T04:00:00Z"},
		{"half an hour's zone", "Asia/Kolkata", "2026-03-07T16:29:59Z", false, "2026-03-07T16:30:00Z"},
	} {
		z, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		next, ok := work.Next(at, z)
		if work.Allows(at, z) != c.allows || !ok || next.Format(time.RFC3339) != c.next {
			t.Errorf("%s: %v, next %v %v, want %v, %v", c.name, work.Allows(at, z), next, ok, c.allows, c.next)
		}
		refusal := Check(Request{Team: "t"}, nil, []Rule{{ID: "1", Scope: team, Kind: Hours, Hours: work}}, nil, at, z)
		if (refusal == nil) != c.allows || refusal != nil && !refusal.Allowed.Equal(next) {
			t.Errorf("%s: refused with %+v", c.name, refusal)
		}
	}
	if _, ok := (Week{}).Next(now, time.UTC); ok {
		t.Error("an empty week allows something")
	}
}

// A request passes exactly when every rule that covers it, raised by its highest grant, holds what would be used.
func TestWhatPassesBreaksNoRule(t *testing.T) {
	names := rapid.SampledFrom([]string{"a", "b"})
	maybe := rapid.SampledFrom([]string{"", "a", "b"})
	rapid.Check(t, func(t *rapid.T) {
		request := Request{names.Draw(t, "team"), names.Draw(t, "member"), names.Draw(t, "pool"), rapid.Int64Range(1, 9).Draw(t, "milli"), 0, true, nil, nil}
		var held []Held
		for range rapid.IntRange(0, 5).Draw(t, "held") {
			held = append(held, Held{names.Draw(t, "team"), names.Draw(t, "member"), names.Draw(t, "pool"), rapid.Int64Range(1, 9).Draw(t, "milli"), math.MaxInt64, rapid.Bool().Draw(t, "reserved")})
		}
		var rules []Rule
		broken := false
		for k := range rapid.IntRange(0, 4).Draw(t, "rules") {
			q := rule(string(rune('1'+k)), Scope{names.Draw(t, "team"), maybe.Draw(t, "member"), maybe.Draw(t, "pool")}, GPUs, rapid.Int64Range(0, 30).Draw(t, "limit"))
			rules = append(rules, q)
			sum := request.Milli
			for _, h := range held {
				if h.Team == q.Scope.Team && (q.Scope.Member == "" || h.Member == q.Scope.Member) && (q.Scope.Pool == "" || h.Pool == q.Scope.Pool) {
					sum += h.Milli
				}
			}
			broken = broken || q.Scope.covers(request) && sum > q.Limit
		}
		if got := Check(request, held, rules, nil, now, time.UTC); (got != nil) != broken {
			t.Fatalf("%+v, want broken %v", got, broken)
		}
	})
}

func TestSumsStopAtTheLargestNumber(t *testing.T) {
	held := []Held{{Team: "t", RateMicrosPerHour: math.MaxInt64}, {Team: "t", RateMicrosPerHour: math.MaxInt64}}
	if got := Check(Request{Team: "t", RateMicrosPerHour: 1}, held, []Rule{rule("1", team, Rate, 5)}, nil, now, time.UTC); got == nil || got.Used != math.MaxInt64 {
		t.Errorf("%+v", got)
	}
}
