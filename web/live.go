package web

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/gorilla/websocket"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web/live"
)

const (
	backfillTime = 15 * time.Minute
	// maxBackfill bounds a backfill in readings (about 25 bytes each): of a large fleet every n-th second is sent.
	maxBackfill = 40_000
)

// live is GET /live: charts of an instance or of the fleet, as web/live/PROTOCOL.md says.
func (s *Server) live(c *call) error {
	key, err := s.liveSet(c)
	if err != nil {
		return err
	}
	var after uint64
	if text := c.QueryParam("after"); text != "" {
		if after, err = strconv.ParseUint(text, 10, 64); err != nil {
			return invalid("after", "wrong_number")
		}
	}
	return s.upgrade(c, live.Subprotocol, func(k *conn) error { return s.serveLive(c, k, key, after) })
}

func (s *Server) liveSet(c *call) (string, error) {
	id, fleet := c.QueryParam("instance"), c.QueryParam("fleet")
	switch {
	case id == "" && fleet == "1":
		return fleetSet, nil
	case id == "" || fleet != "":
		return "", invalid("instance", "instance_or_fleet")
	}
	in, err := s.instance(c, id)
	return in.ID, err
}

// serveLive feeds one client until it leaves, may not look any more, or there is nothing more to see.
func (s *Server) serveLive(c *call, k *conn, key string, after uint64) error {
	ctx := c.Request().Context()
	set, wake, err := s.hub.watch(ctx, key)
	if err != nil {
		return err
	}
	defer s.hub.leave(set, wake)
	read := make(chan struct{})
	go func() { defer close(read); k.drain() }()
	defer func() { k.close(); <-read }()

	message, frame, end := set.first()
	if err := k.sendPrepared(message); err != nil {
		return nil // it left
	}
	past, err := s.backfill(ctx, key, frame, after)
	if err != nil {
		return err
	}
	if err := k.send(websocket.BinaryMessage, live.AppendBackfill(nil, frame.Seq, past)); err != nil {
		return nil
	}
	return s.follow(c, k, set, wake, frame.Seq, end)
}

func (s *Server) follow(c *call, k *conn, set *set, wake chan struct{}, seq uint64, over string) error {
	ping, check := time.NewTicker(pingEvery), time.NewTicker(recheckEvery)
	defer ping.Stop()
	defer check.Stop()
	for over == "" {
		var err error
		select {
		case <-k.done:
			return nil
		case <-wake:
			var m *websocket.PreparedMessage
			if m, seq, over = set.next(seq); m != nil {
				err = k.sendPrepared(m)
			}
		case <-ping.C:
			err = k.ping()
		case <-check.C:
			over = s.stillSees(c, set.key)
		case <-k.ask:
			over = s.stillSees(c, set.key)
		}
		if err != nil {
			return nil // it left, or is too slow to be there
		}
	}
	_ = k.finish(end{Type: "end", Reason: over}) // it may have left just now
	return nil
}

// stillSees checks the session, and what it watches, while connected. What can not be found out just now changes nothing.
func (s *Server) stillSees(c *call, key string) string {
	person, err := s.stillIn(c)
	if kind := store.KindOf(err); kind == store.Unauthorized || kind == store.NotFound {
		return endSignedOut
	} else if err != nil {
		return ""
	}
	c.who = person
	if key == fleetSet {
		return ""
	}
	if _, err := s.instance(c, key); store.KindOf(err) == store.NotFound {
		return endGone
	}
	return ""
}

// stillIn asks again who the session or the token belongs to.
func (s *Server) stillIn(c *call) (person store.Person, err error) {
	if c.token != "" {
		person, _, err = s.store.TokenPerson(c.Request().Context(), c.secret)
	} else {
		_, person, err = s.store.Session(c.Request().Context(), c.secret)
	}
	return person, err
}

// backfill gathers the last 15 minutes, or what came after the frame that a client saw last; of an instance, no more than
// its own time.
func (s *Server) backfill(ctx context.Context, key string, f live.Frame, after uint64) ([]live.Point, error) {
	from := f.At.Add(-backfillTime)
	if seen, ok := s.hub.madeAt(after); ok && after > 0 {
		from = seen.Add(time.Millisecond)
	}
	if len(f.GPUs) == 0 {
		return nil, nil
	}
	if key == fleetSet || f.Instance == nil {
		return past(f, from, s.fleet.Samples), nil
	}
	in, err := s.store.Instance(ctx, key)
	if err != nil {
		return nil, err
	}
	points := past(f, from, func(uuid string, from, to time.Time) []gpu.Reading { return s.samplesOf(in, uuid, from, to) })
	bill, err := s.store.Bill(ctx, key)
	if err != nil {
		return nil, err
	}
	for i := range points {
		if cost, begun := bill.At(points[i].At); begun {
			points[i].CostMicros = &cost
		}
	}
	return points, nil
}

// past joins the GPUs' readings second by second. A GPU that was not read in a second is unknown there.
func past(f live.Frame, from time.Time, samples func(uuid string, from, to time.Time) []gpu.Reading) []live.Point {
	stride := max(1, int64(len(f.GPUs))*int64(backfillTime/time.Second)/maxBackfill)
	at := make(map[int64]int) // second → place in points
	var points []live.Point
	for i, g := range f.GPUs {
		for _, r := range samples(g.UUID, from, f.At) {
			second := r.At.Unix()
			if second%stride != 0 {
				continue
			}
			n, there := at[second]
			if !there {
				n = len(points)
				at[second] = n
				points = append(points, live.Point{At: r.At, GPUs: make([]live.Values, len(f.GPUs))})
			}
			points[n].GPUs[i] = r.Values
		}
	}
	slices.SortFunc(points, func(a, b live.Point) int { return a.At.Compare(b.At) })
	return points
}
