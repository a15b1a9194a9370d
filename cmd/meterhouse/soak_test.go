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
		return 60
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("METERHOUSE_RENTS=%q", text)
	}
	return n
}

// TestThousandRentsWithRandomKills rents and stops from many sides while the console is killed again and again. Afterwards
// every rent was made once, everything has ended, the ledger sums to zero and every bill equals its segments.
func TestThousandRentsWithRandomKills(t *testing.T) {
	const atOnce = 6
	total := rents(t)
	c := withAdmin(t)
	began := time.Now()
	var next, rented, refused, kills atomic.Int64
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
			kills.Add(1)
			if err := c.tryStart(); err != nil {
				t.Error(err)
				cancel()
				return
			}
		}
	})
	var mu sync.Mutex
	made := map[string]bool{}
	for range atOnce {
		renters.Go(func() {
			api := &client{base: "http://" + c.listen, token: c.token, http: httpClient}
			for {
				n := next.Add(1)
				if n > int64(total) || ctx.Err() != nil {
					return
				}
				id, err := rentAndStop(ctx, api, n)
				switch {
				case err != nil:
					t.Errorf("rent %d: %v", n, err)
					return
				case id == "":
					refused.Add(1)
				default:
					rented.Add(1)
					mu.Lock()
					made[id] = true
					mu.Unlock()
				}
			}
		})
	}
	renters.Wait()
	close(done)
	killer.Wait()
	if !c.ready() {
		c.start()
	}
	if len(made) != int(rented.Load()) {
		t.Errorf("%d rents made %d instances", rented.Load(), len(made))
	}
	var all struct{ Instances []instance }
	c.cliJSON(&all, "ls", "--all")
	if len(all.Instances) != len(made) {
		t.Errorf("%d instances, %d rents were answered", len(all.Instances), len(made))
	}
	var cost int64
	for _, i := range all.Instances {
		if !i.ended() {
			t.Errorf("%s is %s", i.ID, i.Status)
		}
		cost += i.Cost
	}
	var spent usage
	c.cliJSON(&spent, "cost", "--by", "label:soak")
	if spent.Total != cost {
		t.Errorf("usage says %d, the bills add up to %d", spent.Total, cost)
	}
	out := strings.TrimSpace(c.cli("", "doctor", "ledger", "--data", c.data))
	t.Logf("%d rents, %d refused for want of GPUs, %d kills in %v; %d micro-units billed; %s", rented.Load(), refused.Load(), kills.Load(), time.Since(began).Round(time.Second), cost, out)
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
func rentAndStop(ctx context.Context, api *client, n int64) (id string, err error) {
	one := 1
	body := rentRequest{Name: fmt.Sprintf("soak %d", n), Kind: "on_demand", Key: fmt.Sprintf("soak-%d", n), Labels: labels{"soak": strconv.FormatInt(n%7, 10)}}
	if rand.IntN(3) == 0 {
		body.CPUOnly = true
	} else {
		body.GPUCount = &one
		body.Queue = rand.IntN(2) == 0
	}
	switch rand.IntN(4) {
	case 0:
		body.Command = "sleep 0." + strconv.Itoa(rand.IntN(9))
	case 1:
		body.Command = "exit " + strconv.Itoa(rand.IntN(3))
	default:
		body.Command = "sleep 600"
	}
	var i instance
	err = again(ctx, func() error { return api.once(ctx, http.MethodPost, "/instances", mustJSON(body), &i) })
	var p *problem
	if errors.As(err, &p) && p.Status == http.StatusConflict {
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
	time.Sleep(time.Duration(rand.IntN(500)) * time.Millisecond)
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
