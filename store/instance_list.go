package store

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/meterhouse/meterhouse/store/life"
)

// Filter chooses instances. Zero values choose all.
type Filter struct {
	TeamID, PersonID string
	States           []life.State
	Live             bool   // only those whose life goes on
	Query            string // in the name, or the beginning of the id
	Cursor           string // next of the page before
	Limit            int    // 0: 50; at most 500
}

// Instances returns the newest first, a page at a time; next is "" on the last page.
func (s *Store) Instances(ctx context.Context, f Filter) (all []Instance, next string, err error) {
	before, err := beforeCursor(f.Cursor)
	if err != nil {
		return nil, "", err
	}
	limit := pageLimit(f.Limit, 50, 500)
	where, args := "WHERE i.seq < ?", []any{before}
	add := func(condition string, values ...any) {
		where += " AND " + condition
		args = append(args, values...)
	}
	if f.TeamID != "" {
		add("i.team_id = ?", f.TeamID)
	}
	if f.PersonID != "" {
		add("i.person_id = ?", f.PersonID)
	}
	if f.Live {
		add("i." + alive)
	}
	if len(f.States) > 0 {
		states, err := json.Marshal(f.States)
		if err != nil {
			return nil, "", err
		}
		add("i.state IN (SELECT value FROM json_each(?))", string(states))
	}
	if q := clipped(strings.TrimSpace(f.Query), 200); q != "" {
		like := strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(q)
		add(`(i.name LIKE ? ESCAPE '\' OR i.id LIKE ? ESCAPE '\')`, "%"+like+"%", like+"%")
	}
	err = s.read(ctx, func(t *tx) error {
		all, err = t.instances(instanceQuery+where+" ORDER BY i.seq DESC LIMIT ?", append(args, limit+1)...)
		return err
	})
	all, next = page(all, limit, func(i Instance) int64 { return i.seq })
	return all, next, err
}

// alive is the condition on an instance whose life goes on, in the words of the indexes of those.
const alive = "state NOT IN ('stopped', 'failed')"

// LiveInstances counts a team's instances whose life goes on, every team's for "".
func (s *Store) LiveInstances(ctx context.Context, teamID string) (n int, err error) {
	err = s.read(ctx, func(t *tx) error {
		live, err := t.number("SELECT count(*) FROM instance WHERE "+alive+" AND (?1 = '' OR team_id = ?1)", teamID)
		n = int(live)
		return err
	})
	return n, err
}

// InstancesOnNode returns a node's instances in the given states, oldest first; of all that are live if none is given.
func (s *Store) InstancesOnNode(ctx context.Context, nodeID string, states ...life.State) (all []Instance, err error) {
	if len(states) == 0 {
		for _, state := range life.States {
			if state.HoldsGPUs() {
				states = append(states, state)
			}
		}
	}
	chosen, err := json.Marshal(states)
	if err != nil {
		return nil, err
	}
	err = s.read(ctx, func(t *tx) error {
		all, err = t.instances(instanceQuery+"WHERE i.node_id = ? AND i.state IN (SELECT value FROM json_each(?)) ORDER BY i.seq", nodeID, string(chosen))
		return err
	})
	return all, err
}

// DueEnds returns the instances whose hard end has come and that were not asked to stop yet, oldest end first.
func (s *Store) DueEnds(ctx context.Context) (due []Instance, err error) {
	err = s.read(ctx, func(t *tx) error {
		due, err = t.instances(instanceQuery+`WHERE i.ended_at IS NULL AND i.ends_at <= ? AND i.state NOT IN ('queued', 'stopping', 'stopped', 'failed')
			ORDER BY i.ends_at, i.seq`, micros(t.now))
		return err
	})
	return due, err
}
