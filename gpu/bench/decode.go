package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// MaxLine is the longest line in bytes that is taken for an event. The runner's own stay under 8 KiB.
const MaxLine = 64 << 10

// LineError is a line that is no event: output of something else, a torn line, a line that is too long. Reading goes on
// after it.
type LineError struct {
	Line int   // counted from 1
	Err  error // why
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d is no event: %v", e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

var (
	errLong  = fmt.Errorf("longer than %d bytes", MaxLine)
	errExtra = errors.New("something follows the event")
)

// Decoder reads events from a benchmark's output, which may hold anything.
type Decoder struct {
	from *bufio.Reader
	line int
}

// NewDecoder reads from r, MaxLine bytes at a time.
func NewDecoder(r io.Reader) *Decoder { return &Decoder{from: bufio.NewReaderSize(r, MaxLine)} }

// Next returns the next event. A *LineError says that a line was not one: call Next again. Every other error is final;
// io.EOF is the end. A last line without its newline counts if it is whole. Empty lines are passed over.
func (d *Decoder) Next() (Event, error) {
	for {
		line, err := d.from.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			d.line++
			return Event{}, d.skipLong()
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return Event{}, fmt.Errorf("read events: %w", err)
		}
		if len(line) == 0 && err != nil {
			return Event{}, io.EOF
		}
		d.line++
		line = bytes.TrimSpace(line) // a terminal in between ends its lines with \r\n
		if len(line) == 0 {
			continue
		}
		event, err := ParseEvent(line)
		if err != nil {
			return Event{}, &LineError{Line: d.line, Err: err}
		}
		return event, nil
	}
}

// skipLong reads on to the end of a line that did not fit, keeping nothing of it.
func (d *Decoder) skipLong() error {
	for {
		_, err := d.from.ReadSlice('\n')
		switch {
		case err == nil || errors.Is(err, io.EOF):
			return &LineError{Line: d.line, Err: errLong}
		case !errors.Is(err, bufio.ErrBufferFull):
			return fmt.Errorf("read events: %w", err)
		}
	}
}

// ReadAll reads to the end and leaves out every line that is no event; bad counts those.
func ReadAll(r io.Reader) (events []Event, bad int, err error) {
	d := NewDecoder(r)
	for {
		event, err := d.Next()
		var line *LineError
		switch {
		case err == nil:
			events = append(events, event)
		case errors.As(err, &line):
			bad++
		case errors.Is(err, io.EOF):
			return events, bad, nil
		default:
			return events, bad, err
		}
	}
}

// ParseEvent reads one line strictly: one JSON object, no unknown field, every value in its range.
func ParseEvent(line []byte) (Event, error) {
	if len(line) > MaxLine {
		return Event{}, errLong
	}
	var head struct {
		Event EventKind `json:"event"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return Event{}, fmt.Errorf("not JSON: %w", err)
	}
	e := Event{Kind: head.Event}
	var into any
	switch head.Event {
	case KindPlan:
		e.Plan = new(Plan)
		into = &planLine{Plan: e.Plan}
	case KindProgress:
		e.Progress = new(Progress)
		into = &progressLine{Progress: e.Progress}
	case KindSample:
		e.Sample = new(Sample)
		into = &sampleLine{Sample: e.Sample}
	case KindResult:
		e.Result = new(Row)
		into = &resultLine{Row: e.Result}
	case KindError:
		e.Error = new(Failure)
		into = &errorLine{Failure: e.Error}
	case KindDone:
		e.Done = new(Done)
		into = &doneLine{Done: e.Done}
	default:
		return Event{}, fmt.Errorf("no event of kind %q", head.Event)
	}
	strict := json.NewDecoder(bytes.NewReader(line))
	strict.DisallowUnknownFields()
	if err := strict.Decode(into); err != nil {
		return Event{}, fmt.Errorf("%s event: %w", e.Kind, err)
	}
	if _, err := strict.Token(); !errors.Is(err, io.EOF) {
		return Event{}, errExtra
	}
	if err := e.check(); err != nil {
		return Event{}, fmt.Errorf("%s event: %w", e.Kind, err)
	}
	return e, nil
}

// finite reports whether x is a number that a measurement can have.
func finite(x float64) bool { return x >= 0 && x <= math.MaxFloat64 }
