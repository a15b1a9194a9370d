package web_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// stoppedMail queues the mail of an instance that ended by itself.
func stoppedMail(t *testing.T, site *webtest.Site) store.Mail {
	t.Helper()
	in := site.Running(t, site.Member, "training")
	if err := site.Store.MarkEnded(t.Context(), in.ID, store.End{}); err != nil {
		t.Fatal(err)
	}
	if err := site.Store.MarkStopped(t.Context(), in.ID, store.Proof{Clean: true}); err != nil {
		t.Fatal(err)
	}
	due, err := site.Store.DueMail(t.Context(), 10)
	if err != nil || len(due) != 1 {
		t.Fatalf("%+v %v", due, err)
	}
	return due[0]
}

func TestMailThatWasGivenUpIsTriedAgainOrDropped(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	m := stoppedMail(t, site)
	for range 8 {
		if err := site.Store.MailFailed(t.Context(), m.ID, "550 no such <mailbox>"); err != nil {
			t.Fatal(err)
		}
	}
	admin, path := site.Browser(t, site.Admin), "/admin/mail/"+strconv.FormatInt(m.ID, 10)
	if page := admin.Get("/admin/mail").Body; !strings.Contains(page, "550 no such &lt;mailbox&gt;") || !strings.Contains(page, `action="`+path+`/retry"`) {
		t.Errorf("%s", page)
	}
	if page := flows(t, admin, admin.Form(path+"/retry", url.Values{}), "/admin/mail"); !strings.Contains(page.Body, "tried again") {
		t.Error(page.Body)
	}
	if due, err := site.Store.DueMail(t.Context(), 10); err != nil || len(due) != 1 || due[0].Tries != 0 {
		t.Errorf("%+v %v", due, err)
	}
	flows(t, admin, admin.Form(path+"/drop", url.Values{}), "/admin/mail")
	for _, again := range []string{"/drop", "/retry"} {
		if a := admin.Form(path+again, url.Values{}); a.Status != http.StatusNotFound {
			t.Errorf("%s again: %d", again, a.Status)
		}
	}
	if page := admin.Get("/admin/mail").Body; !strings.Contains(page, "dropped by an admin") {
		t.Error("it is not said why it was dropped")
	}
	flows(t, admin, admin.Form("/admin/mail/test", url.Values{}), "/admin/mail")
	if due, err := site.Store.DueMail(t.Context(), 10); err != nil || len(due) != 1 || due[0].Template != "test" || due[0].To != site.Admin.Email {
		t.Errorf("%+v %v", due, err)
	}
}

func TestEveryMailIsPreviewedInBothLanguagesWithoutUnsafeStyles(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	admin := site.Browser(t, site.Admin)
	for _, template := range store.MailTemplates {
		for _, code := range []string{"en", "zh"} {
			page := admin.Get("/admin/mail/" + template.Name + "?lang=" + code)
			html := admin.Get("/admin/mail/" + template.Name + "/html?lang=" + code)
			if page.Status != http.StatusOK || html.Status != http.StatusOK || !strings.Contains(html.Body, "<style nonce=") || strings.Contains(html.Body, ` style="`) {
				t.Errorf("%s in %s: %d %d", template.Name, code, page.Status, html.Status)
			}
			if policy := html.Header.Get("Content-Security-Policy"); strings.Contains(policy, "unsafe-inline") || !strings.Contains(policy, "style-src 'self' 'nonce-") {
				t.Errorf("policy %s", policy)
			}
		}
	}
	if a := admin.Get("/admin/mail/nothing"); a.Status != http.StatusNotFound {
		t.Errorf("%d", a.Status)
	}
}

func TestOneClickInAMailProgramStopsAKindOfMail(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	token, err := site.Store.MailStop(t.Context(), stoppedMail(t, site))
	if err != nil {
		t.Fatal(err)
	}
	nobody := site.Nobody(t)
	if page := nobody.Get("/mail/stop/" + token); page.Status != http.StatusOK || !strings.Contains(page.Body, "Instances: end soon") {
		t.Errorf("%d %s", page.Status, page.Body)
	}
	if wants, err := site.Store.MailPreference(t.Context(), site.Member.ID); err != nil || len(wants.Off) != 0 {
		t.Errorf("looking at the page switched it off: %+v %v", wants, err)
	}
	click := func(path string) webtest.Answer { // RFC 8058: no cookie, no token, from anywhere
		return nobody.Do("POST", path, strings.NewReader("List-Unsubscribe=One-Click"), "Content-Type", "application/x-www-form-urlencoded", "Origin", "https://mail.example")
	}
	if a := click("/mail/stop/" + token + "0"); a.Status != http.StatusNotFound {
		t.Errorf("a wrong token: %d", a.Status)
	}
	for range 2 {
		if a := click("/mail/stop/" + token); a.Status != http.StatusOK {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
	wants, err := site.Store.MailPreference(t.Context(), site.Member.ID)
	if err != nil || len(wants.Off) != 1 || wants.Off[0] != store.MailInstances {
		t.Errorf("%+v %v", wants, err)
	}
	member := site.Browser(t, site.Member)
	flows(t, member, member.Form("/settings/mail", url.Values{"kind": {"budgets", "instances"}, "digest": {"1"}}), "/settings")
	if wants, err = site.Store.MailPreference(t.Context(), site.Member.ID); err != nil || len(wants.Off) != 3 || !wants.Digest {
		t.Errorf("%+v %v", wants, err)
	}
}

func TestASignInWithANewBrowserIsTold(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	signIn := func(c *webtest.Client) {
		t.Helper()
		code, err := site.Store.LoginLink(t.Context(), site.Member.ID)
		if err != nil {
			t.Fatal(err)
		}
		if a := c.Get("/login/link?code="+code, "User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"); a.Status != http.StatusSeeOther {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	told := func() (n int) {
		t.Helper()
		due, err := site.Store.DueMail(t.Context(), 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range due {
			if m.Template == "new_device" && m.To == site.Member.Email {
				n++
				if m.Data["agent"] != "Firefox, Linux" || m.Data["link"] != "1" || m.Data["at"] != site.Clock.Now().Format(time.RFC3339) {
					t.Errorf("%+v", m.Data)
				}
			}
		}
		return n
	}
	first, second := site.Nobody(t), site.Nobody(t)
	signIn(first)
	if n := told(); n != 0 {
		t.Errorf("%d mails of the first browser", n)
	}
	signIn(second)
	if n := told(); n != 1 {
		t.Errorf("%d mails of the second browser", n)
	}
	signIn(first)
	signIn(second)
	if n := told(); n != 1 {
		t.Errorf("%d mails of browsers that are known", n)
	}
}
