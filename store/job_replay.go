package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/meterhouse/meterhouse/store/replay"
	"github.com/meterhouse/meterhouse/store/spot"
)

// JobReplay is the job that replays a workload.
const JobReplay = "replay"

// ReplayBegins is when every replay begins: long past, so that no clock is behind the ledger that it keeps.
var ReplayBegins = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// Bounds of a replayed pool.
const (
	ReplayGPUsMax    = 100_000
	ReplayPerNodeMax = 64
)

// ReplayOptions say what a workload is replayed against.
type ReplayOptions struct {
	Name          string // of the workload
	Model         string // of the pool's GPUs
	GPUs, PerNode int
	MicrosPerHour int64 // of one GPU on demand
}

// Pool is the pool that they describe.
func (o ReplayOptions) Pool() replay.Pool {
	return replay.Pool{Model: o.Model, GPUs: o.GPUs, PerNode: o.PerNode, MicrosPerHour: o.MicrosPerHour, MinimumPPM: spot.LowestMinimum, Begins: ReplayBegins}
}

// ReplayReport is what came of a replay, as its ledger says.
type ReplayReport struct {
	ReplayOptions
	Result        replay.Result
	RevenueMicros map[replay.Kind]int64
	LedgerMicros  int64 // the ledger's sum: 0

	UtilizationPPM int64 // of the pool, in parts per million
}

// Replay serves a workload in simulated time and writes its ledger into an empty directory; done is told of every run.
func Replay(ctx context.Context, dir string, pool replay.Pool, tasks []replay.Task, done func() error) (r ReplayReport, err error) {
	s, err := Open(ctx, Config{Path: dir, Now: func() time.Time { return pool.Begins }}) // the ledger's clock is the replay's
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	ledger, err := s.NewReplayLedger(ctx, pool)
	if err != nil {
		return r, err
	}
	r.Result, err = replay.Serve(ctx, pool, tasks, func(run *replay.Run) error {
		if err := done(); err != nil {
			return err
		}
		return ledger.Add(run)
	})
	if err != nil {
		return r, err
	}
	r.UtilizationPPM = r.Result.UtilizationPPM()
	if r.RevenueMicros, r.LedgerMicros, err = ledger.Close(); err == nil {
		err = SameRevenue(r.RevenueMicros, r.Result.RevenueMicros)
	}
	return r, err
}

// StartReplay queues a replay of a workload, a CSV file. Invalid names what is wrong with the file or the options; Conflict
// while another replay is not over.
func (s *Store) StartReplay(ctx context.Context, personID string, o ReplayOptions, workload []byte) (err error) {
	switch {
	case o.GPUs < 1 || o.GPUs > ReplayGPUsMax:
		return invalid("gpus", "replay_gpus_wrong")
	case o.PerNode < 1 || o.PerNode > ReplayPerNodeMax:
		return invalid("per_node", "replay_per_node_wrong")
	case o.MicrosPerHour < 0 || o.MicrosPerHour > PriceMax:
		return invalid("price", "out_of_range")
	}
	if o.Model, err = cleanText("model", o.Model, 1, nameMax); err != nil {
		return err
	}
	o.Name = clipped(o.Name, nameMax)
	if _, err := replay.Read(bytes.NewReader(workload)); err != nil {
		return &Error{Kind: Invalid, Field: "file", Message: "workload_wrong", Args: map[string]string{"why": err.Error()}, Err: err}
	}
	options, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return s.startJob(ctx, personID, JobReplay, string(options), workload)
}

// runReplay carries out a replay in a directory of its own, which is gone afterwards.
func (s *Store) runReplay(ctx context.Context, j Job) (r ReplayReport, err error) {
	var o ReplayOptions
	var options string
	var input []byte
	if err := s.read(ctx, func(t *tx) error {
		return t.row("SELECT options, coalesce(input, x'') FROM job WHERE id = ?", j.ID).Scan(&options, &input)
	}); err != nil {
		return r, err
	}
	if err := json.Unmarshal([]byte(options), &o); err != nil {
		return r, err
	}
	tasks, err := replay.Read(bytes.NewReader(input))
	if err != nil {
		return r, err
	}
	dir, err := os.MkdirTemp("", "meterhouse-replay-")
	if err != nil {
		return r, fmt.Errorf("a directory for the replay: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	progress, runs := s.progress(ctx, j), int64(0)
	r, err = Replay(ctx, dir, o.Pool(), tasks, func() error {
		runs = min(runs+1, int64(len(tasks)))
		return progress(runs, int64(len(tasks)))
	})
	r.ReplayOptions = o
	return r, err
}
