package uitest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"time"
)

// call asks the API and decodes its answer into out, which may be nil. It returns the status.
func (c *console) call(p *person, method, path string, in, out any) int {
	c.t.Helper()
	status, body, err := c.tryCall(p, method, path, in)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	if status >= 300 {
		c.t.Fatalf("%s %s: %d %s", method, path, status, tail(string(body), 500))
	}
	if out != nil {
		if err := json.Unmarshal(body, out); err != nil {
			c.t.Fatalf("%s %s: %v in %s", method, path, err, tail(string(body), 500))
		}
	}
	return status
}

func (c *console) tryCall(p *person, method, path string, in any) (int, []byte, error) {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return 0, nil, err
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequest(method, c.url("/api/v1"+path), body)
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	req.Header.Set("Content-Type", "application/json")
	client := http.Client{Timeout: 20 * time.Second}
	res, err := client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return res.StatusCode, b, err
}

// instance is what the API says about an instance.
type instance struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Status     string `json:"status"`
	CostMicros int64  `json:"cost_micros"`
	RateMicros int64  `json:"rate_micros_per_hour"`
}

// bill is what the API says that an instance costs, and why.
type bill struct {
	Segments []struct {
		State        string    `json:"state"`
		Billable     bool      `json:"billable"`
		From         time.Time `json:"from"`
		To           time.Time `json:"to"`
		Open         bool      `json:"open"`
		AmountMicros int64     `json:"amount_micros"`
		Minimum      bool      `json:"minimum"`
	} `json:"segments"`
	TotalMicros  int64 `json:"total_micros"`
	BookedMicros int64 `json:"booked_micros"`
}

// until waits for a condition, and fails the test if it does not come.
func (c *console) until(what string, patience time.Duration, holds func() bool) {
	c.t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(30 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.t.Fatalf("after %v: no %s", patience, what)
		}
	}
}

// stopInstances stops what still runs, as the cleanup of a test. It reports what it can't do, and goes on.
func (c *console) stopInstances() {
	if c.admin == nil || c.admin.token == "" {
		return
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		_, body, err := c.tryCall(c.admin, http.MethodGet, "/instances?status=live", nil)
		var list struct{ Instances []instance }
		if err == nil {
			err = json.Unmarshal(body, &list)
		}
		if err != nil {
			c.t.Errorf("listing what still runs: %v", err)
			return
		}
		left := 0
		for _, i := range list.Instances {
			if i.Status == "stopped" || i.Status == "failed" {
				continue
			}
			left++
			if i.Status != "stopping" {
				c.tryCall(c.admin, http.MethodPost, "/instances/"+i.ID+"/stop", struct{}{})
			}
		}
		if left == 0 {
			return
		}
		if time.Now().After(deadline) {
			c.t.Errorf("%d instances do not stop", left)
			return
		}
	}
}
