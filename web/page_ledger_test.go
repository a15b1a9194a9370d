package web_test

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/webtest"
)

func TestAnAdminPutsAnEntryRightAndSaysWhy(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	id := strconv.FormatInt(invoiced(t, site).ID, 10)
	admin := site.Browser(t, site.Admin)
	if a := admin.Get("/costs/ledger?correct=" + id); a.Status != http.StatusOK || !strings.Contains(a.Body, "/costs/ledger/"+id+"/correct") {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	form := url.Values{"kind": {"credit"}, "amount": {"0.1"}, "note": {"The site was <down>."}, "idempotency_key": {"k"}}
	a := admin.Form("/costs/ledger/"+id+"/correct", form)
	if a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, `href="#f-amount"`) || !strings.Contains(a.Body, "The site was &lt;down&gt;.") {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	for _, wrong := range []string{"", "x", "1,5", "--1", "0.0000001"} {
		form.Set("amount", wrong)
		if a := admin.Form("/costs/ledger/"+id+"/correct", form); a.Status != http.StatusUnprocessableEntity {
			t.Errorf("%q: %d", wrong, a.Status)
		}
	}
	form.Set("amount", "−0.000001") // as the page writes it
	for range 2 {                   // sent twice it has one effect
		if a = admin.Form("/costs/ledger/"+id+"/correct", form); a.Status != http.StatusSeeOther {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	page := admin.Get(a.Header.Get("Location"))
	for _, want := range []string{"The site was &lt;down&gt;.", "−$0.000001", "puts entry " + id + " right"} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("%q is not on %s", want, page.Body)
		}
	}
	var list web.Ledger
	site.Program(t, site.Member).Call("GET", "/ledger?by_hand=1", nil, &list)
	if len(list.Entries) != 1 || list.Entries[0].AmountMicros != -1 || strconv.FormatInt(list.Entries[0].CorrectsID, 10) != id || list.Entries[0].Note != "The site was <down>." {
		t.Errorf("%+v", list)
	}
	if a := site.Browser(t, site.Member).Get("/costs/ledger?month=2026-03"); a.Status != http.StatusOK || strings.Contains(a.Body, "/correct") || !strings.Contains(a.Body, "put right by entry") {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	form.Set("amount", "-1000000")
	for sent, want := range map[string]int{"": http.StatusConflict, "-100000": http.StatusConflict} {
		form.Set("seen", sent)
		if a := admin.Form("/costs/ledger/"+id+"/correct", form); a.Status != want || !strings.Contains(a.Body, `name="seen" value="-1000000"`) {
			t.Fatalf("more than the entry, seen %q: %d", sent, a.Status)
		}
	}
	form.Set("idempotency_key", "other")
	form.Set("seen", "-1000000")
	if a := admin.Form("/costs/ledger/"+id+"/correct", form); a.Status != http.StatusSeeOther {
		t.Fatalf("meant: %d", a.Status)
	}
	records, _, err := site.Store.AuditLog(t.Context(), 9, "")
	if err != nil || !slices.ContainsFunc(records, func(r store.AuditRecord) bool {
		return r.Action == "entry_corrected" && r.PersonID == site.Admin.ID && r.Target == id
	}) {
		t.Errorf("%+v %v", records, err)
	}
}

func TestACorrectionByTheAPI(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	id := strconv.FormatInt(invoiced(t, site).ID, 10)
	body := map[string]any{"kind": "correction", "amount_micros": 7, "note": "Seven were missing.", "idempotency_key": "k"}
	var first, again, got web.Entry
	admin := site.Program(t, site.Admin)
	if a := admin.Call("POST", "/ledger/"+id+"/corrections", body, &first); a.Status != http.StatusCreated {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	a := admin.Call("POST", "/ledger/"+id+"/corrections", body, &again)
	if again.ID != first.ID || again.ID == 0 {
		t.Errorf("%+v %+v", first, again)
	}
	admin.Do("GET", a.Header.Get("Location"), nil)
	admin.Call("GET", "/ledger/"+id, nil, &got)
	if len(got.CorrectedBy) != 1 || got.CorrectedBy[0] != first.ID {
		t.Errorf("%+v", got)
	}
	body["amount_micros"] = 8
	if a := admin.Call("POST", "/ledger/"+id+"/corrections", body, nil); a.Status != http.StatusConflict {
		t.Errorf("the key for something else: %d", a.Status)
	}
	for _, c := range []*webtest.Client{site.Program(t, site.Member), site.Program(t, site.Manager)} {
		if a := c.Call("POST", "/ledger/"+id+"/corrections", body, nil); a.Status != http.StatusForbidden {
			t.Errorf("%d", a.Status)
		}
	}
	if a := site.Program(t, site.Stranger).Call("GET", "/ledger/"+id, nil, nil); a.Status != http.StatusNotFound {
		t.Errorf("a stranger: %d", a.Status)
	}
	for _, path := range []string{"/ledger/nope", "/ledger/999"} {
		if a := admin.Call("GET", path, nil, nil); a.Status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
	for _, query := range []string{"month=x", "team=%00", "month=2026-13"} {
		if a := admin.Call("GET", "/ledger?"+query, nil, nil); a.Status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", query, a.Status)
		}
	}
}
