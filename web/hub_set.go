package web

import (
	"sync"

	"github.com/gorilla/websocket"

	"github.com/meterhouse/meterhouse/web/live"
)

// set is what some clients watch together: an instance, or the fleet. Each of its frames is encoded once, and shared.
type set struct {
	key     string
	mu      sync.Mutex
	frame   live.Frame
	delta   *websocket.PreparedMessage // from the frame before; nil where only a keyframe will do
	keyed   *websocket.PreparedMessage // made when the first client needs it
	end     string                     // why there is no next frame; "" while there is
	clients map[chan struct{}]bool     // their wake-up calls
}

// put takes the next frame and wakes the clients. What ended stays as it is.
func (s *set) put(f live.Frame, end string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end != "" {
		return
	}
	s.delta, s.keyed = nil, nil
	if b, ok := live.AppendDelta(nil, s.frame, f); ok {
		s.delta = prepare(b)
	}
	s.frame, s.end = f, end
	for wake := range s.clients {
		select {
		case wake <- struct{}{}:
		default: // it has not taken the last one yet: it will find this one
		}
	}
}

// next is what a client needs whose last frame was seq: nothing, the delta, or a keyframe after a gap.
func (s *set) next(seq uint64) (m *websocket.PreparedMessage, now uint64, end string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case seq == s.frame.Seq:
		return nil, seq, s.end
	case seq+1 == s.frame.Seq && s.delta != nil:
		return s.delta, s.frame.Seq, s.end
	}
	return s.keyframe(), s.frame.Seq, s.end
}

// first is what a new client begins with.
func (s *set) first() (m *websocket.PreparedMessage, f live.Frame, end string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keyframe(), s.frame, s.end
}

// status is the state of the watched instance in the last frame; "" for the fleet.
func (s *set) status() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.frame.Instance == nil {
		return ""
	}
	return s.frame.Instance.Status
}

func (s *set) keyframe() *websocket.PreparedMessage {
	if s.keyed == nil {
		s.keyed = prepare(live.AppendKeyframe(nil, s.frame))
	}
	return s.keyed
}

// prepare frames a message once for all clients. It can not fail for a binary message, and a nil one is a gap.
func prepare(b []byte) *websocket.PreparedMessage {
	m, err := websocket.NewPreparedMessage(websocket.BinaryMessage, b)
	if err != nil {
		return nil
	}
	return m
}
