package webtest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/meterhouse/meterhouse/store"
)

// Client is a program with a token, or a browser with a session, or nobody.
type Client struct {
	t     testing.TB
	site  *Site
	http  *http.Client
	token string
	// CSRF is the token that a browser found in the last page.
	CSRF string
	// Headers are added to every request.
	Headers http.Header
}

// Answer is what came back, read whole.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// Nobody is a client without token or session.
func (s *Site) Nobody(t testing.TB) *Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Client{t: t, site: s, Headers: http.Header{}, http: &http.Client{Jar: jar, Timeout: 20 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Program is a client with a token of a person.
func (s *Site) Program(t testing.TB, p store.Person) *Client {
	t.Helper()
	secret, _, err := s.Store.CreateToken(context.Background(), p.ID, "test", store.Request{})
	if err != nil {
		t.Fatal(err)
	}
	c := s.Nobody(t)
	c.token = secret
	return c
}

// Token is the client's token.
func (c *Client) Token() string { return c.token }

// Browser is a client that has signed in as a person.
func (s *Site) Browser(t testing.TB, p store.Person) *Client {
	t.Helper()
	code, err := s.Store.LoginLink(context.Background(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	c := s.Nobody(t)
	if a := c.Get("/login/link?code=" + code); a.Status != http.StatusSeeOther {
		t.Fatalf("sign in: %d %s", a.Status, a.Body)
	}
	if a := c.Get("/settings"); a.Status != http.StatusOK {
		t.Fatalf("settings: %d %s", a.Status, a.Body)
	}
	return c
}

// Do sends a request and reads the answer.
func (c *Client) Do(method, path string, body io.Reader, header ...string) Answer {
	c.t.Helper()
	r, err := http.NewRequest(method, c.site.URL+path, body)
	if err != nil {
		c.t.Fatal(err)
	}
	for key, values := range c.Headers {
		r.Header[key] = values
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	if c.token != "" && r.Header.Get("Authorization") == "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return Answer{Status: answer.StatusCode, Header: answer.Header, Body: string(text)}
}

var csrfField = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

// Get fetches a path, and remembers the token for forms that is on the page.
func (c *Client) Get(path string, header ...string) Answer {
	c.t.Helper()
	a := c.Do(http.MethodGet, path, nil, header...)
	if m := csrfField.FindStringSubmatch(a.Body); m != nil {
		c.CSRF = m[1]
	}
	return a
}

// Form sends a form as a browser does from the console's own page.
func (c *Client) Form(path string, fields url.Values, header ...string) Answer {
	c.t.Helper()
	sent := url.Values{"csrf": {c.CSRF}}
	for key, values := range fields {
		sent[key] = values
	}
	header = append([]string{"Content-Type", "application/x-www-form-urlencoded", "Origin", c.site.URL, "Sec-Fetch-Site", "same-origin"}, header...)
	return c.Do(http.MethodPost, path, strings.NewReader(sent.Encode()), header...)
}

// Call sends JSON to the API, under /api/v1, and decodes the answer into out, which may be nil.
func (c *Client) Call(method, path string, in, out any) Answer {
	c.t.Helper()
	var body io.Reader
	switch v := in.(type) {
	case nil:
	case string:
		body = strings.NewReader(v)
	default:
		text, err := json.Marshal(in)
		if err != nil {
			c.t.Fatal(err)
		}
		body = bytes.NewReader(text)
	}
	a := c.Do(method, "/api/v1"+path, body, "Content-Type", "application/json")
	if out != nil && a.Status < 300 {
		if err := json.Unmarshal([]byte(a.Body), out); err != nil {
			c.t.Fatalf("%s %s: %v in %s", method, path, err, a.Body)
		}
	}
	return a
}

// Socket opens a websocket as the console's own page does, or says with which answer it was refused.
func (c *Client) Socket(path, protocol string, header ...string) (*websocket.Conn, Answer) {
	c.t.Helper()
	h := http.Header{"Origin": {c.site.URL}}
	if c.token != "" {
		h = http.Header{"Authorization": {"Bearer " + c.token}}
	}
	for i := 0; i+1 < len(header); i += 2 {
		if h.Set(header[i], header[i+1]); header[i+1] == "" {
			h.Del(header[i])
		}
	}
	d := websocket.Dialer{Subprotocols: []string{protocol}, Jar: c.http.Jar, HandshakeTimeout: 10 * time.Second}
	ws, answer, err := d.Dial( //nolint:bodyclose // of a websocket there is none, and a refusal is read below
		"ws"+strings.TrimPrefix(c.site.URL, "http")+path, h)
	if err != nil {
		if answer == nil {
			c.t.Fatalf("socket %s: %v", path, err)
		}
		text, _ := io.ReadAll(answer.Body) // as much as there is
		return nil, Answer{Status: answer.StatusCode, Header: answer.Header, Body: string(text)}
	}
	c.t.Cleanup(func() { _ = ws.Close() })
	return ws, Answer{Status: answer.StatusCode}
}
