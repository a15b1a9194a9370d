package calendar

import (
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"
)

var zones = []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"}

func zone(t interface{ Fatal(...any) }, name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestTheMissingHourIsMovedAndTheDoubledOneAsked(t *testing.T) {
	for _, c := range []struct {
		zone, text string
		moved      bool
		want       []string
	}{
		{"Europe/Berlin", "2026-03-29T01:59", false, []string{"2026-03-29T00:59:00Z"}},
		{"Europe/Berlin", "2026-03-29T02:00", true, []string{"2026-03-29T01:00:00Z"}},
		{"Europe/Berlin", "2026-03-29T02:30", true, []string{"2026-03-29T01:30:00Z"}}, // 03:30
		{"Europe/Berlin", "2026-03-29T03:00", false, []string{"2026-03-29T01:00:00Z"}},
		{"Europe/Berlin", "2026-03-30T09:00", false, []string{"2026-03-30T07:00:00Z"}},
		{"Europe/Berlin", "2026-10-25T02:30", false, []string{"2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"}},
		{"Europe/Berlin", "2026-10-25T03:00", false, []string{"2026-10-25T02:00:00Z"}},
		{"America/New_York", "2026-03-08T02:15", true, []string{"2026-03-08T07:15:00Z"}},
		{"America/New_York", "2026-11-01T01:00", false, []string{"2026-11-01T05:00:00Z", "2026-11-01T06:00:00Z"}},
		{"Australia/Lord_Howe", "2026-10-04T02:10", true, []string{"2026-10-03T15:40:00Z"}}, // 02:40: half an hour
		{"Australia/Lord_Howe", "2026-10-04T02:30", false, []string{"2026-10-03T15:30:00Z"}},
		{"Australia/Lord_Howe", "2026-04-05T01:45", false, []string{"2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z"}},
		{"Asia/Kolkata", "2026-03-29T02:30", false, []string{"2026-03-28T21:00:00Z"}},
	} {
		wall, err := ParseWall(c.text, zone(t, c.zone))
		if err != nil || wall.Moved != c.moved || len(wall.At) != len(c.want) {
			t.Errorf("%s in %s: %+v %v", c.text, c.zone, wall, err)
			continue
		}
		for k, at := range wall.At {
			if got := at.Format(time.RFC3339); got != c.want[k] {
				t.Errorf("%s in %s: %s, want %s", c.text, c.zone, got, c.want[k])
			}
		}
	}
	for _, text := range []string{"", "2026-02-30T10:00", "2026-03-01 10:00", "2026-03-01T24:00", "noon"} {
		if _, err := ParseWall(text, time.UTC); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

// Each moment is among what its own wall clock stands for, and all that a wall clock stands for show it.
func TestEveryMomentIsFoundByItsWallClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		z := zone(t, rapid.SampledFrom(zones).Draw(t, "zone"))
		at := time.Unix(rapid.Int64Range(1_600_000_000, 1_950_000_000).Draw(t, "at"), 0).In(z)
		wall, found := WallAt(at, z), false
		for _, m := range wall.At {
			found = found || m.Equal(at)
			if got := m.In(z).Format(time.DateTime); got != at.Format(time.DateTime) {
				t.Fatalf("%v shows %s", at, got)
			}
		}
		if !found || wall.Moved {
			t.Fatalf("%v: %+v", at, wall)
		}
	})
}
