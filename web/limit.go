package web

import (
	"sync"
	"time"

	"github.com/meterhouse/meterhouse/store"
)

const (
	// DefaultRequestsPerSecond is what one caller may send for long; a burst of burstSeconds of it passes at once. It is
	// far above what a person or a script needs and far below what would hurt the others.
	DefaultRequestsPerSecond = 200
	burstSeconds             = 5
	// maxBuckets bounds the memory of the limiter; beyond it, full buckets are forgotten, which loses nothing.
	maxBuckets = 10_000
)

// limiter is a bucket of tokens for each caller: a person, or an address where nobody is signed in.
type limiter struct {
	now     func() time.Time
	rate    float64 // a second; 0: unbounded
	mu      sync.Mutex
	buckets map[string]*bucket
}

type bucket struct {
	left float64
	at   time.Time
}

func newLimiter(perSecond int, now func() time.Time) limiter {
	if perSecond == 0 {
		perSecond = DefaultRequestsPerSecond
	}
	return limiter{now: now, rate: float64(max(perSecond, 0)), buckets: make(map[string]*bucket)}
}

// take takes one token, or says when there is one again.
func (l *limiter) take(caller string) error {
	if l.rate == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now, full := l.now(), l.rate*burstSeconds
	b := l.buckets[caller]
	if b == nil {
		l.forget(now, full)
		b = &bucket{left: full, at: now}
		l.buckets[caller] = b
	}
	b.left = min(full, b.left+max(0, now.Sub(b.at).Seconds())*l.rate)
	b.at = now
	if b.left < 1 {
		return &store.Error{Kind: store.TooMany, Message: "too_many_requests", RetryAfter: time.Second}
	}
	b.left--
	return nil
}

// forget drops the buckets that have filled up again, once there are too many; if none has, all are dropped.
func (l *limiter) forget(now time.Time, full float64) {
	if len(l.buckets) < maxBuckets {
		return
	}
	for caller, b := range l.buckets {
		if b.left+now.Sub(b.at).Seconds()*l.rate >= full {
			delete(l.buckets, caller)
		}
	}
	if len(l.buckets) >= maxBuckets {
		clear(l.buckets)
	}
}
