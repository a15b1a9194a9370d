package store

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/meterhouse/meterhouse/store/budget"
	"github.com/meterhouse/meterhouse/store/queue"
)

// usedDays is how far back use counts for a fair share: ten half-lives, after which less than a thousandth is left.
const usedDays = 70

// fairTeam is a team whose fair share counts.
type fairTeam struct {
	queue.Team
	name string
}

// fairTeams returns those who used a pool's GPUs lately, have some now or wait for some, with what they used.
func (t *tx) fairTeams(pool string, waiting map[string]*queuedJob) ([]fairTeam, error) {
	used, err := t.poolUsage(pool)
	if err != nil {
		return nil, err
	}
	for _, j := range waiting {
		if _, known := used[j.teamID]; !known {
			used[j.teamID] = queue.Usage{}
		}
	}
	var teams []fairTeam
	err = t.each(func(r scanner) error {
		var f fairTeam
		if err := r.Scan(&f.ID, &f.name, &f.Weight); err != nil {
			return err
		}
		usage, here := used[f.ID]
		if f.Usage = usage; here {
			teams = append(teams, f)
		}
		return nil
	}, "SELECT id, name, weight FROM team ORDER BY name_key")
	return teams, err
}

// poolUsage is the GPU time of each team on a pool's model: a day's total counts as spread over the day, and what is not
// booked yet is added.
func (t *tx) poolUsage(pool string) (map[string]queue.Usage, error) {
	used := map[string]queue.Usage{}
	if pool == "" {
		return used, nil
	}
	zone, err := t.siteZone()
	if err != nil {
		return nil, err
	}
	err = t.each(func(r scanner) error {
		var team, day string
		var gpuMicros int64
		if err := r.Scan(&team, &day, &gpuMicros); err != nil {
			return err
		}
		start, err := time.ParseInLocation(time.DateOnly, day, zone)
		if err != nil {
			return err
		}
		used[team] = used[team].Spread(time.Duration(gpuMicros)*time.Microsecond, start, earlier(budget.NextMidnight(start, zone), t.now))
		return nil
	}, `SELECT c.team_id, c.day, sum(c.gpu_micros) FROM cost_day c JOIN pool p ON p.model = c.gpu_model
		WHERE p.id = ? AND c.day >= ? GROUP BY 1, 2 HAVING sum(c.gpu_micros) > 0`, pool, t.now.In(zone).AddDate(0, 0, -usedDays).Format(time.DateOnly))
	if err != nil {
		return nil, err
	}
	return used, t.each(func(r scanner) error {
		var team string
		var gpus, from, to int64
		if err := r.Scan(&team, &gpus, &from, &to); err != nil {
			return err
		}
		used[team] = used[team].Add(gpus*queue.Share, fromMicros(from), fromMicros(to))
		return nil
	}, `SELECT team_id, gpu_count, coalesce(booked_through, started_at), ?2 FROM instance
			WHERE pool_id = ?1 AND ended_at IS NULL AND started_at IS NOT NULL AND reservation_id IS NULL
		UNION ALL SELECT team_id, gpu_count, coalesce(booked_through, start_at), min(?2, end_at) FROM reservation
			WHERE pool_id = ?1 AND settled_at IS NULL AND start_at < ?2`, pool, micros(t.now))
}

// shares says in parts of the whole what each team should have and has.
func (l *line) shares(now time.Time) []Share {
	weights, used := int64(0), time.Duration(0)
	all := make([]Share, len(l.teams))
	for k, f := range l.teams {
		all[k] = Share{TeamID: f.ID, TeamName: f.name, Weight: f.Weight, Used: time.Duration(f.Usage.At(now) * float64(time.Second))}
		weights, used = weights+f.Weight, used+all[k].Used
	}
	for k := range all {
		all[k].SharePPM = all[k].Weight * 1_000_000 / weights
		if used > 0 {
			all[k].UsedPPM = int64(all[k].Used / (used/1_000_000 + 1))
		}
	}
	slices.SortStableFunc(all, func(a, b Share) int { return cmp.Compare(a.TeamName, b.TeamName) })
	return all
}

const (
	weightMax   = 1000
	usualWeight = 100
)

// SetTeamWeight sets a team's part of the fair share of all who want the same GPUs: 1 to 1000, where 100 is the usual.
// Forbidden for who is no admin; by "" is the console.
func (s *Store) SetTeamWeight(ctx context.Context, teamID string, weight int64, by string) error {
	if weight < 1 || weight > weightMax {
		return &Error{Kind: Invalid, Field: "weight", Message: "weight_out_of_range", Args: map[string]string{"max": strconv.Itoa(weightMax)}}
	}
	return s.write(ctx, func(t *tx) error {
		if by != "" {
			role, err := t.roleIn(by, teamID)
			if err != nil {
				return err
			}
			if role != Admin {
				return &Error{Kind: Forbidden, Message: "forbidden"}
			}
		}
		changed, err := t.exec("UPDATE team SET weight = ? WHERE id = ?", weight, teamID)
		if err != nil {
			return err
		}
		if changed == 0 {
			return notFound("team", teamID)
		}
		t.emit("person", teamID)
		return t.audit(AuditRecord{PersonID: by, Action: "team_weight_set", Target: teamID, Detail: strconv.FormatInt(weight, 10)})
	})
}
