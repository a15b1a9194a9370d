package bench

import (
	"encoding/json"
	"fmt"
	"io"
)

// The lines as they are written: the kind, then the fields of its part.
type (
	planLine struct {
		Event EventKind `json:"event"`
		*Plan
	}
	progressLine struct {
		Event EventKind `json:"event"`
		*Progress
	}
	sampleLine struct {
		Event EventKind `json:"event"`
		*Sample
	}
	resultLine struct {
		Event EventKind `json:"event"`
		*Row
	}
	errorLine struct {
		Event EventKind `json:"event"`
		*Failure
	}
	doneLine struct {
		Event EventKind `json:"event"`
		*Done
	}
)

// Append writes the event as one line, newline included.
func (e Event) Append(to []byte) ([]byte, error) {
	var line any
	switch e.Kind {
	case KindPlan:
		line = planLine{e.Kind, e.Plan}
	case KindProgress:
		line = progressLine{e.Kind, e.Progress}
	case KindSample:
		line = sampleLine{e.Kind, e.Sample}
	case KindResult:
		line = resultLine{e.Kind, e.Result}
	case KindError:
		line = errorLine{e.Kind, e.Error}
	case KindDone:
		line = doneLine{e.Kind, e.Done}
	default:
		return to, fmt.Errorf("no event of kind %q", e.Kind)
	}
	text, err := json.Marshal(line)
	if err != nil {
		return to, fmt.Errorf("%s event: %w", e.Kind, err)
	}
	return append(append(to, text...), '\n'), nil
}

// eventWriter writes each event with one Write, so that a killed process leaves at most its last line torn.
type eventWriter struct {
	to  io.Writer
	err error // the first one; nothing is written after it
}

func (w *eventWriter) write(e Event) {
	if w.err != nil {
		return
	}
	line, err := e.Append(nil)
	if err == nil {
		_, err = w.to.Write(line)
	}
	if err != nil {
		w.err = fmt.Errorf("%w: %w", errOutput, err)
	}
}
