package link

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hashicorp/yamux"

	"github.com/meterhouse/meterhouse/gpu"
)

// openingAtOnce is how many calls may be on their way to an agent that has not taken them yet. More wait, each no longer than
// its context.
const openingAtOnce = 128

// session is one line to an agent.
type session struct {
	mux     *yamux.Session
	claim   Claim
	opening chan struct{}
	clock   shift
	crew    crew
}

// stream is one call under way.
type stream struct {
	*yamux.Stream
	out  *frameWriter
	crew *crew
	sent time.Time
}

// open sends a request, and returns its stream or the context's error, whichever comes first.
func (n *Node) open(ctx context.Context, q request) (*session, *stream, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	s, err := n.line()
	if err != nil {
		return nil, nil, err
	}
	q.setDeadline(ctx, time.Now())
	select {
	case s.opening <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	case <-s.mux.CloseChan():
		return nil, nil, n.down(q, nil)
	}
	type opened struct {
		st  *stream
		err error
	}
	ready := make(chan opened)
	began := s.crew.start(func() {
		defer func() { <-s.opening }()
		st, err := s.begin(q, n.now())
		select {
		case ready <- opened{st, err}:
		case <-ctx.Done():
			if st != nil {
				_ = st.Close()
			}
		}
	})
	if !began {
		<-s.opening
		return nil, nil, n.down(q, nil)
	}
	select {
	case o := <-ready:
		if o.err != nil {
			return nil, nil, n.down(q, o.err)
		}
		return s, o.st, nil
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

func (s *session) begin(q request, now time.Time) (*stream, error) {
	raw, err := s.mux.OpenStream()
	if err != nil {
		return nil, err
	}
	st := &stream{Stream: raw, out: &frameWriter{w: raw}, crew: &s.crew, sent: now}
	if err := st.out.sendJSON(frameRequest, q); err != nil {
		_ = st.Close()
		return nil, err
	}
	return st, nil
}

// down is the error of a call whose line did not carry it to its end.
func (n *Node) down(q request, why error) error {
	if why == nil {
		return fmt.Errorf("node %s, %s: %w", n.name, q.Call, gpu.ErrUnreachable)
	}
	return fmt.Errorf("node %s, %s: %w (%w)", n.name, q.Call, gpu.ErrUnreachable, why)
}

// leave ends a call from this side at once; what the line still has to carry for that is waited for with the line.
func (st *stream) leave() {
	_ = st.SetDeadline(time.Unix(1, 0)) // it has no error to return
	st.crew.start(func() { _ = st.Close() })
}

// answer reads a reply of a kind, with the context's end as a way out.
func (n *Node) answer(ctx context.Context, s *session, st *stream, q request, kind byte, result any) error {
	stop := context.AfterFunc(ctx, st.leave)
	var r reply
	err := readJSON(st, kind, maxFrame, &r)
	if !stop() {
		return ctx.Err()
	}
	if err != nil {
		return n.down(q, err)
	}
	return s.take(st, r, result)
}

// take decodes a reply. A failed Start has a result beside its error.
func (s *session) take(st *stream, r reply, result any) error {
	s.clock.learn(st.sent, time.UnixMicro(r.Now))
	if len(r.Result) > 0 && result != nil {
		if err := json.Unmarshal(r.Result, result); err != nil {
			return fmt.Errorf("%w: %w", errFrame, err)
		}
	}
	return r.Error.err()
}

// call is a call without streams.
func (n *Node) call(ctx context.Context, name, id string, args, result any) (*session, error) {
	packed, err := compact(args)
	if err != nil {
		return nil, err
	}
	q := request{Call: name, ID: id, Args: packed}
	s, st, err := n.open(ctx, q)
	if err != nil {
		return nil, err
	}
	defer st.leave()
	return s, failed(ctx, n.answer(ctx, s, st, q, frameReply, result))
}
