package store

import (
	"context"
)

type ctx = context.Context

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

func (t *tx) budgetsBlock(p, team string, l map[string]string) error { return nil }
func (t *tx) benchmarkFollows(i *Instance) error                     { return nil }
