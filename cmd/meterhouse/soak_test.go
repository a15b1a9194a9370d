package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var httpClient = &http.Client{Timeout: 10 * time.Second}

// rents is how many rents the soak makes: few in every run, METERHOUSE_RENTS=1000 for the whole.
func rents(t *testing.T) int {
	text := os.Getenv("METERHOUSE_RENTS")
	if text == "" {
		return 30
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("METERHOUSE_RENTS=%q", text)
	}
	return n
}

// soak is what the many sides of one soak share.
type soak struct {
	api            *client
	next, attempts atomic.Int64
	refused, kills atomic.Int64

	mu   sync.Mutex
	made map[string]bool
}

// TestThousandRentsWithRandomKills rents and stops from many sides while the console is killed again and again. Afterwards
// every rent was made once, everything has ended, the ledger sums to zero and every bill is what its segments come to.
func TestThousandRentsWithRandomKills(t *testing.T) {
	const (
		atOnce    = 6
		longEvery = 40 // so many of the whole last for longer than the minimum that is billed; none of the few
	)
	total := rents(t)
	c := withAdmin(t)
	began := time.Now()
	k := &soak{api: &client{base: "http://" + c.listen, token: c.token, http: httpClient}, made: map[string]bool{}}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Minute)
	defer cancel()
	done := make(chan struct{})
	var killer, renters sync.WaitGroup
	killer.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Duration(300+rand.IntN(2000)) * time.Millisecond):
			}
			c.kill9()
			k.kills.Add(1)
			if err := c.tryStart(); err != nil {
				t.Error(err)
				cancel()
				return
			}
		}
	})
	for range atOnce {
		renters.Go(func() {
			for n := k.next.Add(1); n <= int64(total) && ctx.Err() == nil; n = k.next.Add(1) {
				if n%longEvery == 0 { // holds up no side
					renters.Go(func() { k.rent(ctx, t, n, time.Minute+time.Duration(rand.IntN(10_000))*time.Millisecond) })
					continue
				}
				k.rent(ctx, t, n, time.Duration(rand.IntN(500))*time.Millisecond)
			}
		})
	}
	renters.Wait()
	close(done)
	killer.Wait()
	if !c.ready() {
		c.start()
	}
	t.Logf("%d attempts: %d rents, %d refused for want of GPUs; %d kills in %v", k.attempts.Load(), len(k.made), k.refused.Load(), k.kills.Load(), time.Since(began).Round(time.Second))
	if len(k.made) != total {
		t.Errorf("%d rents made %d instances", total, len(k.made))
	}
	checkBills(t, c, k)
	t.Log(strings.TrimSpace(c.cli("", "doctor", "ledger", "--data", c.data)))
}

// rent tries until one rent was made and ended: what is refused for want of GPUs is none.
func (k *soak) rent(ctx context.Context, t *testing.T, n int64, hold time.Duration) {
	for ctx.Err() == nil {
		id, err := rentAndStop(ctx, k.api, n, k.attempts.Add(1), hold)
		if err != nil {
			t.Errorf("rent %d: %v", n, err)
			return
		}
		if id != "" {
			k.mu.Lock()
			k.made[id] = true
			k.mu.Unlock()
			return
		}
		k.refused.Add(1)
		time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond)
	}
}

// again repeats what a killed console has not answered.
func again(ctx context.Context, do func() error) error {
	for {
		err := do()
		var p *problem
		if err == nil || ctx.Err() != nil || errors.As(err, &p) && p.Status != http.StatusServiceUnavailable && p.Status != http.StatusTooManyRequests {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// rentAndStop is one person's rent of random length. It returns "" where no GPU was free.
func rentAndStop(ctx context.Context, api *client, n, attempt int64, hold time.Duration) (id string, err error) {
	one := 1
	body := rentRequest{Name: fmt.Sprintf("soak %d", n), Kind: "on_demand", Key: fmt.Sprintf("soak-%d", attempt), Labels: labels{"soak": strconv.FormatInt(n%7, 10)}}
	if rand.IntN(3) == 0 {
		body.CPUOnly = true
	} else {
		body.GPUCount = &one
		body.Queue = rand.IntN(2) == 0
	}
	switch way := rand.IntN(4); {
	case hold >= time.Minute || way > 1:
		body.Command = "sleep 600"
	case way == 0:
		body.Command = "sleep 0." + strconv.Itoa(rand.IntN(9))
	default:
		body.Command = "exit " + strconv.Itoa(rand.IntN(3))
	}
	var i instance
	err = again(ctx, func() error { return api.once(ctx, http.MethodPost, "/instances", mustJSON(body), &i) })
	var p *problem
	if errors.As(err, &p) && p.Type == noCapacity {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	// Most stop what runs; the others stop it wherever it is.
	for patient := rand.IntN(4) > 0; patient && (i.Status == "starting" || i.Status == "queued"); {
		time.Sleep(50 * time.Millisecond)
		if err := again(ctx, func() error { return api.once(ctx, http.MethodGet, "/instances/"+i.ID, nil, &i) }); err != nil {
			return "", err
		}
	}
	time.Sleep(hold)
	for _, step := range []string{"suspend", "resume"} {
		if rand.IntN(4) == 0 { // may be refused: it has ended, or has not begun
			if err := again(ctx, func() error { return api.once(ctx, http.MethodPost, "/instances/"+i.ID+"/"+step, nil, nil) }); err != nil && !errors.As(err, &p) {
				return "", err
			}
		}
	}
	if err := again(ctx, func() error { return api.once(ctx, http.MethodPost, "/instances/"+i.ID+"/stop", nil, &i) }); err != nil {
		return "", err
	}
	for !i.ended() {
		time.Sleep(50 * time.Millisecond)
		if err := again(ctx, func() error { return api.once(ctx, http.MethodGet, "/instances/"+i.ID, nil, &i) }); err != nil {
			return "", err
		}
	}
	return i.ID, nil
}

func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}
