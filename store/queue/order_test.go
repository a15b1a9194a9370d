package queue

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func ids(ranks []Rank) (ids []string) {
	for _, r := range ranks {
		ids = append(ids, r.ID)
	}
	return ids
}

func TestUsageHalvesInAWeekAndNoCutChangesIt(t *testing.T) {
	u := Usage{}.Add(Share, now.Add(-time.Second), now)
	if got := u.At(now.Add(HalfLife)) / u.At(now); math.Abs(got-0.5) > 1e-12 {
		t.Errorf("after a week %v", got)
	}
	// Forever on one GPU comes to half-life ÷ ln 2.
	if got, want := (Usage{}.Add(Share, now.Add(-100*HalfLife), now)).At(now), HalfLife.Seconds()/math.Ln2; math.Abs(got-want) > 1e-6 {
		t.Errorf("for ever: %v, want %v", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		long := time.Duration(rapid.Int64Range(2, 1e15).Draw(t, "long"))
		cut := now.Add(time.Duration(rapid.Int64Range(1, int64(long)-1).Draw(t, "cut")))
		milli, at := rapid.Int64Range(1, 64_000).Draw(t, "milli"), now.Add(long+time.Hour)
		whole := Usage{}.Add(milli, now, now.Add(long)).At(at)
		for _, parts := range []Usage{Usage{}.Add(milli, now, cut).Add(milli, cut, now.Add(long)), Usage{}.Add(milli, cut, now.Add(long)).Add(milli, now, cut)} {
			if got := parts.At(at); math.Abs(got-whole) > 1e-9*whole {
				t.Fatalf("cut it comes to %v, whole to %v", got, whole)
			}
		}
	})
}

func TestFairShareHalvesForWhoUsedTheirShare(t *testing.T) {
	used := func(s float64) Usage { return Usage{s, now} }
	teams := []Team{{"a", 1, used(100)}, {"b", 1, used(300)}, {"c", 2, used(0)}, {"d", 0, used(0)}}
	for id, want := range map[string]float64{"a": 0.5, "b": math.Exp2(-3), "c": 1, "d": 0, "nobody": 0} {
		if got := fairShares(now, teams)[id]; math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %v, want %v", id, got, want)
		}
	}
	if got := fairShares(now, []Team{{"a", 1, Usage{}}})["a"]; got != 1 {
		t.Errorf("where nobody used any: %v", got)
	}
}

func TestTheOrderOfTheQueue(t *testing.T) {
	teams := []Team{{"light", 1, Usage{}}, {"heavy", 1, Usage{1e6, now}}}
	job := func(id, team string, waited time.Duration, a Ask) Job {
		return Job{ID: id, Team: team, Since: now.Add(-waited), Ask: a}
	}
	for _, c := range []struct {
		name string
		jobs []Job
		want []string
	}{
		{"who used less comes first", []Job{job("1", "heavy", time.Hour, Whole(1)), job("2", "light", 0, Whole(1))}, []string{"2", "1"}},
		{"then who waits longer", []Job{job("1", "light", 0, Whole(1)), job("2", "light", time.Hour, Whole(1))}, []string{"2", "1"}},
		{"then the larger", []Job{job("1", "light", 0, Whole(1)), job("2", "light", 0, Whole(8))}, []string{"2", "1"}},
		{"then by id", []Job{job("2", "light", 0, Whole(1)), job("1", "light", 0, Whole(1))}, []string{"1", "2"}},
		{"24 hours come first, oldest first", []Job{job("1", "light", Aged-1, Whole(8)), job("2", "heavy", Aged, Part(1)), job("3", "heavy", Aged+1, Part(1))}, []string{"3", "2", "1"}},
	} {
		if got := ids(Order(now, c.jobs, teams, 8000, DefaultWeights)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestTheSameQueueHasOneOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, waiting := drawn(t, false)
		var jobs []Job
		for _, r := range waiting {
			r.Since = now.Add(-time.Duration(rapid.IntRange(0, 48).Draw(t, "waited")) * time.Hour)
			jobs = append(jobs, r.Job)
		}
		want := ids(Order(now, jobs, nil, 4000, DefaultWeights))
		shuffled := rapid.Permutation(jobs).Draw(t, "shuffled")
		ranks := Order(now, shuffled, nil, 4000, DefaultWeights)
		if got := ids(ranks); !slices.Equal(got, want) {
			t.Fatalf("%v, and %v", want, got)
		}
		for _, r := range ranks {
			for _, f := range []float64{r.FairShare, r.Age, r.Size} {
				if f < 0 || f > 1 {
					t.Fatalf("a factor of %v", f)
				}
			}
		}
	})
}

func TestWhoIsEqualKeepsItsOrderHoweverLongBothWait(t *testing.T) {
	since := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for gpus := 1; gpus < 8; gpus++ { // one GPU of eight is worth 36 minutes
		small := Job{ID: "b", Team: "t", Ask: Whole(1), Since: since}
		large := Job{ID: "a", Team: "t", Ask: Whole(1 + gpus), Since: since.Add(time.Duration(gpus) * 36 * time.Minute)}
		for waits := time.Duration(0); waits < 19*time.Hour; waits += 7 * time.Minute {
			now := large.Since.Add(waits)
			if got := Order(now, []Job{large, small}, []Team{{"t", 1, Usage{1e5, since}}}, 8000, DefaultWeights); got[0].ID != "b" {
				t.Fatalf("after %v the younger one with %d GPUs comes first", waits, 1+gpus)
			}
		}
	}
}
