package web_test

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// invoiced gives a site an instance that is over, under a name that a spreadsheet would run, and its month's invoice.
func invoiced(t *testing.T, site *webtest.Site) store.Entry {
	t.Helper()
	in := site.Running(t, site.Member, "training")
	site.Clock.Advance(90 * time.Minute)
	err := site.Store.MarkEnded(t.Context(), in.ID, store.End{At: site.Clock.Now()})
	if err == nil {
		err = site.Store.MarkStopped(t.Context(), in.ID, store.Proof{Clean: true})
	}
	if err != nil {
		t.Fatal(err)
	}
	nextMonth(t, site, 1)
	all, _, err := site.Store.Entries(t.Context(), store.EntryFilter{})
	if err != nil || len(all) == 0 {
		t.Fatalf("%v %v", all, err)
	}
	return all[len(all)-1]
}

func nextMonth(t *testing.T, site *webtest.Site, invoices int) {
	t.Helper()
	site.Clock.Set(site.Clock.Now().AddDate(0, 1, 0))
	if n, err := site.Store.IssueInvoices(t.Context()); err != nil || n != invoices {
		t.Fatalf("%d invoices, want %d (%v)", n, invoices, err)
	}
}

var article = regexp.MustCompile(`(?s)<article class="sheet invoice".*</article>`)

// M4: what is put right later stands on the next invoice, and this one stays as it is.
func TestAnInvoiceIsByteForByteTheSameAfterLaterCorrections(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	entry := invoiced(t, site)
	member := site.Browser(t, site.Member)
	page, file := member.Get("/costs/invoices/1"), member.Get("/costs/invoices/1/lines.csv")
	first := article.FindString(page.Body)
	if page.Status != http.StatusOK || first == "" || file.Status != http.StatusOK || file.Header.Get("Content-Type") != "text/csv; charset=utf-8" || !strings.Contains(file.Header.Get("Content-Disposition"), "invoice-1.csv") {
		t.Fatalf("%d %s, %d %v", page.Status, page.Body, file.Status, file.Header)
	}
	if _, err := site.Store.Correct(t.Context(), site.Admin.ID, store.Correction{CorrectsID: entry.ID, Kind: store.EntryCredit, AmountMicros: -10_000, Note: "=HYPERLINK(1)"}); err != nil {
		t.Fatal(err)
	}
	if err := site.Store.UpdateSite(t.Context(), store.Site{Name: "Another", Currency: "EUR", TimeZone: "Asia/Kolkata"}); err != nil {
		t.Fatal(err)
	}
	nextMonth(t, site, 1)
	member = site.Browser(t, site.Member) // the sign-in of a month ago is over
	if again := article.FindString(member.Get("/costs/invoices/1").Body); again != first {
		t.Errorf("the page was\n%s\nand is\n%s", first, again)
	}
	if again := member.Get("/costs/invoices/1/lines.csv"); again.Body != file.Body {
		t.Errorf("the file was\n%s\nand is\n%s", file.Body, again.Body)
	}
	next := member.Get("/costs/invoices/2")
	for _, want := range []string{"credit of entry " + strconv.FormatInt(entry.ID, 10), "=HYPERLINK(1)", "for March 2026"} {
		if !strings.Contains(next.Body, want) {
			t.Errorf("%q is not on the next invoice", want)
		}
	}
	if text := member.Get("/costs/invoices/2/lines.csv").Body; !strings.Contains(text, ",'=HYPERLINK(1),") || !strings.Contains(text, ",-0.01,") {
		t.Errorf("%s", text)
	}
	var list web.Invoices
	var one web.Invoice
	program := site.Program(t, site.Member)
	program.Call("GET", "/invoices", nil, &list)
	program.Call("GET", "/invoices/2", nil, &one)
	if len(list.Invoices) != 2 || list.Invoices[0].Number != 2 || len(one.Lines) != 1 || one.Lines[0].CorrectsID != entry.ID || one.AmountMicros != -10_000 || one.Amount != "-0.01" {
		t.Errorf("%+v %+v", list, one)
	}
}

func TestAnInvoiceIsSeenByItsTeamAlone(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	invoiced(t, site)
	for _, p := range []store.Person{site.Viewer, site.Member, site.Manager, site.Admin} {
		c := site.Browser(t, p)
		if a := c.Get("/costs/invoices/1"); a.Status != http.StatusOK {
			t.Errorf("%s: %d", p.Name, a.Status)
		}
		if a := c.Get("/costs/invoices"); a.Status != http.StatusOK || !strings.Contains(a.Body, "/costs/invoices/1") {
			t.Errorf("%s: %d", p.Name, a.Status)
		}
	}
	c, program := site.Browser(t, site.Stranger), site.Program(t, site.Stranger)
	for _, path := range []string{"/costs/invoices/1", "/costs/invoices/1/lines.csv", "/costs/invoices/2", "/costs/invoices/x", "/costs/invoices/0", "/costs/invoices/99999999999999999999"} {
		if a := c.Get(path); a.Status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.Status)
		}
		if a := program.Call("GET", strings.TrimPrefix(path, "/costs"), nil, nil); a.Status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
	if a := c.Get("/costs/invoices"); a.Status != http.StatusOK || strings.Contains(a.Body, "/costs/invoices/1") {
		t.Errorf("a stranger's list: %d", a.Status)
	}
}
