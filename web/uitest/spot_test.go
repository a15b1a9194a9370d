package uitest

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/spot"
)

// pass lets time pass for a console: it is down for that, and goes on from the newest moment that its database knows of.
func (c *console) pass(by time.Duration) {
	c.t.Helper()
	c.kill9()
	ctx := context.Background()
	s, err := store.Open(ctx, store.Config{Path: c.data, Now: func() time.Time { return time.Now().Add(by) }})
	if err != nil {
		c.t.Fatal(err)
	}
	err = s.Audit(ctx, store.AuditRecord{Action: "time_passed", Target: "site"})
	if closed := s.Close(); err != nil || closed != nil {
		c.t.Fatal(err, closed)
	}
	c.start()
}

func TestWhoIsReclaimedSeesTheTimeThatIsLeft(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	admin := c.asAdmin()
	model, gpus := c.largest(admin)
	victim := c.rentOf(admin, "night-sweep", model, gpus, map[string]any{"kind": "spot", "requeue": true, "checkpoint_command": "echo saved"})
	c.waitFor(victim.ID, "running")
	c.pass(spot.Safe + time.Minute)

	b := newTab(t, c, admin, screen{width: 1280})
	b.visit("/instances/" + victim.ID)
	b.until("the sheet of spot", `document.querySelector("#spot") !== null && document.querySelector("#reclaim") === null`)
	wants := c.rentOf(admin, "urgent", model, gpus, nil)
	if wants.Status != "queued" {
		t.Fatalf("on demand: %s", wants.Status)
	}
	b.until("the countdown by itself", `document.querySelector("#reclaim [role=timer] time[data-until]") !== null`)
	left := eval[string](b, `document.querySelector("#reclaim time[data-until]").textContent`)
	b.until("that it runs", `document.querySelector("#reclaim time[data-until]").textContent !== `+"`"+left+"`")
	b.until("the signal and the checkpoint", `document.querySelector("#spot").innerText.includes("SIGTERM") && document.querySelector("#spot").innerText.includes("ended with status 0")`)
	c.sweep(t, true, []string{"/instances/" + victim.ID, "/rent/spot", "/rent/new?plan=" + c.firstPlan() + "&kind=spot"}, []string{"night-sweep", "urgent", model})

	// Without JavaScript the time of the end stands there.
	plain := newTab(t, c, admin, screen{width: 1280, noJS: true})
	plain.visit("/instances/" + victim.ID)
	if at, err := time.Parse(time.RFC3339, eval[string](plain, `document.querySelector("#reclaim time").dateTime`)); err != nil || at.IsZero() {
		t.Errorf("no time stands there: %v", err)
	}
	c.call(admin, http.MethodPost, "/instances/"+victim.ID+"/stop", nil, nil)
	c.waitFor(wants.ID, "running")
	b.until("the end by itself", `document.querySelector("#reclaim") === null`)
}
