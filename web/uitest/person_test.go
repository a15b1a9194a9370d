package uitest

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// person is someone with an account on a console.
type person struct {
	name, email, password string
	token                 string
	cookies               []*http.Cookie // of a session, once signed in
}

const password = "correct horse battery staple"

// addPerson makes an account and an API token by the command line.
func (c *console) addPerson(name, role, team string) *person {
	c.t.Helper()
	p := &person{name: name, email: name + "@example.com", password: password}
	c.cli(p.password+"\n", "admin", "user", "add", p.name, "--email", p.email, "--role", role, "--team", team,
		"--data", c.data, "--password-stdin")
	p.token = c.cli("", "admin", "token", "create", "--user", p.name, "--data", c.data)
	return p
}

// asAdmin returns the site's first admin, whom it makes on first use.
func (c *console) asAdmin() *person {
	c.t.Helper()
	if c.admin == nil {
		c.admin = c.addPerson("admin", "admin", "research")
	}
	return c.admin
}

var csrfField = regexp.MustCompile(`name="csrf"[^>]*value="([^"]*)"`)

// session signs a person in by the form, as any client without a browser could, and returns the cookies.
func (c *console) session(p *person) []*http.Cookie {
	c.t.Helper()
	if p.cookies != nil {
		return p.cookies
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		c.t.Fatal(err)
	}
	client := http.Client{Jar: jar, Timeout: 20 * time.Second}
	res, err := client.Get(c.url("/login"))
	if err != nil {
		c.t.Fatal(err)
	}
	page, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil {
		c.t.Fatal(err)
	}
	form := url.Values{"email": {p.email}, "password": {p.password}}
	if m := csrfField.FindSubmatch(page); m != nil {
		form.Set("csrf", string(m[1]))
	}
	req, err := http.NewRequest(http.MethodPost, c.url("/login"), strings.NewReader(form.Encode()))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", c.url(""))
	if res, err = client.Do(req); err != nil {
		c.t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK || strings.Contains(res.Request.URL.Path, "login") {
		c.t.Fatalf("signing in as %s: %d at %s", p.name, res.StatusCode, res.Request.URL.Path)
	}
	home, err := url.Parse(c.url("/"))
	if err != nil {
		c.t.Fatal(err)
	}
	p.cookies = jar.Cookies(home)
	return p.cookies
}
