package web

import (
	"net/url"
	"strconv"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/spot"
	"github.com/meterhouse/meterhouse/views"
)

// spotPage is GET /rent/spot.
func (s *Server) spotPage(c *call) error {
	ctx, now := c.Request().Context(), s.now()
	v := views.SpotPage{Page: s.page(c), From: now.Add(-spotShown), To: now}
	markets, err := s.store.SpotMarkets(ctx)
	if err != nil {
		return err
	}
	offers, err := s.store.Offers(ctx)
	if err != nil {
		return err
	}
	for _, m := range markets {
		row := views.SpotMarket{ID: m.PoolID, Model: m.GPUModel, Simulated: m.Simulated, FactorPPM: m.FactorPPM, MinimumPPM: m.MinimumPPM, UsePPM: m.AveragePPM,
			NextMove: m.NextMove, Runs: m.Runs, Reclaims: m.Reclaims, ReclaimsPerHour: m.ReclaimsPerHourPPM}
		for _, o := range offers {
			if o.Plan.GPUModel == m.GPUModel && o.Plan.Simulated == m.Simulated && o.Plan.GPUCount == 1 && o.SpotMicrosPerHour != nil {
				row.PriceMicros = *o.SpotMicrosPerHour
			}
		}
		prices, err := s.store.SpotPrices(ctx, m.PoolID, v.From)
		if err != nil {
			return err
		}
		for _, p := range prices {
			row.Prices = append(row.Prices, views.SpotPrice(p))
		}
		v.Markets = append(v.Markets, row)
	}
	return s.show(c, views.Spot(v))
}

// spotFacts is what the page of a spot instance says besides; nil for the others.
func spotFacts(in store.Instance) *views.SpotFacts {
	if in.Kind != store.Spot {
		return nil
	}
	v := &views.SpotFacts{ListMicrosPerHour: in.ListMicrosPerHour, SavedMicros: numberOr(in.SavedMicros, "not_started"), Requeue: in.Requeue, Run: in.Run,
		EarlierID: in.EarlierID, LaterID: in.LaterID, Checkpoint: in.Checkpoint.Command, CheckpointDetail: in.Checkpoint.Detail}
	switch {
	case in.Checkpoint.ExitCode != nil:
		v.CheckpointState, v.CheckpointExit = "ended", strconv.Itoa(*in.Checkpoint.ExitCode)
	case in.Checkpoint.EndedAt != nil:
		v.CheckpointState = "failed"
	case in.Checkpoint.BeganAt != nil:
		v.CheckpointState = "runs"
	}
	if in.NoticeAt == nil {
		return v
	}
	v.NoticeAt, v.ReclaimsAt, v.NeededBy = *in.NoticeAt, *in.ReclaimsAt(), in.NeededBy
	v.Free = in.StartedAt != nil && spot.IsFree(*in.StartedAt, *in.NoticeAt)
	for k, step := range spot.Due(v.NoticeAt, v.ReclaimsAt) {
		v.Signals = append(v.Signals, views.SpotSignal{Name: step.Signal, At: v.NoticeAt.Add(step.After), Sent: k < in.ReclaimSteps})
	}
	return v
}

// rentKind is the kind that the form offers at first.
func rentKind(asked string) string {
	if asked == string(store.Spot) {
		return asked
	}
	return string(store.OnDemand)
}

// spot reads from the form what is asked of a spot instance: the offer is then what it is as spot.
func (w *want) spot(f url.Values) {
	w.request.Kind, w.request.Requeue, w.request.CheckpointCommand = store.InstanceKind(rentKind(f.Get("kind"))), f.Get("requeue") == "1", trimmed(f, "checkpoint_command")
	if kind := f.Get("kind"); kind != "" {
		w.request.Kind = store.InstanceKind(kind) // that it is none, the store says
	}
	if w.request.Kind == store.Spot && w.offer.SpotMicrosPerHour != nil {
		w.list, w.offer.OnDemandMicrosPerHour = w.offer.OnDemandMicrosPerHour, *w.offer.SpotMicrosPerHour
		w.offer.Free, w.offer.HardEnd = w.offer.SpotFree, nil
	}
}

// quoteSpot says what spot changes: what it costs less, or that others give their GPUs.
func quoteSpot(q *views.Quote, w want) {
	q.ListMicrosPerHour = w.list
	if w.request.Kind == store.OnDemand && w.offer.Free == 0 && w.offer.AfterNotice {
		q.Starts, q.Refused = "notice", ""
	}
}
