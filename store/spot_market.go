package store

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"time"

	"github.com/meterhouse/meterhouse/store/spot"
)

// SpotMarket is what GPUs of a pool cost as spot, and why.
type SpotMarket struct {
	PoolID, GPUModel                   string
	Simulated                          bool
	MinimumPPM                         int64 // an admin's floor of the factor
	UsePPM, AveragePPM                 int64 // of the pool, now and over the last quarter of an hour
	FactorPPM                          int64 // of the on-demand price
	NextMove                           time.Time
	Runs, Reclaims, ReclaimsPerHourPPM int64 // of the last 30 days; the last is meaningless while Runs is 0
}

// SpotPrice is a factor that held from a moment on.
type SpotPrice struct {
	At        time.Time
	FactorPPM int64
}

// riskDays is how far back a pool's own history is looked at.
const riskDays = 30

// SpotMarkets returns the market of each pool that has GPUs, in the order of Plans.
func (s *Store) SpotMarkets(ctx context.Context) (all []SpotMarket, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, func(r scanner) (m SpotMarket, err error) {
			return m, r.Scan(&m.PoolID, &m.GPUModel, &m.Simulated)
		}, "SELECT id, model, simulated FROM pool ORDER BY model, simulated")
		for k := range all {
			if err == nil {
				err = t.spotMarket(&all[k])
			}
		}
		return err
	})
	return all, err
}

func (t *tx) spotMarket(m *SpotMarket) error {
	market, minimum, err := t.market(m.PoolID)
	if err != nil {
		return err
	}
	m.MinimumPPM, m.UsePPM, m.AveragePPM, m.FactorPPM, m.NextMove = minimum, market.UsePPM, market.AveragePPM(), market.FactorPPM, market.NextMove()
	h, err := t.spotHistory(m.PoolID)
	if err != nil {
		return err
	}
	if risk, ok := h.Risk(); ok {
		m.Runs, m.Reclaims, m.ReclaimsPerHourPPM = h.Runs, h.Reclaims, risk
	}
	return nil
}

// spotHistory is what became of a pool's spot instances of the last 30 days, those that run now among them.
func (t *tx) spotHistory(pool string) (h spot.History, err error) {
	var us int64
	err = t.row(`SELECT count(*), coalesce(sum(notice_at IS NOT NULL), 0), coalesce(sum(max(coalesce(ended_at, ?2) - started_at, 0)), 0) FROM instance
		WHERE kind = 'spot' AND pool_id = ?1 AND started_at IS NOT NULL AND (ended_at IS NULL OR ended_at > ?3)`,
		pool, micros(t.now), micros(t.now.AddDate(0, 0, -riskDays))).Scan(&h.Runs, &h.Reclaims, &us)
	h.Time = time.Duration(us) * time.Microsecond
	return h, err
}

// SpotPrices returns a pool's factors from the one that held at a moment up to now, oldest first. NotFound for no such pool.
func (s *Store) SpotPrices(ctx context.Context, pool string, since time.Time) (all []SpotPrice, err error) {
	err = s.read(ctx, func(t *tx) error {
		if n, err := t.number("SELECT count(*) FROM pool WHERE id = ?", pool); err != nil || n == 0 {
			return errors.Join(err, notFound("pool", pool))
		}
		all, err = list(t, func(r scanner) (p SpotPrice, err error) {
			var at int64
			err = r.Scan(&at, &p.FactorPPM)
			p.At = fromMicros(at)
			return p, err
		}, `SELECT at, factor_ppm FROM spot_price WHERE pool_id = ?1
			AND at >= coalesce((SELECT max(at) FROM spot_price WHERE pool_id = ?1 AND at <= ?2), 0) ORDER BY at`, pool, micros(since))
		return err
	})
	return all, err
}

// SetSpotMinimum sets the floor of a pool's price factor, in parts per million; the price goes there at its own pace.
func (s *Store) SetSpotMinimum(ctx context.Context, pool string, ppm int64, by string) error {
	if ppm < spot.LowestMinimum || ppm > spot.Whole {
		return invalid("minimum", "spot_minimum_wrong")
	}
	return s.pricing(ctx, by, Request{}, func(t *tx) error {
		if n, err := t.number("SELECT count(*) FROM pool WHERE id = ?", pool); err != nil || n == 0 {
			return errors.Join(err, notFound("pool", pool))
		}
		if err := t.followMarket(pool); err != nil {
			return err
		}
		if _, err := t.exec("UPDATE spot_market SET minimum_ppm = ? WHERE pool_id = ?", ppm, pool); err != nil {
			return err
		}
		t.emit("price", pool)
		return t.audit(AuditRecord{PersonID: by, Action: "spot_minimum_set", Target: pool, Detail: strconv.FormatInt(ppm, 10)})
	})
}

// FollowSpotMarkets writes down how full the pools are, and the moves of their prices that are due: all that were missed
// while no console ran, each at its own moment.
func (s *Store) FollowSpotMarkets(ctx context.Context) error {
	due := false
	err := s.read(ctx, func(t *tx) error {
		pools, err := t.pools()
		for _, p := range pools {
			market, _, known, err := t.stored(p)
			if err != nil {
				return err
			}
			use, err := t.poolUse(p)
			if err != nil {
				return err
			}
			due = due || !known || use != market.UsePPM || !t.now.Before(market.NextMove())
		}
		return err
	})
	if err != nil || !due {
		return err
	}
	return s.write(ctx, func(t *tx) error {
		pools, err := t.pools()
		for _, p := range pools {
			if err == nil {
				err = t.followMarket(p)
			}
		}
		return err
	})
}

func (t *tx) pools() ([]string, error) {
	return list(t, func(r scanner) (id string, err error) { return id, r.Scan(&id) }, "SELECT id FROM pool ORDER BY id")
}

func (t *tx) followMarket(pool string) error {
	m, minimum, known, err := t.stored(pool)
	if err != nil {
		return err
	}
	use, err := t.poolUse(pool)
	if err != nil {
		return err
	}
	var moves []spot.Market
	before := m.At
	if known {
		m = m.Follow(minimum, t.now, func(moved spot.Market) { moves = append(moves, moved) }).Observe(use, minimum, t.now)
	} else {
		m = spot.Open(use, minimum, t.now)
		moves = append(moves, m)
	}
	for _, moved := range moves {
		if _, err := t.exec("INSERT INTO spot_price (pool_id, at, factor_ppm) VALUES (?, ?, ?)", pool, micros(moved.At), moved.FactorPPM); err != nil {
			return err
		}
		t.emit("price", pool)
	}
	if known && m.At.Before(before) {
		return nil
	}
	_, err = t.exec(`INSERT INTO spot_market (pool_id, minimum_ppm, use_ppm, area_ppm, average_ppb, factor_ppm, at) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET use_ppm = excluded.use_ppm, area_ppm = excluded.area_ppm, average_ppb = excluded.average_ppb,
		factor_ppm = excluded.factor_ppm, at = excluded.at`, pool, minimum, m.UsePPM, m.AreaPPM, m.AveragePPB, m.FactorPPM, micros(m.At))
	return err
}

// market is a pool's market as of now, whoever wrote it down when.
func (t *tx) market(pool string) (m spot.Market, minimumPPM int64, err error) {
	m, minimumPPM, known, err := t.stored(pool)
	if err != nil || known {
		return m.Tick(minimumPPM, t.now), minimumPPM, err
	}
	use, err := t.poolUse(pool)
	return spot.Open(use, minimumPPM, t.now), minimumPPM, err
}

func (t *tx) stored(pool string) (m spot.Market, minimumPPM int64, known bool, err error) {
	var at int64
	err = t.row("SELECT minimum_ppm, use_ppm, area_ppm, average_ppb, factor_ppm, at FROM spot_market WHERE pool_id = ?", pool).
		Scan(&minimumPPM, &m.UsePPM, &m.AreaPPM, &m.AveragePPB, &m.FactorPPM, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return m, spot.LowestMinimum, false, nil
	}
	m.At = fromMicros(at)
	return m, minimumPPM, err == nil, err
}

// poolUse is the part of a pool's GPUs that instances hold, of those that could be held.
func (t *tx) poolUse(pool string) (ppm int64, err error) {
	var held, all int64
	err = t.row("SELECT coalesce(sum(h.gpu_uuid IS NOT NULL), 0), coalesce(sum(h.gpu_uuid IS NOT NULL OR "+usable+`), 0)
		FROM gpu g JOIN node n ON n.id = g.node_id LEFT JOIN instance_gpu h ON h.gpu_uuid = g.uuid AND h.released_at IS NULL WHERE g.pool_id = ?`, pool).Scan(&held, &all)
	if err != nil || all == 0 {
		return 0, err
	}
	return held * spot.Whole / all, nil
}

// spotPrice is what a plan costs as spot now; ok is false where it has no GPUs, or is not rented on demand.
func (t *tx) spotPrice(planID string) (micros, onDemand int64, ok bool, err error) {
	var pool sql.NullString
	if err := t.row("SELECT pool_id FROM plan WHERE id = ?", planID).Scan(&pool); err != nil || !pool.Valid {
		return 0, 0, false, err
	}
	if onDemand, ok, err = t.price(planID, OnDemand); err != nil || !ok {
		return 0, 0, false, err
	}
	m, _, err := t.market(pool.String)
	return spot.Price(onDemand, m.FactorPPM), onDemand, err == nil, err
}
