package uitest

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
)

// invoiced closes the console's month: it is down until six hours and more of the next one have passed.
func (c *console) invoiced() {
	c.t.Helper()
	c.kill9()
	ctx := context.Background()
	s, err := store.Open(ctx, store.Config{Path: c.data, Now: func() time.Time { return time.Now().AddDate(0, 1, 7) }})
	if err != nil {
		c.t.Fatal(err)
	}
	n, err := s.IssueInvoices(ctx)
	if closed := s.Close(); err != nil || closed != nil || n != 1 {
		c.t.Fatal(n, err, closed)
	}
	c.start()
}

func TestAnInvoiceIsReadPutRightAndChecked(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	admin := c.asAdmin()
	var i instance
	c.call(admin, http.MethodPost, "/instances", map[string]any{"name": "night-sweep", "gpu_count": 1, "kind": "on_demand", "command": "sleep 600"}, &i)
	c.waitFor(i.ID, "running")
	c.call(admin, http.MethodPost, "/instances/"+i.ID+"/stop", struct{}{}, nil)
	c.waitFor(i.ID, "stopped")
	c.invoiced()

	b := newTab(t, c, admin, screen{width: 1280})
	b.visit("/costs")
	b.clickTo(`main a[href="/costs/invoices"]`, "/costs/invoices")
	b.clickTo(`main a[href="/costs/invoices/1"]`, "/costs/invoices/1")
	if !eval[bool](b, `getComputedStyle(document.querySelector(".invoice tfoot tr > *")).borderBottomStyle === "double"`) {
		t.Error("the total has no double rule")
	}
	if !eval[bool](b, `(() => {
		const micros = e => Math.round(Number(e.textContent.replaceAll(",", "")) * 1e6);
		const cells = [...document.querySelectorAll(".invoice tbody td:nth-last-child(2)")];
		return cells.length > 0 && cells.reduce((sum, e) => sum + micros(e), 0) === micros(document.querySelector(".invoice tfoot td:nth-last-child(2)"));
	})()`) {
		t.Error("the lines do not add up to the total")
	}

	b.visit("/costs/ledger")
	b.click(`main a[href*="correct=1"]`)
	b.see(`form[action="/costs/ledger/1/correct"]`)
	b.choose("[name=kind]", "credit")
	b.fill("[name=amount]", "-0.01")
	b.fill("[name=note]", "night-sweep")
	b.expect("409") // it is more than the entry
	b.send(`form[action="/costs/ledger/1/correct"] button`)
	b.until("the question whether it is meant", `document.querySelector("[name=seen]")?.value === "-0.01"`)
	b.check("correction")
	b.send(`form[action="/costs/ledger/1/correct"] button`)
	b.until("the entry that puts it right", `document.querySelector("main table a[href*='entry=1']") !== null`)

	b.visit("/costs/integrity")
	b.click(`form[action="/costs/integrity"] button`)
	b.until("that all are equal", `document.querySelector(".figures .state.good") !== null`)
	b.check("integrity")
	c.sweep(t, true, []string{"/costs", "/costs/invoices", "/costs/invoices/1", "/costs/ledger", "/costs/ledger?correct=1", "/costs/integrity", "/admin/prices", "/admin/prices/replay"}, []string{"night-sweep", "A100", "SXM4", "80GB"})
}
