package link

import (
	"context"
	"errors"
	"io"

	"github.com/meterhouse/meterhouse/gpu"
)

// failure is an error on its way: its words, and what it is.
type failure struct {
	Kind       string          `json:"kind,omitempty"`
	Text       string          `json:"text"`
	NotStarted *gpu.NotStarted `json:"not_started,omitempty"`
}

// kinds are the errors that keep their identity. Names are never given another meaning; one that is not known is a failure
// of no kind.
var kinds = []struct {
	name string
	is   error
}{
	{"no_instance", gpu.ErrNoInstance}, {"not_running", gpu.ErrNotRunning}, {"no_device", gpu.ErrNoDevice}, {"not_its_port", gpu.ErrNotItsPort},
	{"unreachable", gpu.ErrUnreachable}, {"closed", gpu.ErrClosed},
	{"deadline", context.DeadlineExceeded}, {"canceled", context.Canceled}, {"cut", io.ErrUnexpectedEOF},
}

func failureOf(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{Text: err.Error()}
	_ = errors.As(err, &f.NotStarted)
	for _, k := range kinds {
		if errors.Is(err, k.is) {
			f.Kind = k.name
			break
		}
	}
	return f
}

// err is the error as the agent's executor or source has returned it.
func (f *failure) err() error {
	if f == nil {
		return nil
	}
	e := &remoteError{text: f.Text}
	if f.NotStarted != nil {
		e.is = append(e.is, f.NotStarted)
	}
	for _, k := range kinds {
		if k.name == f.Kind {
			e.is = append(e.is, k.is)
		}
	}
	return e
}

type remoteError struct {
	text string
	is   []error
}

func (e *remoteError) Error() string   { return e.text }
func (e *remoteError) Unwrap() []error { return e.is }
