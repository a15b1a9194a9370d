package uitest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

func TestABadFormComesBackWithASummaryAndWhatWasTyped(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	admin := c.asAdmin()
	b := newTab(t, c, admin, screen{width: 1280})
	b.expect("422|401|429")
	type typed struct{ field, value string }
	for _, f := range []struct {
		name, page, form string
		typed            []typed
		wrong            string // the field that the summary must lead to
	}{
		{"rent", "/rent/new?plan=" + c.firstPlan(), `form[action="/rent/new"]`, []typed{{"name", "kept"}, {"hours", "-3"}}, "hours"},
		{"rent long name", "/rent/new?plan=" + c.firstPlan(), `form[action="/rent/new"]`, []typed{{"name", strings.Repeat("long ", 60)}}, "name"},
		{"budget", "/budgets", `form[action="/budgets"]`, []typed{{"name", "kept"}, {"limit", "ten"}}, "limit"},
		{"budget thresholds", "/budgets", `form[action="/budgets"]`, []typed{{"name", "kept"}, {"limit", "10"}, {"thresholds", "80, x"}}, "thresholds"},
		{"benchmark", "/bench", `form[action="/bench"]`, []typed{{"seconds", "-1"}}, "seconds"},
		{"profile", "/settings", `form[action="/settings/profile"]`, []typed{{"name", "kept"}, {"email", "no address"}}, "email"},
		{"key", "/settings", `form[action="/settings/keys"]`, []typed{{"name", "kept"}, {"key", "ssh-rsa nonsense"}}, "key"},
		{"token", "/settings", `form[action="/settings/tokens"]`, []typed{{"name", strings.Repeat("long ", 60)}}, "name"},
	} {
		b.visit(f.page)
		// The server is asked, not the browser's own check of the fields.
		eval[bool](b, `(document.querySelector(`+quote(f.form)+`).noValidate = true)`)
		for _, v := range f.typed {
			b.reveal(f.form + ` [name=` + v.field + `]`)
			eval[bool](b, `(document.querySelector(`+quote(f.form+` [name=`+v.field+`]`)+`).removeAttribute("maxlength"), true)`)
			b.fill(f.form+` [name=`+v.field+`]`, v.value)
		}
		submit := f.form + ` button:not([name=do]), ` + f.form + ` button[value=rent]`
		b.click(submit)
		b.until(f.name+": a summary", `document.querySelector("[role=alert] a[href^='#']")`)
		link := eval[string](b, `[...document.querySelectorAll("[role=alert] a")].map(a => a.hash).join(" ")`)
		id := eval[string](b, `document.querySelector(`+quote(f.form+` [name=`+f.wrong+`]`)+`)?.id ?? ""`)
		if id == "" || !strings.Contains(link+" ", "#"+id+" ") {
			t.Errorf("%s: the summary leads to %q, the field is #%s", f.name, link, id)
			continue
		}
		for _, v := range f.typed {
			if got := eval[string](b, `document.querySelector(`+quote(f.form+` [name=`+v.field+`]`)+`).value`); got != v.value {
				t.Errorf("%s: %s was %q, came back as %q", f.name, v.field, v.value, got)
			}
		}
		if !eval[bool](b, `document.getElementById(`+quote(id)+`).getAttribute("aria-invalid") === "true"`) {
			t.Errorf("%s: the wrong field is not marked as invalid", f.name)
		}
		b.click(`[role=alert] a[href="#` + id + `"]`)
		b.until(f.name+": the field that the summary leads to", `document.activeElement.id === `+quote(id))
		for _, e := range append(b.accessible(), b.laidOut()...) {
			t.Errorf("%s, bad: %s", f.name, e)
		}
		b.check(f.name)
	}
}

// reveal opens the folded part of the page in which an element lies.
func (b *tab) reveal(selector string) {
	b.t.Helper()
	eval[bool](b, `(() => {
		for (let d = document.querySelector(`+quote(selector)+`)?.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
		return true;
	})()`)
}

func TestASignInThatFailsSaysSoAndKeepsTheAddress(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	c.asAdmin()
	b := newTab(t, c, nil, screen{width: 360})
	b.expect("401|422|429")
	b.visit("/login?next=/fleet")
	b.fill("[name=email]", "admin@example.com")
	b.fill("[name=password]", "not this one")
	b.click("main form button")
	b.see("[role=alert]")
	if got := eval[string](b, `document.querySelector("[name=email]").value`); got != "admin@example.com" {
		t.Errorf("the address came back as %q", got)
	}
	if got := eval[string](b, `document.querySelector("[name=password]").value`); got != "" {
		t.Error("the password came back in the page")
	}
	b.fill("[name=password]", password)
	b.click("main form button")
	b.arrive("/fleet")
}

func TestAReplayedFormHasOneEffect(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	admin := c.asAdmin()
	b := newTab(t, c, admin, screen{width: 1280})
	b.visit("/rent/new?plan=" + c.firstPlan())
	b.fill("[name=name]", "once")
	key := eval[string](b, `document.querySelector("[name=idempotency_key]").value`)
	b.clickTo("button[name=do][value=rent]", "/instances/")
	first := b.path()
	b.visit("/rent/new?plan=" + c.firstPlan())
	eval[bool](b, `(document.querySelector("[name=idempotency_key]").value = `+quote(key)+`, document.querySelector("[name=name]").value = "once", true)`)
	b.clickTo("button[name=do][value=rent]", "/instances/")
	if b.path() != first {
		t.Errorf("the replay leads to %s, the first rent to %s", b.path(), first)
	}
	var list struct{ Instances []instance }
	_, body, err := c.tryCall(admin, http.MethodGet, "/instances", nil)
	if err == nil {
		err = json.Unmarshal(body, &list)
	}
	if err != nil || len(list.Instances) != 1 {
		t.Errorf("there are %d instances, want 1 (%v)", len(list.Instances), err)
	}
}
