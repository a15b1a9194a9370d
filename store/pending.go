package store

import (
	"context"
	"time"

	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/meter"
)

type ctx = context.Context

// Close ends the store.

// LockServe makes sure that one console alone serves a data directory.

func (s *Store) EnsureNode(c ctx, name string, local bool, executor string, limits []NodeLimit) (Node, error) {
	return Node{}, errPending
}
func (s *Store) Nodes(c ctx) ([]Node, error)                                   { return nil, errPending }
func (s *Store) NodeSeen(c ctx, id string, at time.Time) error                 { return errPending }
func (s *Store) SetNodeState(c ctx, id, state string) error                    { return errPending }
func (s *Store) SeeGPUs(c ctx, nodeID string, found []GPU, at time.Time) error { return errPending }
func (s *Store) GPUs(c ctx) ([]GPU, error)                                     { return nil, errPending }
func (s *Store) GPU(c ctx, uuid string) (GPU, error)                           { return GPU{}, errPending }
func (s *Store) SetGPUState(c ctx, uuid, state, reason string) error           { return errPending }
func (s *Store) Plans(c ctx) ([]Plan, error)                                   { return nil, errPending }
func (s *Store) SetPrice(c ctx, planID string, kind InstanceKind, micros int64, starts time.Time, by string) error {
	return errPending
}
func (s *Store) Offers(c ctx) ([]Offer, error) { return nil, errPending }

func (s *Store) Rent(c ctx, r RentRequest) (i Instance, created bool, err error) {
	return Instance{}, false, errPending
}
func (s *Store) PlaceQueued(c ctx) (placed int, err error)   { return 0, errPending }
func (s *Store) Instance(c ctx, id string) (Instance, error) { return Instance{}, errPending }
func (s *Store) Instances(c ctx, f Filter) (list []Instance, next string, err error) {
	return nil, "", errPending
}
func (s *Store) InstancesOnNode(c ctx, nodeID string, states ...life.State) ([]Instance, error) {
	return nil, errPending
}
func (s *Store) MarkRunning(c ctx, id string, at time.Time) error          { return errPending }
func (s *Store) MarkStartFailed(c ctx, id, why string, at time.Time) error { return errPending }
func (s *Store) RequestStop(c ctx, id, by, reason string) (Instance, error) {
	return Instance{}, errPending
}
func (s *Store) Suspend(c ctx, id, by string) (Instance, error)                 { return Instance{}, errPending }
func (s *Store) Resume(c ctx, id, by string) (Instance, error)                  { return Instance{}, errPending }
func (s *Store) MarkSuspended(c ctx, id string, at time.Time) error             { return errPending }
func (s *Store) MarkResumed(c ctx, id string, at time.Time) error               { return errPending }
func (s *Store) MarkEnded(c ctx, id string, e End) error                        { return errPending }
func (s *Store) MarkStopped(c ctx, id string, p Proof) error                    { return errPending }
func (s *Store) MarkUnreachable(c ctx, id string, lastProof time.Time) error    { return errPending }
func (s *Store) MarkReachable(c ctx, id string, alive bool, at time.Time) error { return errPending }
func (s *Store) Extend(c ctx, id, by string, until *time.Time) (Instance, error) {
	return Instance{}, errPending
}
func (s *Store) DueEnds(c ctx) ([]Instance, error)                   { return nil, errPending }
func (s *Store) ProofOfLife(c ctx, ids []string, at time.Time) error { return errPending }
func (s *Store) InstanceEvents(c ctx, id string, limit int) ([]InstanceEvent, error) {
	return nil, errPending
}
func (s *Store) AddInstanceEvent(c ctx, id, kind string, args map[string]string) error {
	return errPending
}

func (s *Store) Bill(c ctx, instanceID string) (meter.Bill, error) { return meter.Bill{}, errPending }
func (s *Store) PostDue(c ctx) (posted int, err error)             { return 0, errPending }
func (s *Store) Entries(c ctx, f EntryFilter) (list []Entry, next string, err error) {
	return nil, "", errPending
}
func (s *Store) LedgerSum(c ctx) (int64, error)                { return 0, errPending }
func (s *Store) CheckLedger(c ctx) (CheckResult, error)        { return CheckResult{}, errPending }
func (s *Store) Usage(c ctx, q UsageQuery) ([]UsageRow, error) { return nil, errPending }

func (s *Store) CreateBudget(c ctx, by string, n NewBudget) (Budget, error) {
	return Budget{}, errPending
}
func (s *Store) UpdateBudget(c ctx, by, id string, n NewBudget) (Budget, error) {
	return Budget{}, errPending
}
func (s *Store) DeleteBudget(c ctx, by, id string) error        { return errPending }
func (s *Store) Budgets(c ctx, teamID string) ([]Budget, error) { return nil, errPending }
func (s *Store) Budget(c ctx, id string) (Budget, error)        { return Budget{}, errPending }
func (s *Store) CheckBudgets(c ctx) (fired int, err error)      { return 0, errPending }
func (s *Store) BudgetLeft(c ctx, personID, teamID string) (left BudgetLeft, ok bool, err error) {
	return BudgetLeft{}, false, errPending
}
func (s *Store) CreateBenchmark(c ctx, n NewBenchmark) (Benchmark, Instance, error) {
	return Benchmark{}, Instance{}, errPending
}
func (s *Store) BenchmarkProgress(c ctx, id string, permille int, phase string) error {
	return errPending
}
func (s *Store) FinishBenchmark(c ctx, id string, o BenchmarkOutcome) error { return errPending }
func (s *Store) CancelBenchmark(c ctx, id, by string) (Benchmark, error) {
	return Benchmark{}, errPending
}
func (s *Store) Benchmarks(c ctx, f BenchmarkFilter) (list []Benchmark, next string, err error) {
	return nil, "", errPending
}
func (s *Store) Benchmark(c ctx, id string) (Benchmark, error) { return Benchmark{}, errPending }
func (s *Store) BenchmarkHistory(c ctx, suite, backend, test, gpu string, limit int) ([]BenchmarkPoint, error) {
	return nil, errPending
}

var errPending = &Error{Kind: Internal, Message: "pending"}
