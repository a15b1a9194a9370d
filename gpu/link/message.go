package link

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// request is the first frame of each stream.
type request struct {
	Call string          `json:"call"`
	ID   string          `json:"id,omitempty"`   // of the instance, or a GPU's UUID
	Args json.RawMessage `json:"args,omitempty"` // what belongs to this call alone
	Left int64           `json:"left_ms,omitempty"`
}

// reply is the answer of a call, and the last frame of one with streams.
type reply struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  *failure        `json:"error,omitempty"`
	Now    int64           `json:"now"` // the agent's clock, microseconds since 1970
}

// early is how much sooner than the console the agent gives up, so that what it has found by then arrives in time.
const early = 300 * time.Millisecond

// setDeadline lets a context's deadline travel as the time that is left: the two machines' clocks may differ.
func (q *request) setDeadline(ctx context.Context, now time.Time) {
	if deadline, ok := ctx.Deadline(); ok {
		left := deadline.Sub(now)
		q.Left = max((left - min(left/10, early)).Milliseconds(), 1)
	}
}

// compact encodes a struct without the fields that have their zero value. Its other end refuses fields that it does not know:
// so an older one accepts what asks for nothing new, and refuses, not ignores, what it can't do.
func compact(v any) (json.RawMessage, error) {
	if v == nil {
		return nil, nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	for name, value := range fields {
		switch string(value) {
		case `0`, `""`, `null`, `false`, `[]`, `{}`:
			delete(fields, name)
		}
	}
	return json.Marshal(fields)
}

// understand decodes what compact has encoded.
func (q request) understand(v any) error {
	if len(q.Args) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(q.Args))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("this agent is too old for what %q is asked to do: %w", q.Call, err)
	}
	return nil
}

// What belongs to single calls.
type (
	signalArgs struct {
		Signal int `json:"signal"`
	}
	noticeArgs struct {
		Content []byte `json:"content"`
	}
	stopArgs struct {
		GraceMillis int64 `json:"grace_ms"`
	}
	attachArgs struct {
		Cols uint16 `json:"cols"`
		Rows uint16 `json:"rows"`
	}
	// execArgs says which streams are wanted: what nobody reads does not travel.
	execArgs struct {
		Argv    []string    `json:"argv"`
		Shell   bool        `json:"shell"`
		SFTP    bool        `json:"sftp"`
		Env     []string    `json:"env"`
		Stdin   bool        `json:"stdin"`
		Stdout  bool        `json:"stdout"`
		Stderr  bool        `json:"stderr"`
		TTY     *attachArgs `json:"tty"`
		Signals bool        `json:"signals"`
	}
	dialArgs struct {
		Network string `json:"network"`
		Address string `json:"address"`
	}
	logArgs struct {
		Offset int64 `json:"offset"`
		Follow bool  `json:"follow"`
	}
	logResult struct {
		At int64 `json:"at"`
	}
	eventArgs struct {
		Boot  string `json:"boot"`
		After int64  `json:"after"`
	}
	eventResult struct {
		Boot   string      `json:"boot"`
		Last   int64       `json:"last"`
		Events []gpu.Event `json:"events"`
	}
	backlogArgs struct {
		After int64 `json:"after"` // microseconds since 1970, the agent's clock
	}
)
