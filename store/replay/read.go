package replay

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/meterhouse/meterhouse/store/money"
	"github.com/meterhouse/meterhouse/store/queue"
)

const (
	tasksMax = 1_000_000
	nameMax  = 100 // characters
	gpusMax  = 1_000_000
	// timeMax is how late a task may be asked for, and how long it may work.
	timeMax = 10 * 365 * 24 * time.Hour
)

// columns are those that a workload must have; "name", "gpu_spec", "team" and "time_limit" may be there, and what else is
// there is not looked at.
var columns = []string{"num_gpu", "gpu_milli", "qos", "creation_time", "deletion_time", "scheduled_time"}

// classes are the kinds of the classes of service that clusters know.
var classes = map[string]Kind{"ls": OnDemand, "guaranteed": OnDemand, "be": Spot, "burstable": Spot, "on_demand": OnDemand, "spot": Spot}

// Read reads a workload as CSV: a line of column names, then a task a line. Times are seconds from the workload's
// beginning. A task works from scheduled_time to deletion_time, or from creation_time where it was never scheduled. An
// error names the line and what is wrong with it.
func Read(from io.Reader) ([]Task, error) {
	text := bufio.NewReader(from)
	if head, err := text.Peek(3); err == nil && bytes.Equal(head, []byte("\xef\xbb\xbf")) {
		_, _ = text.Discard(3) // it is in the buffer
	}
	r := csv.NewReader(text)
	r.ReuseRecord = true
	head, err := r.Read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, errors.New("it is empty: the first line names the columns")
	case err != nil:
		return nil, said(err)
	}
	where := map[string]int{}
	for k, name := range head {
		name = strings.TrimSpace(name)
		if _, twice := where[name]; twice {
			return nil, fmt.Errorf("line 1: the column %q is there twice", name)
		}
		where[name] = k
	}
	for _, name := range columns {
		if _, ok := where[name]; !ok {
			return nil, fmt.Errorf("line 1: there is no column %q", name)
		}
	}
	var all []Task
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, said(err)
		}
		line, _ := r.FieldPos(0)
		if len(all) == tasksMax {
			return nil, fmt.Errorf("line %d: more than %d tasks", line, tasksMax)
		}
		t, err := task(func(column string) string {
			if k, ok := where[column]; ok {
				return strings.TrimSpace(record[k])
			}
			return ""
		})
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		all = append(all, t)
	}
	if len(all) == 0 {
		return nil, errors.New("line 2: there are no tasks")
	}
	return all, nil
}

// said is what the CSV reader says, with the line first as everywhere.
func said(err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return fmt.Errorf("line %d: %w", p.Line, p.Err)
	}
	return err
}

func task(field func(column string) string) (t Task, err error) {
	if t.Name, err = text("name", field("name")); err != nil {
		return t, err
	}
	if t.Team, err = text("team", field("team")); err != nil {
		return t, err
	}
	if t.Spec, err = text("gpu_spec", field("gpu_spec")); err != nil {
		return t, err
	}
	var known bool
	if t.Kind, known = classes[strings.ToLower(field("qos"))]; !known {
		return t, fmt.Errorf("qos %q is none of LS, Guaranteed, BE and Burstable", clipped(field("qos")))
	}
	if t.GPUs, err = count("num_gpu", field("num_gpu"), gpusMax); err != nil {
		return t, err
	}
	if t.Milli, err = count("gpu_milli", field("gpu_milli"), queue.Share); err != nil {
		return t, err
	}
	if t.Asked, err = seconds("creation_time", field("creation_time")); err != nil {
		return t, err
	}
	end, err := seconds("deletion_time", field("deletion_time"))
	if err != nil {
		return t, err
	}
	began := t.Asked
	if field("scheduled_time") != "" {
		if began, err = seconds("scheduled_time", field("scheduled_time")); err != nil {
			return t, err
		}
	}
	t.Length = max(end-began, 0)
	if field("time_limit") != "" {
		if t.Limit, err = seconds("time_limit", field("time_limit")); err == nil && t.Limit == 0 {
			err = errors.New("time_limit is 0: leave it empty for none")
		}
	}
	return t, err
}

// text is what a person reads: one line of it.
func text(column, value string) (string, error) {
	switch {
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		return "", fmt.Errorf("%s has characters that are no text", column)
	case utf8.RuneCountInString(value) > nameMax:
		return "", fmt.Errorf("%s has more than %d characters", column, nameMax)
	}
	return strings.Clone(value), nil // the reader uses its record again
}

// count is a whole number; empty is 0.
func count(column, value string, most int) (int, error) {
	if value == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 || n > most {
		return 0, fmt.Errorf("%s %q is not a whole number from 0 to %d", column, clipped(value), most)
	}
	return n, nil
}

// seconds is a time of whole seconds or parts of them, to the microsecond.
func seconds(column, value string) (time.Duration, error) {
	us, err := money.Parse(value) // a plain decimal, in millionths
	if err != nil || us < 0 || us > timeMax.Microseconds() {
		return 0, fmt.Errorf("%s %q is not a number of seconds from 0 to %d", column, clipped(value), int64(timeMax.Seconds()))
	}
	return time.Duration(us) * time.Microsecond, nil
}

func clipped(value string) string {
	const most = 40
	if len(value) > most {
		return value[:most] + "…"
	}
	return value
}
