package uitest

import (
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/web/mailtest"
)

// TestAPersonDoesTheWholeJob goes the way of the README's first look by clicks and keys, on three screens and in both
// languages: set up, rent, work in the terminal, watch the load and the cost, lose the console and get it back, run a
// benchmark, set a budget and get its mails, stop, and read a bill that is exact.
func TestAPersonDoesTheWholeJob(t *testing.T) {
	inBrowser(t)
	for _, s := range []screen{{lang: "en", width: 1280}, {lang: "zh", width: 360}, {lang: "en", width: 2560, dark: true}} {
		t.Run(s.String(), func(t *testing.T) {
			mail := startMailbox(t)
			c := startConsole(t, mail)
			j := &job{tab: newTab(t, c, nil, s), mail: mail, name: "first-" + itoa(s.width)}
			j.setUp()
			j.rent()
			j.work()
			j.loseTheConsole()
			j.benchmark()
			j.budget()
			j.stop()
			j.costs()
		})
	}
}

// job is one person's way through the product.
type job struct {
	*tab
	mail *mailtest.Postbox
	name string // of the instance
	id   string // of the instance
	pid  string // process id of the shell in its terminal
}

// nav goes to a page by the menu, which a phone folds away.
func (j *job) nav(path string) {
	j.t.Helper()
	menu := ".side nav"
	if j.screen.width <= 900 && !eval[bool](j.tab, `document.querySelector(".side").getClientRects().length > 0`) {
		menu = ".top nav"
		if !eval[bool](j.tab, `document.querySelector(".top details").open`) {
			j.click(".top summary")
		}
	}
	j.click(menu + ` a[href="` + path + `"]`)
	j.until("page "+path, `location.pathname === `+quote(path)+` && document.readyState === "complete"`)
}

// step checks the page where the person is now, and that nothing went wrong on the way there.
func (j *job) step(name string) {
	j.t.Helper()
	for _, f := range j.laidOut() {
		j.t.Errorf("%s: %s", name, f)
	}
	j.check(name)
}

func (j *job) setUp() {
	j.t.Helper()
	j.visit(j.c.setupPath())
	j.fill("[name=name]", "Ada")
	j.click("[name=team]")
	j.insert(map[string]string{"en": "research", "zh": "研究组"}[j.screen.lang])
	j.fill("[name=email]", "ada@example.com")
	j.fill("[name=password]", password)
	j.step("setup")
	j.click(`form[action="/setup"] button.primary`)
	j.until("home", `location.pathname === "/" && document.readyState === "complete"`)
	j.c.admin = &person{name: "Ada", email: "ada@example.com", password: password}
	j.c.admin.token = j.c.cli("", "admin", "token", "create", "--user", "Ada", "--data", j.c.data)
	j.step("home")
}

func (j *job) rent() {
	j.t.Helper()
	j.nav("/rent")
	j.step("catalogue")
	// The row of a GPU, not the one without.
	j.click(`main tr:has(.chip.sim) a[href^="/rent/new?plan="]`)
	j.arrive("/rent/new")
	j.see("#quote .big")
	price := j.text("#quote .big")
	j.fill("[name=name]", j.name)
	j.until("the price of what was typed", `document.querySelector("#quote .big")?.innerText === `+quote(price))
	if facts := j.text("#quote dl"); strings.TrimSpace(facts) == "" {
		j.t.Error("the form shows neither the end nor the budget")
	}
	j.step("form")
	began := time.Now()
	j.clickTo("button[name=do][value=rent]", "/instances/")
	j.id = strings.TrimPrefix(j.path(), "/instances/")
	s := shell{j.tab}
	s.prompt()
	took := time.Since(began)
	j.t.Logf("from the click on Rent to the prompt: %v (promised: %v)", took.Round(time.Millisecond), promisedPrompt)
	if took > heldPrompt {
		j.t.Errorf("the prompt took %v", took)
	}
	if text := j.text("main h1"); !strings.Contains(text, j.name) {
		j.t.Errorf("the page's head is %q", text)
	}
	j.see("main .chip.sim")
}
