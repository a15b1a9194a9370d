package link

import (
	"context"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

const (
	// recordInterval is how often GPUs are read while no console asks, as often as a console does.
	recordInterval = time.Second
	recordPatience = 3 * time.Second
	// recordKept is how many readings are kept of all GPUs: with 8 of them 15 minutes, as long as a console keeps them, in
	// about 4 MB.
	recordKept = 8 * 15 * 60
	// eventsKept is how many events are kept until a console has told that it has them; the oldest go first.
	eventsKept = 1024
)

// recorder keeps what would be lost while there is no line: readings, those that it makes itself once a second from two seconds
// after a console has last asked, and those that a console was told; and events, until a console has shown that it has them.
// Both are rings in memory: an agent that is started again has none. It keeps no proofs of life, because each instance's shim
// writes its own to the disk: State tells of the last one, and of the end that nobody saw.
type recorder struct {
	source gpu.Source
	boot   string // of this agent: its counters begin anew with it

	mu       sync.Mutex
	quiet    int           // seconds since a console has read
	readings []gpu.Reading // by time
	events   []gpu.Event
	last     int64 // the number of the newest event
	asking   sync.Mutex
}

func newRecorder(s gpu.Source) *recorder {
	b := make([]byte, 8)
	for i := range b {
		b[i] = byte(rand.N(256))
	}
	return &recorder{source: s, boot: hex.EncodeToString(b)}
}

// asked says that a console has read: what it was told is kept too, for the case that the answer gets lost.
func (r *recorder) asked(readings []gpu.Reading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.quiet = 0
	r.keep(readings)
}

func (r *recorder) run(ctx context.Context) {
	if r.source == nil {
		return
	}
	for sleep(ctx, recordInterval) {
		r.mu.Lock()
		r.quiet++
		alone := r.quiet > 1
		r.mu.Unlock()
		if alone {
			r.read(ctx)
		}
	}
}

func (r *recorder) read(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, recordPatience)
	defer cancel()
	readings, err := r.source.Read(ctx)
	if err != nil {
		return // the next second tells more
	}
	_ = r.collect(ctx) // what it can't tell now it tells the next who asks
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keep(readings)
}

// keep puts readings into the ring; r is locked.
func (r *recorder) keep(readings []gpu.Reading) {
	r.readings = append(r.readings, readings...)
	if over := len(r.readings) - recordKept; over > 0 {
		r.readings = append(r.readings[:0], r.readings[over:]...)
	}
}

// readingsAfter returns what was recorded after a moment, in microseconds since 1970, oldest first.
func (r *recorder) readingsAfter(after int64) []gpu.Reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := sort.Search(len(r.readings), func(i int) bool { return r.readings[i].At.UnixMicro() > after })
	return slices.Clone(r.readings[first:])
}

// collect takes the source's news: it tells each event once, and this keeps it until a console has it.
func (r *recorder) collect(ctx context.Context) error {
	r.asking.Lock()
	defer r.asking.Unlock()
	fresh, err := r.source.Events(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, fresh...)
	r.last += int64(len(fresh))
	if over := len(r.events) - eventsKept; over > 0 {
		r.events = append(r.events[:0], r.events[over:]...)
	}
	return err
}

// eventsAfter returns the events after the number that a console has, and forgets those up to it.
func (r *recorder) eventsAfter(ctx context.Context, has eventArgs) (eventResult, error) {
	err := r.collect(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if has.Boot == r.boot {
		taken := int64(len(r.events)) - (r.last - has.After)
		r.events = slices.Clone(r.events[min(max(taken, 0), int64(len(r.events))):])
	}
	if err != nil && len(r.events) == 0 {
		return eventResult{}, err
	}
	return eventResult{Boot: r.boot, Last: r.last, Events: slices.Clone(r.events)}, nil
}
