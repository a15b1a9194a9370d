package uitest

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

// site is a console with something going on, for everything that is looked at rather than done.
type site struct {
	*console
	live    string // id of an instance that runs under load
	stopped string // id of one that is over
	bench   string // id of a benchmark that is done
	names   []string
}

// wave is a load that goes up and down with a period of seven seconds: the simulated GPU follows what the instance's own
// processes do. most is how many tenths of a second it works in each. (A timeout of nothing would be one without an end.)
func wave(most int) string {
	return fmt.Sprintf(`i=0; while :; do i=$((i+1)); d=$((i %% 7 * %d / 6 + 1)); echo "step $i"; timeout "0.$d" sha256sum /dev/zero; sleep "0.$((9-d))"; done`, min(most-1, 8))
}

// busySite starts a console with instances of each state that can be had, a budget and tokens.
// load is what its live instance runs.
func busySite(t *testing.T, load string) *site {
	t.Helper()
	s := &site{console: startConsole(t, startMailbox(t))}
	admin := s.asAdmin()
	s.addPerson("member", "member", "operations")

	var offers struct {
		Offers []struct {
			Model string `json:"gpu_model"`
			Count int    `json:"gpu_count"`
			Free  int    `json:"free"`
		}
	}
	s.call(admin, http.MethodGet, "/offers", nil, &offers)
	var models []string      // as they are offered
	gpus := map[string]int{} // of the largest plan of a model
	for _, o := range offers.Offers {
		if o.Model == "" || o.Free == 0 {
			continue
		}
		if gpus[o.Model] == 0 {
			models = append(models, o.Model)
		}
		gpus[o.Model] = max(gpus[o.Model], o.Count)
	}
	s.names = models
	rent := func(name, model string, gpus int, command string) string {
		s.names = append(s.names, name)
		var i instance
		s.call(admin, http.MethodPost, "/instances", map[string]any{"name": name, "gpu_model": model, "gpu_count": gpus,
			"kind": "on_demand", "command": command, "labels": map[string]string{"project": "vision"}}, &i)
		return i.ID
	}
	for _, model := range models {
		if s.live != "" || gpus[model] < 2 {
			s.waitFor(rent("whisper-batch", model, 1, wave(2)), "running")
			continue
		}
		s.stopped = rent("tokenizer-check", model, 1, "echo ready; sleep 600")
		s.waitFor(s.stopped, "running")
		s.call(admin, http.MethodPost, "/instances/"+s.stopped+"/stop", struct{}{}, nil)
		s.waitFor(s.stopped, "stopped")
		s.waitOver(rent("nightly-eval", model, 1, "echo no such file: weights.pt >&2; exit 3"))
		s.live = rent("bert-finetune", model, gpus[model], load)
		s.waitFor(s.live, "running")
	}
	if s.live == "" {
		t.Fatalf("the demo has no model with two free GPUs: %v", offers.Offers)
	}
	s.call(admin, http.MethodPost, "/budgets", map[string]any{"scope": "team", "name": "research", "period": "month",
		"limit_micros": 900_000_000, "thresholds": []int{50, 80, 100, 120}, "action": "notify"}, nil)
	return s
}

// measure adds a benchmark that is over.
func (s *site) measure() { s.bench = s.runBenchmark(s.asAdmin(), "stream", 12) }

// waitFor waits until an instance has a status.
func (c *console) waitFor(id, status string) {
	c.t.Helper()
	var i instance
	c.until("instance that is "+status, 20*time.Second, func() bool {
		c.call(c.asAdmin(), http.MethodGet, "/instances/"+id, nil, &i)
		return i.Status == status
	})
}

func (c *console) waitOver(id string) {
	c.t.Helper()
	var i instance
	c.until("instance that is over", 20*time.Second, func() bool {
		c.call(c.asAdmin(), http.MethodGet, "/instances/"+id, nil, &i)
		return i.Status == "stopped" || i.Status == "failed"
	})
}

// runBenchmark runs a small benchmark to its end and returns its id.
func (c *console) runBenchmark(p *person, suite string, seconds int) string {
	c.t.Helper()
	var b struct{ ID, Status string }
	c.call(p, http.MethodPost, "/benchmarks", map[string]any{"suite": suite, "backend": "cpu", "seconds": seconds}, &b)
	c.until("benchmark that is over", 3*time.Minute, func() bool {
		c.call(p, http.MethodGet, "/benchmarks/"+b.ID, nil, &b)
		return b.Status != "queued" && b.Status != "running"
	})
	return b.ID
}
