package fleet

import (
	"context"
	"time"

	"github.com/meterhouse/meterhouse/store/life"
)

const (
	proofInterval  = 10 * time.Second
	meterInterval  = time.Minute
	budgetInterval = time.Second
)

// unprovenPatience is how old the last proof of life may become while this node looks for a new one: one look that fails
// says nothing, three in a row do.
const unprovenPatience = 3 * proofInterval

// proofs writes down who lives, in one write: if this machine goes down, what ran is billed up to there and no further.
func (f *Fleet) proofs(ctx context.Context) error {
	return f.loop(ctx, "proof of life", proofInterval, nil, f.seeWhoLives)
}

// seeWhoLives asks of each instance whether it lives. Of what nobody can tell that, it is billed no further: its record is
// broken, and it may run or not. The keeper goes on trying, and bills the gap once it is proven.
func (f *Fleet) seeWhoLives(ctx context.Context) error {
	at := f.now()
	if err := f.store.NodeSeen(ctx, f.nodeID(), at); err != nil {
		return err
	}
	instances, err := f.store.InstancesOnNode(ctx, f.nodeID(), life.Running, life.Suspended, life.Reclaiming)
	if err != nil {
		return err
	}
	var alive []string
	for _, inst := range instances {
		st, err := f.executor.State(ctx, inst.ID)
		switch {
		case err == nil && lives(st):
			alive = append(alive, inst.ID)
		case err == nil || isUnknown(err) || ctx.Err() != nil || inst.ProofAt == nil || at.Sub(*inst.ProofAt) < unprovenPatience:
		default:
			f.log.Error("nothing proves that an instance lives", "instance", inst.ID, "since", *inst.ProofAt, "error", err)
			if err := f.store.MarkUnreachable(ctx, inst.ID, *inst.ProofAt, err.Error()); err != nil {
				return err
			}
		}
	}
	if len(alive) == 0 {
		return nil
	}
	return f.store.ProofOfLife(ctx, alive, at)
}

// meter books what is due to the ledger, and then issues the invoices that are due: what ran over a month's end is booked
// before they are.
func (f *Fleet) meter(ctx context.Context) error {
	return f.loop(ctx, "metering", meterInterval, nil, func(ctx context.Context) error {
		if _, err := f.store.PostDue(ctx); err != nil {
			return err
		}
		_, err := f.store.IssueInvoices(ctx)
		return err
	})
}

// jobs carries out the long work that admins start.
func (f *Fleet) jobs(ctx context.Context) error {
	return f.loop(ctx, "jobs", meterInterval, f.jobsNow, func(ctx context.Context) error {
		_, err := f.store.RunJobs(ctx)
		return err
	})
}

// budgets fires the thresholds that spending has crossed.
func (f *Fleet) budgets(ctx context.Context) error {
	return f.loop(ctx, "budgets", budgetInterval, f.budgetsNow, func(ctx context.Context) error {
		_, err := f.store.CheckBudgets(ctx)
		return err
	})
}
