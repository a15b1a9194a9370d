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

// proofPatience is how long one look may take: a line that hangs is no answer.
const proofPatience = 5 * time.Second

// unprovenPatience is how old the last proof of life may become while its machine is asked for a new one: one look that fails
// says nothing, three in a row do. A console that begins gives agents as long to come back.
const unprovenPatience = 3 * proofInterval

// proofs writes down who lives, in one write: if this machine goes down, what ran is billed up to there and no further.
func (m *machine) proofs(ctx context.Context) error {
	return m.loop(ctx, "proof of life", proofInterval, m.proofNow, m.seeWhoLives)
}

// seeWhoLives asks of each instance whether it lives. Of what nobody can tell that, it is billed no further: its record is
// broken, and it may run or not. The keeper goes on trying, and bills the gap once it is proven.
func (m *machine) seeWhoLives(ctx context.Context) error {
	at := m.now()
	if err := m.seen(ctx, at); err != nil {
		return err
	}
	instances, err := m.store.InstancesOnNode(ctx, m.nodeID(), life.Running, life.Suspended, life.Reclaiming)
	if err != nil {
		return err
	}
	var alive []string
	for _, inst := range instances {
		asked, cancel := context.WithTimeout(ctx, proofPatience)
		st, err := m.state(asked, inst.ID)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case err == nil && lives(st):
			alive = append(alive, inst.ID)
		case err == nil || inst.ProofAt == nil || at.Sub(later(*inst.ProofAt, m.began)) < unprovenPatience:
		default:
			m.log.Error("nothing proves that an instance lives", "instance", inst.ID, "since", *inst.ProofAt, "error", err)
			if err := m.store.MarkUnreachable(ctx, inst.ID, *inst.ProofAt, err.Error()); err != nil {
				return err
			}
		}
	}
	if len(alive) == 0 {
		return nil
	}
	return m.store.ProofOfLife(ctx, alive, at)
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
