package uitest

import (
	"net/http"
	"strings"
	"testing"
)

func TestWithoutScriptsATokenIsRevokedOnlyAfterTheQuestion(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	admin := c.asAdmin()
	b := newTab(t, c, admin, screen{width: 1280, noJS: true})
	b.visit("/settings")
	b.fill(`form[action="/settings/tokens"] [name=name]`, "nightly")
	b.send(`form[action="/settings/tokens"] button`)
	token := strings.TrimSpace(b.text(".secret code"))
	if !strings.HasPrefix(token, "mh_") {
		t.Fatalf("the new token reads %q", token)
	}
	works := func() bool {
		r, err := http.NewRequest(http.MethodGet, c.url("/api/v1/me"), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	}
	ask, no, yes := `#tokens li:has(b) a[aria-label$="nightly"]`, `section[aria-labelledby=h-ask] a[href="/settings"]`, `section[aria-labelledby=h-ask] form button`
	b.send(ask)
	if question := b.text("#h-ask"); !strings.Contains(question, "nightly") || !works() {
		t.Errorf("the question is %q, the token works: %v", question, works())
	}
	path := b.path()
	b.send(no)
	if !works() {
		t.Error("revoked without the answer")
	}
	scripted := newTab(t, c, admin, screen{width: 360})
	scripted.visit(path)
	if found := scripted.accessible(); len(found) > 0 {
		t.Errorf("%s: %v", path, found)
	}
	b.send(ask)
	b.send(yes)
	if works() {
		t.Error("the token works on")
	}
}
