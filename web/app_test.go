package web_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/webtest"
)

const appPort = 8888

// notebook is what listens in an instance: it says what it was asked, echoes what it is sent, and answers as no guest should.
func notebook() http.Handler {
	up := websocket.Upgrader{} // it compares Origin with Host, as apps do
	m := http.NewServeMux()
	m.HandleFunc("/ws", func(w http.ResponseWriter, r *http.Request) {
		ws, err := up.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = ws.Close() }()
		for {
			kind, data, err := ws.ReadMessage()
			if err != nil || ws.WriteMessage(kind, data) != nil {
				return
			}
		}
	})
	m.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	m.HandleFunc("/stream", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "first\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	m.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.FormValue("to"))
		w.WriteHeader(http.StatusFound)
	})
	m.HandleFunc("/early", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Clear-Site-Data", "*")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Del("Clear-Site-Data")
		_, _ = io.WriteString(w, "late")
	})
	m.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		for _, c := range r.URL.Query()["cookie"] {
			h.Add("Set-Cookie", c)
		}
		for _, hostile := range []string{"Clear-Site-Data", "Alt-Svc", "Strict-Transport-Security", "Service-Worker-Allowed", "Nel", "Access-Control-Allow-Credentials"} {
			h.Set(hostile, "true")
		}
		h.Set("X-Jupyter", "yes")
		_, _ = fmt.Fprintf(w, "%s %s host=%s\n", r.Method, r.RequestURI, r.Host)
		_ = r.Header.Write(w)
	})
	return m
}

// app is an instance with a notebook, and its member's browser.
func app(t *testing.T, change ...func(*web.Config)) (*webtest.Site, store.Instance, *webtest.Client) {
	t.Helper()
	site := webtest.Start(t, change...)
	in := site.Running(t, site.Member, "notebook")
	if _, err := site.Store.SetPort(t.Context(), in.ID, site.Member.ID, appPort); err != nil {
		t.Fatal(err)
	}
	site.Fleet.Serve(t, in.ID, fmt.Sprint(appPort), notebook())
	return site, in, site.Browser(t, site.Member)
}

// enter opens the door and returns the address below which the app is.
func enter(t *testing.T, b *webtest.Client, id string) string {
	t.Helper()
	a := b.Get("/i/" + id + "/")
	where := a.Header.Get("Location")
	if a.Status != http.StatusSeeOther || !strings.HasPrefix(where, "/i/"+id+"/~") {
		t.Fatalf("the door: %d to %q: %s", a.Status, where, a.Body)
	}
	return strings.TrimSuffix(where, "/")
}

func TestTheDoorLetsInWhoMayEnterTheInstance(t *testing.T) {
	t.Parallel()
	site, in, owner := app(t)
	for name, c := range map[string]struct {
		browser *webtest.Client
		want    int
	}{
		"owner": {owner, 303}, "manager": {site.Browser(t, site.Manager), 303}, "admin": {site.Browser(t, site.Admin), 303},
		"viewer": {site.Browser(t, site.Viewer), 403}, "another team": {site.Browser(t, site.Stranger), 404},
	} {
		if a := c.browser.Get("/i/" + in.ID + "/"); a.Status != c.want {
			t.Errorf("%s: %d, want %d", name, a.Status, c.want)
		}
	}
	if a := site.Nobody(t).Get("/i/" + in.ID + "/lab"); !strings.HasPrefix(a.Header.Get("Location"), "/login") {
		t.Errorf("nobody: %d %s", a.Status, a.Header.Get("Location"))
	}
	if a := owner.Get("/i/"+in.ID+"/", "Sec-Fetch-Dest", "iframe"); a.Status != http.StatusForbidden {
		t.Errorf("in a frame: %d", a.Status)
	}
	if a := owner.Get("/i/" + in.ID + "/lab/tree%2Fa?x=1"); !strings.HasSuffix(a.Header.Get("Location"), "/lab/tree%2Fa?x=1") {
		t.Errorf("a page of the app: %q", a.Header.Get("Location"))
	}
}

func TestTheDoorSaysWhyThereIsNothing(t *testing.T) {
	t.Parallel()
	site, in, owner := app(t)
	ctx := t.Context()
	set := func(port int) {
		if _, err := site.Store.SetPort(ctx, in.ID, site.Member.ID, port); err != nil {
			t.Fatal(err)
		}
	}
	door := func(status int, words string, again bool) {
		t.Helper()
		a := owner.Get("/i/" + in.ID + "/")
		if a.Status != status || !strings.Contains(a.Body, words) || (a.Header.Get("Refresh") != "") != again {
			t.Errorf("%d %q (want %d): %s", a.Status, a.Header.Get("Refresh"), status, a.Body)
		}
	}
	before := enter(t, owner, in.ID)
	set(6006)
	door(http.StatusServiceUnavailable, "port 6006", true)
	if a := owner.Get(before+"/lab", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"); a.Status != 303 || a.Header.Get("Location") != "/i/"+in.ID+"/lab" {
		t.Errorf("a page of the app: %d %s", a.Status, a.Header.Get("Location"))
	}
	if a := owner.Get(before+"/lab", "Sec-Fetch-Mode", "cors"); a.Status != 503 || a.Header.Get("Retry-After") == "" || !strings.Contains(a.Body, "6006") {
		t.Errorf("a part of a page: %d %s", a.Status, a.Body)
	}
	set(0)
	door(http.StatusConflict, "No port was chosen", false)
	set(appPort)
	if _, err := site.Store.Suspend(ctx, in.ID, site.Member.ID); err != nil {
		t.Fatal(err)
	}
	door(http.StatusConflict, "Resume it", false)
	site.Store.Resume(ctx, in.ID, site.Member.ID)
	site.Store.RequestStop(ctx, in.ID, site.Member.ID, "by_person")
	door(http.StatusServiceUnavailable, "looks again", true)
	if err := site.Store.MarkEnded(ctx, in.ID, store.End{}); err != nil {
		t.Fatal(err)
	}
	if err := site.Store.MarkStopped(ctx, in.ID, store.Proof{Clean: true}); err != nil {
		t.Fatal(err)
	}
	door(http.StatusConflict, "has ended", false)
}

func TestAnAppIsAskedAsIfDirectlyAndWithoutTheConsolesSecrets(t *testing.T) {
	t.Parallel()
	site, in, owner := app(t)
	at := enter(t, owner, in.ID)
	a := owner.Get(at+"/a%2Fb?c=d%20e", "Authorization", "Bearer mh_secret", "X-CSRF-Token", "secret", "Cookie", "theirs=1", "X-Forwarded-For", "6.6.6.6", "X-Forwarded-Prefix", "/lie",
		"Connection", "X-Hop", "X-Hop", "1", "Origin", "null")
	for _, want := range []string{"GET /a%2Fb?c=d%20e host=localhost:8888", "theirs=1", "X-Forwarded-Host: " + strings.TrimPrefix(site.URL, "http://"), "X-Forwarded-Proto: http\r\n", "X-Forwarded-For: 127.0.0.1\r\n",
		"X-Forwarded-Prefix: " + at + "\r\n", "Origin: http://localhost:8888"} {
		if !strings.Contains(a.Body, want) {
			t.Errorf("no %q in %s", want, a.Body)
		}
	}
	for _, never := range []string{"meterhouse_", "mh_secret", "Csrf", "6.6.6.6", "/lie", "X-Hop"} {
		if strings.Contains(a.Body, never) {
			t.Errorf("%q in %s", never, a.Body)
		}
	}
	if a := owner.Get(at+"/", "Authorization", "token of-the-app"); !strings.Contains(a.Body, "of-the-app") {
		t.Errorf("the app's own: %s", a.Body)
	}
	large := strings.Repeat("0123456789abcdef", 1<<19) // 8 MiB, more than a form of the console's may have
	if a := owner.Do(http.MethodPost, at+"/echo", strings.NewReader(large), "Origin", "null"); a.Body != large {
		t.Errorf("%d: %d of %d bytes came back", a.Status, len(a.Body), len(large))
	}
}

func TestAnAppSpeaksForNothingButItself(t *testing.T) {
	t.Parallel()
	site, in, owner := app(t)
	at := enter(t, owner, in.ID)
	q := url.Values{"cookie": {"a=1; Path=/", "b=2; Domain=example.org; Path=/lab; HttpOnly", "c=3", "meterhouse_session=stolen; Path=/", "__Host-meterhouse_session=stolen; Path=/; Secure"}}
	a := owner.Get(at+"/?"+q.Encode(), "Origin", "null")
	if got, want := strings.Join(a.Header.Values("Set-Cookie"), "|"), "a=1; Path="+at+"/|b=2; Path="+at+"/lab; HttpOnly|c=3"; got != want {
		t.Errorf("cookies %s, want %s", got, want)
	}
	for _, hostile := range []string{"Clear-Site-Data", "Alt-Svc", "Strict-Transport-Security", "Service-Worker-Allowed", "Nel", "Access-Control-Allow-Credentials"} {
		if a.Header.Get(hostile) != "" {
			t.Errorf("%s: %s", hostile, a.Header.Get(hostile))
		}
	}
	policy := a.Header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "sandbox ") || strings.Contains(policy, "same-origin") || a.Header.Get("X-Jupyter") != "yes" || a.Header.Get("Access-Control-Allow-Origin") != "null" {
		t.Errorf("%v", a.Header)
	}
	if a := owner.Get(at + "/early"); a.Body != "late" || a.Header.Get("Clear-Site-Data") != "" {
		t.Errorf("%v", a)
	}
	public := strings.TrimPrefix(site.URL, "http://")
	for to, want := range map[string]string{
		"/lab?x=1": at + "/lab?x=1", "lab": "lab", "http://localhost:8888/lab": at + "/lab", "http://127.0.0.1:8888": at + "/", "http://" + public + "/settings": at + "/settings",
		at + "/tree": at + "/tree", "https://example.org/x": "https://example.org/x", "//example.org/x": "//example.org/x", "/a%2Fb": at + "/a%2Fb",
	} {
		if a := owner.Get(at + "/away?to=" + url.QueryEscape(to)); a.Header.Get("Location") != want {
			t.Errorf("%s became %s, want %s", to, a.Header.Get("Location"), want)
		}
	}
}

// L14: a page of another origin has the key of no visit, and an address that was passed on opens nothing for another's browser.
func TestAnotherOriginsPageDoesNotReachAnApp(t *testing.T) {
	t.Parallel()
	site, in, owner := app(t)
	at := enter(t, owner, in.ID)
	for name, c := range map[string]struct {
		path, origin string
		want         int
	}{
		"another page, which knows the key": {at, "https://evil.example", 403}, "the console's own page": {at, site.URL, 403}, "a wrong key": {"/i/" + in.ID + "/~wrong", "null", 401},
		"no origin": {at, "", 403}, "the key of another instance": {strings.Replace(at, in.ID, "i-other-0000", 1), "null", 401},
	} {
		if ws, a := owner.Socket(c.path+"/ws", "", "Origin", c.origin); ws != nil || a.Status != c.want {
			t.Errorf("%s: %d, want %d", name, a.Status, c.want)
		}
		if a := owner.Do(http.MethodPost, c.path+"/echo", strings.NewReader("x"), "Origin", c.origin); c.origin != "" && a.Status != c.want {
			t.Errorf("%s posts: %d, want %d", name, a.Status, c.want)
		}
	}
	other := site.Browser(t, site.Manager)
	if a := other.Get(at+"/lab", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"); a.Status != 303 || a.Header.Get("Location") != "/i/"+in.ID+"/lab" {
		t.Errorf("an address that was passed on: %d %s", a.Status, a.Header.Get("Location"))
	}
	if a := owner.Do(http.MethodOptions, at+"/api", nil, "Origin", "null", "Access-Control-Request-Method", "PUT", "Access-Control-Request-Headers", "authorization"); a.Status != 204 || a.Header.Get("Access-Control-Allow-Headers") != "authorization" || a.Header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("its own page asks before it asks: %d %v", a.Status, a.Header)
	}
}

func TestWhatGoesOnThroughAPortEndsWithTheSessionAndThePort(t *testing.T) {
	t.Parallel()
	for name, over := range map[string]func(*webtest.Site, store.Instance) error{
		"session": func(s *webtest.Site, _ store.Instance) error {
			sessions, err := s.Store.Sessions(t.Context(), s.Member.ID)
			for _, n := range sessions {
				err = s.Store.EndSession(t.Context(), s.Member.ID, n.ID)
			}
			return err
		},
		"person": func(s *webtest.Site, _ store.Instance) error {
			return s.Store.DisablePerson(t.Context(), s.Admin.ID, s.Member.ID, true)
		},
		"port": func(s *webtest.Site, in store.Instance) error {
			_, err := s.Store.SetPort(t.Context(), in.ID, s.Member.ID, 1)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			site, in, owner := app(t)
			at := enter(t, owner, in.ID)
			ws, a := owner.Socket(at+"/ws", "", "Origin", "null")
			if ws == nil {
				t.Fatalf("%d %s", a.Status, a.Body)
			}
			_ = ws.SetReadDeadline(time.Now().Add(10 * time.Second))
			send(t, ws, websocket.TextMessage, "hello")
			if _, data, err := ws.ReadMessage(); err != nil || string(data) != "hello" {
				t.Fatalf("%q %v", data, err)
			}
			stream, err := http.Get(site.URL + at + "/stream") //nolint:noctx // it ends with the session
			if err != nil {
				t.Fatal(err)
			}
			defer stream.Body.Close()
			first := make([]byte, 6)
			if _, err := io.ReadFull(stream.Body, first); err != nil || string(first) != "first\n" {
				t.Fatalf("%q %v", first, err) // it came although the answer goes on
			}
			if err := over(site, in); err != nil {
				t.Fatal(err)
			}
			if _, _, err := ws.ReadMessage(); err == nil || strings.Contains(err.Error(), "timeout") {
				t.Errorf("the socket goes on: %v", err)
			}
			if _, err := io.ReadAll(stream.Body); err == nil {
				t.Error("the stream ended as if it were whole")
			}
		})
	}
}
