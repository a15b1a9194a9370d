// Package quota says which rule, if any, is in the way of what a person asks for. It imports the standard library alone,
// reads no clock and touches no database. The rule it keeps: every limit is typed and its unit fixed; a limit of nothing
// is nil, so that 0 means none at all; grants only ever raise.
package quota

import (
	"cmp"
	"slices"
	"time"
)

// Kind is what a rule limits.
type Kind string

// The kinds, with the unit of their limits.
const (
	GPUs      Kind = "gpus"      // at once, thousandths of a GPU
	Instances Kind = "instances" // at once
	Rate      Kind = "rate"      // running, micro-units an hour, all together
	Term      Kind = "term"      // the longest of one instance, seconds
	SpotOnly  Kind = "spot_only" // no limit: nothing but spot
	Hours     Kind = "hours"     // no limit: on demand only in some hours of the week
)

// Scope is whom and where a rule is for. Member and Pool are empty where it is for all of them.
type Scope struct{ Team, Member, Pool string }

// covers reports whether a rule of this scope is for a request.
func (s Scope) covers(r Request) bool {
	return s.Team == r.Team && (s.Member == "" || s.Member == r.Member) && (s.Pool == "" || s.Pool == r.Pool)
}

// depth orders scopes: a member's pool, a member, a team's pool, a team.
func (s Scope) depth() int {
	depth := 0
	if s.Member != "" {
		depth += 2
	}
	if s.Pool != "" {
		depth++
	}
	return depth
}

// Rule is one quota.
type Rule struct {
	ID    string
	Scope Scope
	Kind  Kind
	Limit int64 // in the kind's unit; of those without a limit nothing
	Hours Week  // for Hours: when on demand is allowed
}

// Sums reports whether the kind limits what is in use at once.
func (k Kind) Sums() bool { return k == GPUs || k == Instances || k == Rate }

// Lifts reports whether a grant lifts a rule of the kind altogether, as it has no limit.
func (k Kind) Lifts() bool { return k == SpotOnly || k == Hours }

// One returns how many of the kind's unit a person counts as one: thousandths of a GPU, instances, micro-units, seconds of an
// hour; 0 for the kinds without a limit.
func (k Kind) One() int64 {
	switch k {
	case GPUs:
		return 1000
	case Instances:
		return 1
	case Rate:
		return 1_000_000
	case Term:
		return 3600
	}
	return 0
}

// Known reports whether there is such a kind.
func (k Kind) Known() bool { return slices.Contains(kinds, k) }

// Grant raises one rule until a moment: its limit, or for those without one it lifts the rule.
type Grant struct {
	RuleID string
	Limit  int64
	Until  time.Time // not included
}

// Request is what a person asks for.
type Request struct {
	Team, Member, Pool string
	Milli              int64 // thousandths of a GPU
	RateMicrosPerHour  int64
	Spot               bool
	Term               *time.Duration // nil: until it is stopped
	Only               []Kind         // no other rules count; nil: all do
}

// Held is one thing that counts as in use: an instance that runs, or is about to, or GPUs that are reserved.
type Held struct {
	Team, Member, Pool string
	Milli              int64
	RateMicrosPerHour  int64
	Reserved           bool // no instance of its own
}

// Refusal is the rule in the way. Numbers are in the kind's unit; a kind without a limit has none.
type Refusal struct {
	Rule  Rule
	Limit int64 // with the grants
	Used  int64 // now
	Would int64 // would be used
	// Open is set where no term is asked for and a rule limits it.
	Open bool
	// Allowed is, for Hours, when on demand is next allowed; nil if never.
	Allowed *time.Time
}

// kinds is the order in which the rules of one scope are looked at.
var kinds = []Kind{SpotOnly, Hours, Term, GPUs, Instances, Rate}

// Check returns the first rule in the way of a request, the most specific first, or nil. Grants that add up count as the
// highest of them; one that is over, or lower than its rule, counts nothing. zone is the site's.
func Check(r Request, held []Held, rules []Rule, grants []Grant, now time.Time, zone *time.Location) *Refusal {
	in := slices.DeleteFunc(slices.Clone(rules), func(q Rule) bool {
		return !q.Scope.covers(r) || r.Only != nil && !slices.Contains(r.Only, q.Kind)
	})
	slices.SortFunc(in, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(b.Scope.depth(), a.Scope.depth()), cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)), cmp.Compare(a.ID, b.ID))
	})
	for _, q := range in {
		limit, lifted := raised(q, grants, now)
		if refusal := q.against(r, held, limit, now, zone); refusal != nil && !lifted {
			return refusal
		}
	}
	return nil
}

// Used returns how much of a rule is in use, in its kind's unit; 0 for those that limit no sum.
func (q Rule) Used(held []Held) (used int64) {
	for _, h := range held {
		if q.Scope.covers(Request{Team: h.Team, Member: h.Member, Pool: h.Pool}) && (!h.Reserved || q.Kind != Instances) {
			used = plus(used, q.Kind.of(h.Milli, h.RateMicrosPerHour))
		}
	}
	return used
}

// raised returns a rule's limit with its grants; lifted if it has none and one of them lifts it.
func raised(q Rule, grants []Grant, now time.Time) (limit int64, lifted bool) {
	limit = q.Limit
	for _, g := range grants {
		if g.RuleID == q.ID && now.Before(g.Until) {
			limit, lifted = max(limit, g.Limit), q.Kind.Lifts()
		}
	}
	return limit, lifted
}

// against returns what a rule has against a request.
func (q Rule) against(r Request, held []Held, limit int64, now time.Time, zone *time.Location) *Refusal {
	refusal := &Refusal{Rule: q, Limit: limit}
	switch q.Kind {
	case SpotOnly:
		if r.Spot {
			return nil
		}
		return refusal
	case Hours:
		if r.Spot || q.Hours.Allows(now, zone) {
			return nil
		}
		if next, ok := q.Hours.Next(now, zone); ok {
			refusal.Allowed = &next
		}
		return refusal
	case Term:
		if refusal.Open = r.Term == nil; !refusal.Open {
			refusal.Would = int64((*r.Term + time.Second - 1) / time.Second)
		}
		if !refusal.Open && refusal.Would <= limit {
			return nil
		}
		return refusal
	}
	refusal.Used = q.Used(held)
	more := q.Kind.of(r.Milli, r.RateMicrosPerHour)
	// What asks for nothing of a kind is not in its way, also where more is used than is allowed since.
	if refusal.Would = plus(refusal.Used, more); more <= 0 || refusal.Would <= limit {
		return nil
	}
	return refusal
}

// of returns how much of a kind one instance uses.
func (k Kind) of(milli, rate int64) int64 {
	switch k {
	case GPUs:
		return milli
	case Instances:
		return 1
	case Rate:
		return rate
	}
	return 0
}

// plus adds what is not below zero, and stops at the largest number.
func plus(a, b int64) int64 {
	if sum := a + b; sum >= a {
		return sum
	}
	return 1<<63 - 1
}
