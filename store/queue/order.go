package queue

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Aged is the wait after which a job comes before all that waited less.
const Aged = 24 * time.Hour

// Team is whose fair share counts.
type Team struct {
	ID     string
	Weight int64 // its share is this part of all teams' weights; below zero counts as zero
	Usage  Usage
}

// Weights say how much each factor, in [0, 1], counts in a priority.
type Weights struct {
	FairShare, Age, Size float64
}

// DefaultWeights let fair share decide first, age next, and size between those that are about equal.
var DefaultWeights = Weights{FairShare: 1000, Age: 500, Size: 100}

// Rank is a waiting job with what its place comes from.
type Rank struct {
	Job
	Priority             float64
	FairShare, Age, Size float64 // the factors, in [0, 1]
	Aged                 bool    // waited 24 hours: before all that did not, oldest first
}

// Order returns the waiting jobs of a pool in the order in which they are served: who yields comes after all others. poolMilli is the pool's size in
// thousandths of a GPU. A job whose team is not named has no share: its fair-share factor is 0.
func Order(now time.Time, waiting []Job, teams []Team, poolMilli int64, w Weights) []Rank {
	fair := fairShares(now, teams)
	ranks := make([]Rank, 0, len(waiting))
	for _, j := range waiting {
		waited := now.Sub(j.Since)
		r := Rank{Job: j, FairShare: fair[j.Team], Age: part(float64(waited), float64(Aged)), Size: part(float64(j.Milli()), float64(poolMilli)), Aged: waited >= Aged}
		// The conversions forbid fused operations, so that every machine comes to the same order. Two that are equal, as one GPU
		// less and 36 minutes more may be, would be told apart by the last bits, otherwise at each look: those are dropped.
		sum := float64(w.FairShare*r.FairShare) + float64(w.Age*r.Age) + float64(w.Size*r.Size)
		r.Priority = math.Round(sum*1e6) / 1e6
		ranks = append(ranks, r)
	}
	slices.SortFunc(ranks, func(a, b Rank) int {
		switch {
		case a.Yields != b.Yields:
			return cmp.Compare(rank(a.Yields), rank(b.Yields))
		case a.Aged != b.Aged:
			return cmp.Compare(rank(b.Aged), rank(a.Aged))
		case a.Aged:
			return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
		}
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
	})
	return ranks
}

// fairShares returns a team's factor 2^(-usage share ÷ weight share): 1 for who used nothing, 1/2 for who used just its
// share, towards 0 for who used more.
func fairShares(now time.Time, teams []Team) map[string]float64 {
	var used, weight float64
	for _, t := range teams {
		used, weight = used+t.Usage.At(now), weight+float64(max(t.Weight, 0))
	}
	fair := make(map[string]float64, len(teams))
	for _, t := range teams {
		switch {
		case t.Weight <= 0:
			fair[t.ID] = 0
		case used <= 0:
			fair[t.ID] = 1
		default:
			fair[t.ID] = math.Exp2(-(t.Usage.At(now) / used) / (float64(t.Weight) / weight))
		}
	}
	return fair
}

func part(of, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return min(max(of/whole, 0), 1)
}

func rank(is bool) int {
	if is {
		return 1
	}
	return 0
}
