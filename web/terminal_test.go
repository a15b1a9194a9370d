package web_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/web/webtest"
)

const terminalProtocol = "meterhouse.terminal.v1"

func ticket(t *testing.T, c *webtest.Client, id string) string {
	t.Helper()
	a := c.Form("/instances/"+id+"/terminal/ticket", url.Values{"csrf": nil}, "X-CSRF-Token", c.CSRF)
	var out struct{ Ticket string }
	if err := json.Unmarshal([]byte(a.Body), &out); err != nil || a.Status != http.StatusOK || out.Ticket == "" {
		t.Fatalf("%d %s %v", a.Status, a.Body, err)
	}
	return out.Ticket
}

func terminal(t *testing.T, c *webtest.Client, id, query string) *websocket.Conn {
	t.Helper()
	ws, a := c.Socket("/instances/"+id+"/terminal?ticket="+ticket(t, c, id)+query, terminalProtocol)
	if ws == nil {
		t.Fatalf("terminal: %d %s", a.Status, a.Body)
	}
	_ = ws.SetReadDeadline(time.Now().Add(10 * time.Second))
	return ws
}

// shows reads until a text was shown.
func shows(t *testing.T, ws *websocket.Conn, want string) {
	t.Helper()
	seen := ""
	for !strings.Contains(seen, want) {
		kind, data, err := ws.ReadMessage()
		if err != nil {
			t.Fatalf("%v after %q", err, seen)
		}
		if kind == websocket.BinaryMessage {
			seen += string(data)
		}
	}
}

func send(t *testing.T, ws *websocket.Conn, kind int, text string) {
	t.Helper()
	if err := ws.WriteMessage(kind, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func TestSeveralTerminalsSeeTheSameShell(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	in := site.Running(t, site.Member, "job")
	first := terminal(t, site.Browser(t, site.Member), in.ID, "&cols=100&rows=30")
	if size := site.Fleet.Size(in.ID); size != (gpu.Size{Cols: 100, Rows: 30}) {
		t.Errorf("%+v", size)
	}
	send(t, first, websocket.BinaryMessage, "echo hello\n")
	shows(t, first, "echo hello")
	second := terminal(t, site.Browser(t, site.Manager), in.ID, "")
	shows(t, second, "echo hello")
	send(t, second, websocket.TextMessage, `{"type":"resize","cols":120,"rows":40}`)
	send(t, second, websocket.BinaryMessage, "after\n")
	shows(t, first, "after")
	if size := site.Fleet.Size(in.ID); size != (gpu.Size{Cols: 120, Rows: 40}) {
		t.Errorf("%+v", size)
	}
	send(t, second, websocket.BinaryMessage, "exit\n")
	for _, ws := range []*websocket.Conn{first, second} {
		for {
			kind, data, err := ws.ReadMessage()
			if err != nil {
				t.Fatalf("no word of the exit: %v", err)
			}
			if kind == websocket.TextMessage {
				if string(data) != `{"type":"exit"}` {
					t.Errorf("%s", data)
				}
				break
			}
		}
	}
}

func TestATicketOpensOneTerminalOfOnePersonAndInstance(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	in := site.Running(t, site.Member, "job")
	other := site.Running(t, site.Member, "other")
	member, manager := site.Browser(t, site.Member), site.Browser(t, site.Manager)
	refused := func(name string, c *webtest.Client, path string, want int, header ...string) {
		t.Helper()
		if ws, a := c.Socket(path, terminalProtocol, header...); ws != nil || a.Status != want {
			t.Errorf("%s: %d, want %d", name, a.Status, want)
		}
	}
	path := "/instances/" + in.ID + "/terminal?ticket="
	used := ticket(t, member, in.ID)
	if ws, a := member.Socket(path+used, terminalProtocol); ws == nil {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	refused("used", member, path+used, http.StatusForbidden)
	refused("none", member, path, http.StatusForbidden)
	refused("of another instance", member, path+ticket(t, member, other.ID), http.StatusForbidden)
	refused("of another person", manager, path+ticket(t, member, in.ID), http.StatusForbidden)
	refused("without origin", member, path+ticket(t, member, in.ID), http.StatusForbidden, "Origin", "")
	refused("from another port", member, path+ticket(t, member, in.ID), http.StatusForbidden, "Origin", "http://127.0.0.1:1")
	old := ticket(t, member, in.ID)
	site.Clock.Advance(time.Minute)
	refused("old", member, path+old, http.StatusForbidden)
	refused("wrong size", member, path+ticket(t, member, in.ID)+"&cols=0", http.StatusUnprocessableEntity)
	for name, c := range map[string]*webtest.Client{"another team": site.Browser(t, site.Stranger), "a viewer": site.Browser(t, site.Viewer)} {
		a := c.Form("/instances/"+in.ID+"/terminal/ticket", nil)
		if a.Status != http.StatusNotFound && a.Status != http.StatusForbidden {
			t.Errorf("%s: %d", name, a.Status)
		}
	}
}

func TestARevokedSessionLosesItsTerminal(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	in := site.Running(t, site.Member, "job")
	ws := terminal(t, site.Browser(t, site.Member), in.ID, "")
	sessions, err := site.Store.Sessions(t.Context(), site.Member.ID)
	for _, s := range sessions {
		err = site.Store.EndSession(t.Context(), site.Member.ID, s.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	kind, data, err := ws.ReadMessage()
	if err != nil || kind != websocket.TextMessage || string(data) != `{"type":"end","reason":"signed_out"}` {
		t.Errorf("%s %v", data, err)
	}
}

func TestTheCommandLineOpensATerminalWithItsToken(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	in := site.Running(t, site.Member, "job")
	ws, a := site.Program(t, site.Member).Socket("/api/v1/instances/"+in.ID+"/terminal", terminalProtocol)
	if ws == nil {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	send(t, ws, websocket.BinaryMessage, "ls\n")
	shows(t, ws, "ls")
	if ws, a := site.Browser(t, site.Member).Socket("/api/v1/instances/"+in.ID+"/terminal", terminalProtocol); ws != nil || a.Status != http.StatusForbidden {
		t.Errorf("with a session, without a ticket: %d", a.Status)
	}
}

const execProtocol = "meterhouse.exec.v1"

// run runs a command and returns what came on each stream and its end.
func run(t *testing.T, c *webtest.Client, id, begin string, input ...string) (out [3]string, end map[string]any) {
	t.Helper()
	ws, a := c.Socket("/api/v1/instances/"+id+"/exec", execProtocol)
	if ws == nil {
		t.Fatalf("exec: %d %s", a.Status, a.Body)
	}
	_ = ws.SetReadDeadline(time.Now().Add(10 * time.Second))
	send(t, ws, websocket.TextMessage, begin)
	for _, text := range input {
		send(t, ws, websocket.BinaryMessage, "\x00"+text)
	}
	for {
		kind, data, err := ws.ReadMessage()
		if err != nil {
			t.Fatal(err)
		}
		if kind == websocket.BinaryMessage {
			out[data[0]] += string(data[1:])
			continue
		}
		if err := json.Unmarshal(data, &end); err != nil {
			t.Fatal(err)
		}
		return out, end
	}
}

func TestACommandsStreamsAndExitStatusComeBack(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	in := site.Running(t, site.Member, "job")
	c := site.Program(t, site.Member)
	if out, end := run(t, c, in.ID, `{"argv":["echo","a","b"]}`); out[1] != "a b\n" || end["type"] != "exit" || end["code"] != 0.0 {
		t.Errorf("%v %v", out, end)
	}
	if out, end := run(t, c, in.ID, `{"argv":["fail","3"]}`); out[2] != "failed as asked\n" || end["code"] != 3.0 {
		t.Errorf("%v %v", out, end)
	}
	if out, end := run(t, c, in.ID, `{"argv":["cat"],"stdin":true}`, strings.Repeat("x", 60_000), strings.Repeat("y", 60_000), ""); len(out[1]) != 120_000 || end["code"] != 0.0 {
		t.Errorf("%d %v", len(out[1]), end)
	}
	for _, bad := range []string{`{}`, `[]`, `{"argv":[]}`, `{"argv":[""]}`, `{"argv":["a\u0000b"]}`, `x`} {
		if _, end := run(t, c, in.ID, bad); end["type"] != "error" || end["message"] == "" {
			t.Errorf("%s: %v", bad, end)
		}
	}
	if _, end := run(t, c, in.ID, `{"argv":["nonsense"]}`); end["type"] != "error" {
		t.Errorf("%v", end)
	}
	// Who named a program hears what is wrong with it; only a reason that nobody has words for is told as a failure.
	for why, want := range map[gpu.StartReason]string{
		gpu.ProgramNotInPath: "There is no program refused in the instance's PATH.", gpu.ProgramMissing: "is not in the instance", gpu.ProgramNotExecutable: "may not execute it",
		gpu.ProgramForeign: "no program for this machine", gpu.TooManyProcesses: "as many processes as it may have", "new": "could not be run",
	} {
		_, end := run(t, c, in.ID, `{"argv":["refused","`+string(why)+`"]}`)
		message, _ := end["message"].(string)
		if !strings.Contains(message, want) {
			t.Errorf("%s: %q", why, message)
		}
	}
}

func TestACommandNeedsARunningInstanceOfOnesOwn(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	in := site.Running(t, site.Admin, "job")
	path := "/api/v1/instances/" + in.ID + "/exec"
	for p, want := range map[*webtest.Client]int{site.Program(t, site.Member): http.StatusForbidden, site.Program(t, site.Stranger): http.StatusNotFound, site.Program(t, site.Viewer): http.StatusForbidden} {
		if ws, a := p.Socket(path, execProtocol); ws != nil || a.Status != want {
			t.Errorf("%d, want %d", a.Status, want)
		}
	}
	if _, err := site.Store.RequestStop(t.Context(), in.ID, site.Admin.ID, "by_person"); err != nil {
		t.Fatal(err)
	}
	if ws, a := site.Program(t, site.Admin).Socket(path, execProtocol); ws != nil || a.Status != http.StatusConflict {
		t.Errorf("stopped: %d", a.Status)
	}
}

func TestAnInstanceIsShownAndStoppedAlsoWhereItsOutputCannotBeRead(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	in := site.Running(t, site.Member, "job")
	site.Fleet.BreakLogs(errors.New("input/output error"))
	b := site.Browser(t, site.Member)
	if a := b.Get("/instances/" + in.ID); a.Status != http.StatusOK || !strings.Contains(a.Body, "Its output can&#39;t be read now") || strings.Contains(a.Body, "input/output") {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if a := b.Form("/instances/"+in.ID+"/stop", url.Values{"confirm": {"job"}}); a.Status != http.StatusSeeOther {
		t.Errorf("stop: %d", a.Status)
	}
}

func TestLogsComeFromAnOffsetAndCanBeFollowed(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	in := site.Running(t, site.Member, "job")
	c := site.Program(t, site.Member)
	if a := c.Call("GET", "/instances/"+in.ID+"/logs", nil, nil); a.Status != http.StatusOK || a.Body != "" {
		t.Errorf("nothing written: %d %q", a.Status, a.Body)
	}
	site.Fleet.WriteLog(in.ID, "first\nsecond\n")
	a := c.Call("GET", "/instances/"+in.ID+"/logs?offset=6", nil, nil)
	if a.Body != "second\n" || a.Header.Get("X-Log-Offset") != "6" || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/plain") {
		t.Errorf("%q %v", a.Body, a.Header)
	}
	followed := make(chan webtest.Answer)
	go func() { followed <- c.Call("GET", "/instances/"+in.ID+"/logs?follow=1", nil, nil) }()
	site.Fleet.WriteLog(in.ID, "third\n")
	site.Fleet.EndLog(in.ID)
	if a := <-followed; a.Body != "first\nsecond\nthird\n" {
		t.Errorf("%q", a.Body)
	}
	for _, bad := range []string{"offset=-1", "offset=x"} {
		if a := c.Call("GET", "/instances/"+in.ID+"/logs?"+bad, nil, nil); a.Status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", bad, a.Status)
		}
	}
}
