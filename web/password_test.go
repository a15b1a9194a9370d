package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/store/storetest"
	"github.com/meterhouse/meterhouse/web/webtest"
)

func TestANewPasswordByFormEndsTheOtherSignIns(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	here, there := site.Browser(t, site.Member), site.Browser(t, site.Member)
	if page := here.Get("/settings"); !strings.Contains(page.Body, `name="old_password"`) {
		t.Error("the old password is to be asked for")
	}
	for field, form := range map[string]url.Values{
		"old_password": {"old_password": {"not this one at all"}, "password": {"a whole new password"}},
		"password":     {"old_password": {storetest.Password}, "password": {"xqzxqz"}},
	} {
		a := here.Form("/settings/password", form)
		if a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Body, `#f-password-`+field) || strings.Contains(a.Body, form.Get(field)) {
			t.Errorf("%s: %d", field, a.Status)
		}
	}
	flows(t, here, here.Form("/settings/password", url.Values{"old_password": {storetest.Password}, "password": {"a whole new password"}}), "/settings")
	if a := there.Get("/settings"); a.Status != http.StatusSeeOther {
		t.Errorf("the other sign-in goes on: %d", a.Status)
	}
	signIn := func(password string) int {
		c := site.Nobody(t)
		c.Get("/login")
		return c.Form("/login", url.Values{"email": {site.Member.Email}, "password": {password}}).Status
	}
	if old, fresh := signIn(storetest.Password), signIn("a whole new password"); old != http.StatusUnprocessableEntity || fresh != http.StatusSeeOther {
		t.Errorf("with the old password %d, with the new one %d", old, fresh)
	}
	log, _, err := site.Store.AuditLog(t.Context(), 10, "")
	found := false
	for _, r := range log {
		found = found || r.Action == "password_changed" && r.PersonID == site.Member.ID
	}
	if err != nil || !found {
		t.Errorf("no record: %v %v", log, err)
	}
}

func TestWhoHasNoPasswordIsAskedForTheNewOneOnly(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	c := site.Browser(t, site.Viewer) // made without one
	if page := c.Get("/settings"); strings.Contains(page.Body, `name="old_password"`) || !strings.Contains(page.Body, `name="password"`) {
		t.Fatal("the form does not fit")
	}
	flows(t, c, c.Form("/settings/password", url.Values{"password": {"a whole new password"}}), "/settings")
	if a := c.Form("/settings/password", url.Values{"password": {"and yet another one"}}); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("a second one without the first: %d", a.Status)
	}
}
