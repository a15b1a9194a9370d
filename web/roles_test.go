package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// rank orders roles; nobody comes before all.
func rank(r store.Role) int {
	return map[store.Role]int{"": 0, store.Viewer: 1, store.Member: 2, store.Manager: 3, store.Admin: 4}[r]
}

// TestEachRouteIsOpenFromItsRoleOnAndClosedBelow walks the whole table as each role: below a route's role nothing but a
// refusal comes back; from it on, anything else.
func TestEachRouteIsOpenFromItsRoleOnAndClosedBelow(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	people := map[store.Role]store.Person{store.Viewer: site.Viewer, store.Member: site.Member, store.Manager: site.Manager, store.Admin: site.Admin}
	programs := map[store.Role]*webtest.Client{"": site.Nobody(t)}
	browsers := map[store.Role]*webtest.Client{"": site.Nobody(t)}
	for role, p := range people {
		programs[role], browsers[role] = site.Program(t, p), site.Browser(t, p)
	}
	for _, r := range web.Table() {
		if r.Path == "/logout" { // it would end the walk's own session
			continue
		}
		path := strings.NewReplacer(":id", "nope-0000", "*", "nope").Replace(r.Path)
		for role := range programs {
			var a webtest.Answer
			switch {
			case r.API:
				a = programs[role].Do(r.Method, path, strings.NewReader("{}"), "Content-Type", "application/json")
			case r.Method == http.MethodPost:
				a = browsers[role].Form(path, url.Values{})
			default:
				a = browsers[role].Get(path, "Origin", site.URL)
			}
			refused := a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden && role != "" || a.Status == http.StatusSeeOther && strings.HasPrefix(a.Header.Get("Location"), "/login")
			if public := r.Role == ""; public {
				refused = a.Status == http.StatusUnauthorized
			}
			if want := rank(role) < rank(r.Role); refused != want {
				t.Errorf("%s %s as %q: %d, refused is %v", r.Method, r.Path, role, a.Status, refused)
			}
			if a.Status >= 500 {
				t.Errorf("%s %s as %q: %d %s", r.Method, r.Path, role, a.Status, a.Body)
			}
		}
	}
}

func TestAWrongTokenIsRefusedWhateverTheCookieSays(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	token := site.Program(t, site.Member).Token()
	browser := site.Browser(t, site.Member)
	for _, head := range []string{"", "x", "Bearer", "Bearer ", "Bearer x", "Bearer " + token[:len(token)-1], "Bearer " + token + "x", "Basic " + token, "Bearer " + strings.Repeat("x", 5000), "Bearer \xff\xfe"} {
		for _, c := range []*webtest.Client{site.Nobody(t), browser} {
			c.Headers["Authorization"] = []string{head}
			a := c.Do("GET", "/api/v1/instances", nil)
			delete(c.Headers, "Authorization")
			if a.Status != http.StatusUnauthorized || a.Header.Get("Content-Type") != "application/problem+json" || a.Header.Get("WWW-Authenticate") == "" {
				t.Errorf("%q: %d %s", head, a.Status, a.Body)
			}
		}
	}
}

func TestARevokedTokenIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	c := site.Program(t, site.Member)
	var tokens []store.Token
	tokens, err := site.Store.Tokens(t.Context(), site.Member.ID)
	if err == nil {
		err = site.Store.RevokeToken(t.Context(), site.Member.ID, tokens[0].ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	if a := c.Call("GET", "/me", nil, nil); a.Status != http.StatusUnauthorized {
		t.Errorf("%d", a.Status)
	}
}
