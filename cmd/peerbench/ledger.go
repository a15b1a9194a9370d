package main

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-sqlite3"

	"github.com/meterhouse/meterhouse/store"
)

// The ledger that is measured: thirteen months of it, in three sizes.
const (
	ledgerTeams   = 20
	ledgerPeople  = 40
	ledgerMonths  = 13
	entriesEach   = 10 // of an instance
	benchedMember = 1
)

var ledgerSizes = []int{100_000, 1_000_000, 10_000_000} // postings

// ledgerNow is when the last month is half over.
var ledgerNow = time.Date(2026, 3, 16, 12, 0, 0, 0, time.UTC)

// ledger is a store full of postings, and the peer's plain table of the same.
type ledger struct {
	store    *store.Store
	peer     *sql.DB
	postings int
	team     string
	person   string
}

// openLedger fills a data directory and the peer's database with the same postings.
func openLedger(ctx context.Context, dir string, postings int) (*ledger, error) {
	l := &ledger{postings: postings}
	data := filepath.Join(dir, fmt.Sprint("data-", postings))
	var err error
	if l.store, err = store.Open(ctx, store.Config{Path: data, Now: func() time.Time { return ledgerNow }}); err != nil {
		return nil, err
	}
	for k := range ledgerPeople {
		p, err := l.store.AddPerson(ctx, store.NewPerson{Name: fmt.Sprintf("member %d", k), Email: fmt.Sprintf("member%d@example.org", k),
			Role: store.Member, Team: fmt.Sprintf("team %d", k%ledgerTeams)})
		if err != nil {
			return nil, err
		}
		if k == benchedMember {
			l.team, l.person = p.TeamID, p.ID
		}
	}
	own, err := sql.Open("sqlite3", "file:"+filepath.Join(data, "meterhouse.db")+"?_busy_timeout=10000&_foreign_keys=0")
	if err != nil {
		return nil, err
	}
	defer own.Close()
	own.SetMaxOpenConns(1)
	if err := fill(ctx, own, postings/2); err != nil {
		return nil, fmt.Errorf("fill the ledger: %w", err)
	}
	file := filepath.Join(dir, fmt.Sprint("peer-", postings, ".db"))
	if l.peer, err = sql.Open("sqlite3", "file:"+file); err != nil {
		return nil, err
	}
	l.peer.SetMaxOpenConns(1)
	for _, query := range []string{
		"PRAGMA journal_mode = WAL",
		"ATTACH 'file:" + filepath.Join(data, "meterhouse.db") + "?mode=ro' AS own",
		"CREATE TABLE posting (entry_id INTEGER NOT NULL, account TEXT NOT NULL, day TEXT NOT NULL, amount INTEGER NOT NULL)",
		"INSERT INTO posting SELECT p.entry_id, p.account, e.day, p.amount FROM own.posting p JOIN own.entry e ON e.id = p.entry_id",
		"CREATE INDEX posting_account ON posting (account, day, amount)",
		"DETACH own",
		"ANALYZE",
	} {
		if _, err := l.peer.ExecContext(ctx, query); err != nil {
			return nil, fmt.Errorf("%s: %w", query, err)
		}
	}
	return l, nil
}

func (l *ledger) close() error {
	if err := l.peer.Close(); err != nil {
		return err
	}
	return l.store.Close()
}

// fill writes entries as years of renting would, in one go: triggers that keep the totals are put aside meanwhile and the
// totals made as the migration makes them. CheckLedger then holds them against every entry.
func fill(ctx context.Context, db *sql.DB, entries int) error {
	triggers := map[string]string{}
	rows, err := db.QueryContext(ctx, "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name IN ('entry', 'posting', 'instance')")
	if err != nil {
		return err
	}
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			return err
		}
		triggers[name] = text
	}
	if err := rows.Close(); err != nil {
		return err
	}
	var steps []string
	for name := range triggers {
		steps = append(steps, "DROP TRIGGER "+name)
	}
	first := ledgerNow.AddDate(0, -ledgerMonths, 0)
	span := ledgerNow.Sub(first).Microseconds()
	count := fmt.Sprintf("WITH RECURSIVE n (k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM n WHERE k + 1 < %d) ", entries)
	instances := strings.Replace(count, fmt.Sprint(entries), fmt.Sprint(entries/entriesEach), 1)
	begin := fmt.Sprintf("(%d + (k / %d) * %d)", first.UnixMicro(), entriesEach, span/int64(entries/entriesEach+1))
	at := fmt.Sprintf("(%s + (k %% %d) * 600000000)", begin, entriesEach)
	started := strings.ReplaceAll(begin, fmt.Sprintf("(k / %d)", entriesEach), "k")
	steps = append(steps,
		"CREATE TEMP TABLE who AS SELECT row_number() OVER (ORDER BY name) - 1 AS n, id, team_id FROM person",
		"CREATE UNIQUE INDEX temp.who_n ON who (n)",
		instances+`INSERT INTO instance (id, name, state, kind, plan_id, gpu_model, gpu_count, simulated, team_id, person_id, image, command, argv, labels, wanted_gpus,
			cpu_millis, memory_bytes, pids, disk_bytes, rate, requeue, request_hash, requested_at, started_at, ended_at, booked_micros, booked_through)
			SELECT 'i-' || k, 'i' || k, 'stopped', 'on_demand', 'cpu-2', '', 0, 0, w.team_id, w.id, '', '', '[]', '{}', '[]', 1, 1, 1, 1, 50000, 0, x'00', `+
			started+", "+started+", "+started+` + 6000000000, 0, `+started+` FROM n JOIN who w ON w.n = k % (SELECT count(*) FROM who)`,
		count+`INSERT INTO entry (id, key, kind, instance_id, team_id, person_id, item, gpu_model, at, from_at, to_at, day, gpu_micros)
			SELECT k + 1, 'k' || k, 'usage', 'i-' || (k / `+fmt.Sprint(entriesEach)+`), w.team_id, w.id, 'on_demand', '', `+at+", "+at+", "+at+` + 600000000,
			date(`+at+` / 1000000, 'unixepoch'), 0 FROM n JOIN who w ON w.n = (k / `+fmt.Sprint(entriesEach)+`) % (SELECT count(*) FROM who)`,
		"INSERT INTO posting SELECT id, 'revenue:on_demand', -(1000 + id % 7919) FROM entry",
		"INSERT INTO posting SELECT id, 'team:' || team_id, 1000 + id % 7919 FROM entry",
		`INSERT INTO cost_day SELECT e.day, e.team_id, e.person_id, e.item, e.gpu_model, sum(p.amount), sum(e.gpu_micros)
			FROM entry e JOIN posting p ON p.entry_id = e.id AND p.account = 'team:' || e.team_id GROUP BY 1, 2, 3, 4, 5`,
		"INSERT INTO cost_team_day SELECT team_id, day, sum(amount) FROM cost_day GROUP BY 1, 2",
		"INSERT INTO cost_member_day SELECT team_id, person_id, day, sum(amount) FROM cost_day GROUP BY 1, 2, 3",
		"ANALYZE",
	)
	for _, text := range triggers {
		steps = append(steps, text)
	}
	steps = append(steps, "PRAGMA wal_checkpoint(TRUNCATE)")
	for _, step := range steps {
		if _, err := db.ExecContext(ctx, step); err != nil {
			return fmt.Errorf("%.60s: %w", step, err)
		}
	}
	return nil
}

// ledgerMonth compares the month's cost by team.
func ledgerMonth(ctx context.Context, dir string) ([]outcome, error) {
	month := time.Date(ledgerNow.Year(), ledgerNow.Month(), 1, 0, 0, 0, 0, time.UTC)
	return eachSize(ctx, dir, "ledger_month", 30, func(l *ledger) (ours, peer func() error, equal func() bool) {
		var a, b []string
		ours = func() error {
			rows, err := l.store.Usage(ctx, store.UsageQuery{From: month, To: month.AddDate(0, 1, 0), GroupBy: "team"})
			a = a[:0]
			for _, r := range rows {
				a = append(a, fmt.Sprint(r.Key, " ", r.CostMicros))
			}
			return err
		}
		peer = func() error {
			rows, err := l.peer.QueryContext(ctx, "SELECT account, sum(amount) FROM posting WHERE account >= 'team:' AND account < 'team;' AND day >= ? AND day < ? GROUP BY account",
				month.Format(time.DateOnly), month.AddDate(0, 1, 0).Format(time.DateOnly))
			if err != nil {
				return err
			}
			defer rows.Close()
			b = b[:0]
			for rows.Next() {
				var account string
				var amount int64
				if err := rows.Scan(&account, &amount); err != nil {
					return err
				}
				b = append(b, fmt.Sprint(strings.TrimPrefix(account, "team:"), " ", amount))
			}
			return rows.Err()
		}
		return ours, peer, func() bool {
			slices.Sort(a)
			slices.Sort(b)
			return len(a) > 0 && slices.Equal(a, b)
		}
	})
}

// budgetCheck compares what a person is told before renting: what is spent of the team's budget.
func budgetCheck(ctx context.Context, dir string) ([]outcome, error) {
	month := time.Date(ledgerNow.Year(), ledgerNow.Month(), 1, 0, 0, 0, 0, time.UTC)
	return eachSize(ctx, dir, "budget_check", 1000, func(l *ledger) (ours, peer func() error, equal func() bool) {
		var a, b int64
		var made bool
		ours = func() error {
			if !made {
				made = true
				if _, err := l.store.CreateBudget(ctx, "", store.NewBudget{Name: "month", TeamID: l.team, LimitMicros: 1e12}); err != nil {
					return err
				}
			}
			left, ok, err := l.store.BudgetLeft(ctx, l.person, l.team)
			if err == nil && !ok {
				err = fmt.Errorf("no budget")
			}
			a = left.SpentMicros
			return err
		}
		peer = func() error {
			return l.peer.QueryRowContext(ctx, "SELECT sum(amount) FROM posting WHERE account = ? AND day >= ? AND day < ?", "team:"+l.team,
				month.Format(time.DateOnly), month.AddDate(0, 1, 0).Format(time.DateOnly)).Scan(&b)
		}
		return ours, peer, func() bool { return a > 0 && a == b }
	})
}

// eachSize measures a comparison on each size of ledger; the largest one's goal counts.
func eachSize(ctx context.Context, dir, name string, goal float64, compare func(*ledger) (ours, peer func() error, equal func() bool)) ([]outcome, error) {
	version, _, _ := sqlite3.Version()
	var all []outcome
	for _, size := range ledgerSizes {
		l, err := openLedger(ctx, dir, size)
		if err != nil {
			return nil, err
		}
		ours, peer, equal := compare(l)
		o, err := beside(fmt.Sprintf("%s %d", name, size), 9, goal, ours, peer)
		if err != nil {
			return nil, err
		}
		o.Equal, o.PeerVersion = equal(), "SQLite "+version
		if size == ledgerSizes[len(ledgerSizes)-1] {
			o.Name = name
		}
		all = append(all, o)
		if err := l.close(); err != nil {
			return nil, err
		}
	}
	return all, nil
}
