package uitest

import (
	"net/http"
	"strings"
	"testing"
)

func TestWithoutScriptsEveryActionIsAPlainForm(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	admin := c.asAdmin()
	b := newTab(t, c, nil, screen{width: 1280, noJS: true})

	b.visit("/login")
	b.fill("[name=email]", admin.email)
	b.fill("[name=password]", admin.password)
	b.click("main form button")
	b.until("home", `location.pathname === "/"`)

	b.clickTo(`.side nav a[href="/rent"]`, "/rent")
	b.clickTo(`main a[href^="/rent/new?plan="]`, "/rent/new")
	b.fill("[name=name]", "plain")
	b.send("button[name=do][value=quote]")
	if got := eval[string](b, `document.querySelector("[name=name]").value`); got != "plain" {
		t.Errorf("after the price was asked for, the name is %q", got)
	}
	b.clickTo("button[name=do][value=rent]", "/instances/")
	id := strings.TrimPrefix(b.path(), "/instances/")
	c.waitFor(id, "running")
	b.visit("/instances/" + id)
	if text := b.text("main"); !strings.Contains(text, "plain") {
		t.Errorf("the instance's page does not show its name: %s", text)
	}

	b.clickTo(`a[href$="ask=stop"]`, "/instances/"+id)
	b.see(`form[action="/instances/` + id + `/stop"] button`)
	if eval[string](b, `document.querySelector("[name=confirm]").type`) != "hidden" {
		b.fill("[name=confirm]", "plain")
	}
	b.click(`form[action="/instances/` + id + `/stop"] button`)
	c.waitFor(id, "stopped")

	b.visit("/budgets")
	b.fill("[name=name]", "by hand")
	b.fill("[name=limit]", "12.50")
	b.send(`form[action="/budgets"] button`)
	c.until("budget", patience, func() bool {
		_, body, err := c.tryCall(admin, http.MethodGet, "/budgets", nil)
		return err == nil && strings.Contains(string(body), "12500000")
	})

	b.visit("/settings")
	b.choose("[name=language]", "zh")
	b.send(`form[action="/settings/language"] button`)
	b.until("Chinese page", `document.documentElement.lang === "zh-Hans"`)
	b.choose("[name=language]", "en")
	b.send(`form[action="/settings/language"] button`)
	b.until("English page", `document.documentElement.lang === "en"`)

	b.click(`.side form[action="/logout"] button`)
	b.arrive("/login")
	if status := b.open("/instances"); status != http.StatusOK || !strings.HasPrefix(b.path(), "/login") {
		t.Errorf("after signing out /instances is at %s, %d", b.path(), status)
	}
}
