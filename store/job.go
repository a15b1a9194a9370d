package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"
)

// JobLedger is the job that holds every bill against the ledger.
const JobLedger = "ledger"

// Job is long work that an admin starts: one of a kind at a time. A console that was killed begins it again.
type Job struct {
	ID                    int64
	Kind                  string
	State                 string // "queued", "running", "done", "failed" or "cancelled"
	Done, Total           int64  // Total 0: not known yet
	Result                json.RawMessage
	Error                 string
	By                    string // who started it
	CreatedAt             time.Time
	StartedAt, FinishedAt *time.Time
}

const jobQuery = `SELECT j.id, j.kind, j.state, j.done, j.total, coalesce(j.result, ''), j.error, coalesce(p.name, ''), j.created_at, j.started_at, j.finished_at
	FROM job j LEFT JOIN person p ON p.id = j.person_id `

func scanJob(r scanner) (Job, error) {
	var j Job
	var result string
	var created int64
	var started, finished sql.NullInt64
	err := r.Scan(&j.ID, &j.Kind, &j.State, &j.Done, &j.Total, &result, &j.Error, &j.By, &created, &started, &finished)
	j.Result, j.CreatedAt, j.StartedAt, j.FinishedAt = json.RawMessage(result), fromMicros(created), timeOrNil(started), timeOrNil(finished)
	return j, err
}

// StartJob queues a job. Conflict while another of its kind is not over.
func (s *Store) StartJob(ctx context.Context, personID, kind string) error {
	return s.startJob(ctx, personID, kind, "{}", nil)
}

func (s *Store) startJob(ctx context.Context, personID, kind, options string, input []byte) error {
	return s.write(ctx, func(t *tx) error {
		if err := t.needAdmin(personID); err != nil {
			return err
		}
		open, err := t.number("SELECT count(*) FROM job WHERE kind = ? AND finished_at IS NULL", kind)
		if err != nil {
			return err
		}
		if open > 0 {
			return &Error{Kind: Conflict, Message: "job_running"}
		}
		if _, err := t.exec("INSERT INTO job (kind, name, state, options, input, person_id, created_at) VALUES (?, '', 'queued', ?, ?, ?, ?)",
			kind, options, input, personID, micros(t.now)); err != nil {
			return err
		}
		t.emit("job", kind)
		return t.audit(AuditRecord{PersonID: personID, Action: "job_started", Target: kind})
	})
}

// Jobs returns the newest jobs of a kind.
func (s *Store) Jobs(ctx context.Context, kind string, limit int) (all []Job, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, scanJob, jobQuery+"WHERE j.kind = ? ORDER BY j.id DESC LIMIT ?", kind, limit)
		return err
	})
	return all, err
}

// CancelJob gives up what is not over of a kind; what is over stays as it is.
func (s *Store) CancelJob(ctx context.Context, personID, kind string) error {
	return s.write(ctx, func(t *tx) error {
		if err := t.needAdmin(personID); err != nil {
			return err
		}
		n, err := t.exec("UPDATE job SET state = 'cancelled', finished_at = ?, input = NULL WHERE kind = ? AND finished_at IS NULL", micros(t.now), kind)
		if err != nil || n == 0 {
			return err
		}
		t.emit("job", kind)
		return t.audit(AuditRecord{PersonID: personID, Action: "job_cancelled", Target: kind})
	})
}

// progressEvery is how often the progress of a job is written down, and looked whether it was given up.
const progressEvery = 500 * time.Millisecond

// RunJobs carries out what is queued, one after the other, and returns how many jobs came to their end. What an earlier
// console left half done is done anew. It is called by one loop.
func (s *Store) RunJobs(ctx context.Context) (ended int, err error) {
	for {
		j, found, err := s.nextJob(ctx)
		if err != nil || !found {
			return ended, err
		}
		result, err := s.runJob(ctx, j)
		if ctx.Err() != nil {
			return ended, ctx.Err() // it is begun again by the next console
		}
		if err := s.finishJob(ctx, j, result, err); err != nil {
			return ended, err
		}
		ended++
	}
}

// nextJob takes the oldest job that is not over.
func (s *Store) nextJob(ctx context.Context) (j Job, found bool, err error) {
	find := func(t *tx) error {
		j, err = scanJob(t.row(jobQuery + "WHERE j.finished_at IS NULL ORDER BY j.id LIMIT 1"))
		if found = err == nil; errors.Is(err, sql.ErrNoRows) {
			err = nil
		}
		return err
	}
	if err := s.read(ctx, find); err != nil || !found {
		return j, found, err
	}
	err = s.write(ctx, func(t *tx) error {
		if err := find(t); err != nil || !found {
			return err
		}
		_, err := t.exec("UPDATE job SET state = 'running', started_at = ?, done = 0 WHERE id = ?", micros(t.now), j.ID)
		t.emit("job", j.Kind)
		return err
	})
	return j, found, err
}

func (s *Store) runJob(ctx context.Context, j Job) (any, error) {
	ctx, cancel := context.WithCancel(ctx)
	var watch sync.WaitGroup
	defer watch.Wait()
	defer cancel()
	watch.Go(func() { s.endWithJob(ctx, cancel, j) })
	switch j.Kind {
	case JobLedger:
		return s.CheckLedgerWith(ctx, s.progress(ctx, j))
	case JobReplay:
		return s.runReplay(ctx, j)
	}
	return nil, errors.New("unknown kind " + strconv.Quote(j.Kind))
}

// endWithJob ends the work of a job that somebody gave up, however long a step of it takes.
func (s *Store) endWithJob(ctx context.Context, cancel context.CancelFunc, j Job) {
	look := time.NewTicker(progressEvery)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		var running int64
		err := s.read(ctx, func(t *tx) (err error) {
			running, err = t.number("SELECT count(*) FROM job WHERE id = ? AND state = 'running'", j.ID)
			return err
		})
		if err == nil && running == 0 { // what can't be read now is read at the next look
			cancel()
			return
		}
	}
}

// progress writes down how far a job is, now and then.
func (s *Store) progress(ctx context.Context, j Job) func(done, total int64) error {
	var last time.Time
	return func(done, total int64) error {
		if now := s.Now(); !last.IsZero() && now.Sub(last) < progressEvery && now.After(last) {
			return nil
		}
		last = s.Now()
		return s.write(ctx, func(t *tx) error {
			_, err := t.exec("UPDATE job SET done = ?, total = ? WHERE id = ? AND state = 'running'", done, total, j.ID)
			return err
		})
	}
}

// finishJob writes down what became of a job, unless it was given up.
func (s *Store) finishJob(ctx context.Context, j Job, result any, failed error) error {
	state, text, why := "done", any(nil), ""
	if failed != nil {
		state, why = "failed", clipped(failed.Error(), detailMax)
	} else {
		out, err := json.Marshal(result)
		if err != nil {
			return err
		}
		text = string(out)
	}
	return s.write(ctx, func(t *tx) error {
		_, err := t.exec("UPDATE job SET state = ?, result = ?, error = ?, finished_at = ?, done = total, input = NULL WHERE id = ? AND finished_at IS NULL",
			state, text, why, micros(t.now), j.ID)
		t.emit("job", j.Kind)
		return err
	})
}
