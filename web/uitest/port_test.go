package uitest

import (
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// guest is a web server in an instance, whose page does to the console what a hostile one would. It is of Perl's own parts, as each
// machine that runs these tests has them: a page, a script, what answers a fetch, and a websocket that says hello.
const guest = `use IO::Socket::INET; use Digest::SHA "sha1_base64"; $SIG{CHLD} = "IGNORE";
my $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => PORT, Listen => 50, ReuseAddr => 1) or die $!;
while (my $c = $s->accept) {
	next if fork;
	my ($head, %h) = (scalar <$c>);
	while (my $l = <$c>) { $l =~ s/\r?\n//; last if $l eq ""; my ($k, $v) = split /: */, $l, 2; $h{lc $k} = $v; }
	my ($path) = $head =~ m{^\S+ (\S+)};
	if ($h{upgrade}) {
		my $accept = sha1_base64($h{"sec-websocket-key"} . "258EAFA5-E914-47DA-95CA-C5AB0DC85B11") . "=";
		print $c "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: $accept\r\n\r\n\x81\x05hello";
		$c->flush; sleep 600; exit;
	}
	my ($type, $body) = ("text/html", "<!DOCTYPE html><html lang=en><link rel=icon href=data:,><title>guest</title><h1>guest</h1><script src=app.js></script>");
	($type, $body) = ("text/javascript", "document.title = \"script ran\"") if $path eq "/app.js";
	($type, $body) = ("text/javascript", "onfetch = () => {}") if $path eq "/worker.js";
	($type, $body) = ("text/plain", "cookies: " . ($h{cookie} || "none")) if $path eq "/data";
	print $c "HTTP/1.1 200 OK\r\nContent-Type: $type\r\nService-Worker-Allowed: /\r\nConnection: close\r\nContent-Length: " . length($body) . "\r\n\r\n$body";
	$c->flush; exit;
}`

// serving rents an instance in which the guest listens, and returns its id and its port.
func (c *console) serving(p *person) (id, port string) {
	c.t.Helper()
	_, port, err := net.SplitHostPort(freeAddress(c.t))
	if err != nil {
		c.t.Fatal(err)
	}
	id = c.rent(p, "guest", "exec perl -e '"+strings.ReplaceAll(guest, "PORT", port)+"'")
	n, _ := strconv.Atoi(port)
	c.call(p, http.MethodPut, "/instances/"+id+"/port", map[string]any{"port": n}, nil)
	return id, port
}

// L14: what runs in an instance is hostile to the console that shows it.
func TestAPageOfAnInstanceIsNobodyToTheConsole(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	admin := c.asAdmin()
	id, port := c.serving(admin)
	b := newTab(t, c, admin, screen{width: 1280})
	b.visit("/instances/" + id)
	if text := b.text(`a[href="/i/` + id + `/"]`); text != "Open port "+port {
		t.Errorf("the instance's page offers %q", text)
	}
	b.expect("401|403|404|409|503|CORS|WebSocket|Failed to load|sandbox|SecurityError|Content Security Policy|service ?worker|Refused to|Blocked|X-Frame-Options")
	b.open("/i/" + id + "/")
	b.until("the app's own script", `document.title === "script ran"`)
	hostile(b, c, id)
	if got := eval[string](b, `origin`); got != "null" {
		t.Errorf("the page's origin is %s", got)
	}
	for what, expression := range map[string]string{
		"reading cookies": `document.cookie`, "storage": `localStorage.length + ""`, "a service worker": `navigator.serviceWorker.register("worker.js").then(() => "registered")`,
	} {
		if got := attempt(b, expression); got != "refused" {
			t.Errorf("%s: %s", what, got)
		}
	}
	ownParts(b)
	// The same address opens nothing for another person's browser.
	address := b.path()
	other := c.addPerson("stranger", "manager", "operations")
	elsewhere := newTab(t, c, other, screen{width: 1280})
	elsewhere.expect("404")
	if elsewhere.open(address); strings.Contains(elsewhere.text("body"), "guest") || !strings.Contains(elsewhere.text("body"), "404") {
		t.Errorf("another team's browser reads %s", elsewhere.text("body"))
	}
	// Signing out ends what is open.
	eval[bool](b, `new Promise(r => { window.s = new WebSocket(new URL("ws", location.href).href.replace("http", "ws")); s.onclose = () => window.over = true; s.onerror = () => r(false); s.onopen = () => r(true); })`)
	leaving := newTab(t, c, admin, screen{width: 1280})
	leaving.visit("/settings")
	leaving.click(`.side form[action="/logout"] button`)
	leaving.arrive("/login")
	b.until("the end of the socket", `window.over`)
	if b.open(address); strings.Contains(b.text("body"), "guest") {
		t.Error("who signed out still reads the app")
	}
}

// hostile fails the test where a page of an instance gets anything from the console.
func hostile(b *tab, c *console, id string) {
	b.t.Helper()
	for what, expression := range map[string]string{
		"the API":                 `fetch("` + c.url("/api/v1/me") + `", {credentials: "include"}).then(r => r.text())`,
		"a page":                  `fetch("` + c.url("/settings") + `", {credentials: "include"}).then(r => r.text())`,
		"a page in a frame":       `new Promise(r => { const f = document.createElement("iframe"); f.src = "` + c.url("/settings") + `"; f.onload = () => { try { r(f.contentDocument.body.innerText || "refused") } catch { r("refused") } }; document.body.append(f); })`,
		"the socket of figures":   `new Promise(r => { const s = new WebSocket("ws://` + c.address + `/live?fleet=1", "meterhouse.live.v1"); s.onopen = () => r("opened"); s.onerror = () => r("refused"); })`,
		"the socket of a command": `new Promise(r => { const s = new WebSocket("ws://` + c.address + `/api/v1/instances/` + id + `/exec", "meterhouse.exec.v1"); s.onopen = () => r("opened"); s.onerror = () => r("refused"); })`,
		"the door of an app":      `fetch("` + c.url("/i/"+id+"/") + `", {credentials: "include"}).then(r => r.text())`,
		"stopping the instance":   `fetch("` + c.url("/instances/"+id+"/stop") + `", {method: "POST", credentials: "include", body: new URLSearchParams({confirm: "guest"})}).then(r => r.text())`,
	} {
		if got := attempt(b, expression); got != "refused" {
			b.t.Errorf("%s gave the instance's page: %s", what, tail(got, 200))
		}
	}
}

// attempt is what an expression comes to in the page, or "refused".
func attempt(b *tab, expression string) string {
	b.t.Helper()
	return eval[string](b, `(async () => {
		const late = new Promise(r => setTimeout(() => r("no answer"), 10000));
		try { return await Promise.race([late, (async () => await (`+expression+`))()]) } catch (e) { return "refused" }
	})()`)
}

// ownParts fails the test where an app does not get what is its own.
func ownParts(b *tab) {
	b.t.Helper()
	if got := eval[string](b, `fetch("data").then(r => r.text())`); got != "cookies: none" {
		b.t.Errorf("its own data: %q", got)
	}
	if got := eval[string](b, `new Promise(r => {
		const s = new WebSocket(new URL("ws", location.href).href.replace("http", "ws"));
		s.onmessage = m => r(m.data);
		s.onerror = () => r("refused");
	})`); got != "hello" {
		b.t.Errorf("its own socket: %s", got)
	}
}

func TestAnAppWithAnOriginOfItsOwnHasWhatBrowsersGiveIt(t *testing.T) {
	inBrowser(t)
	// Browsers lead every name below localhost to this machine.
	c := startConsole(t, nil, func(c *console) {
		c.more = []string{"--public-url", "http://" + c.address, "--apps-url", "http://*.localhost:" + c.address[strings.LastIndex(c.address, ":")+1:]}
	})
	admin := c.asAdmin()
	id, _ := c.serving(admin)
	b := newTab(t, c, admin, screen{width: 1280})
	b.expect("another host|401|403|404|CORS|WebSocket|Failed to load|Refused to|Blocked|Framing|X-Frame-Options|sandbox")
	b.open("/i/" + id + "/")
	b.until("the app's own script", `document.title === "script ran"`)
	if host := eval[string](b, `location.hostname + location.pathname`); host != id+".localhost/" {
		t.Fatalf("the app is at %s", host)
	}
	hostile(b, c, id)
	ownParts(b)
	if got := eval[string](b, `(localStorage.setItem("a", "1"), document.cookie = "own=1", localStorage.getItem("a") + document.cookie)`); got != "1own=1" {
		t.Errorf("its storage and cookies: %s", got)
	}
}

func TestTheDoorOfAPortWaitsUntilSomethingListens(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	admin := c.asAdmin()
	_, port, _ := net.SplitHostPort(freeAddress(t))
	id := c.rent(admin, "late", "while [ ! -e go ]; do sleep 0.1; done; exec perl -e '"+strings.ReplaceAll(guest, "PORT", port)+"'")
	b := newTab(t, c, admin, screen{width: 1280})
	b.visit("/instances/" + id)
	b.fill(`#port input[name="port"]`, port)
	b.send(`#port button`)
	b.until("the port", `document.querySelector('a[href="/i/`+id+`/"]')`)
	b.expect("503")
	b.open("/i/" + id + "/")
	b.until("words", `document.body.innerText.includes("listens on port `+port+`")`)
	for _, problem := range b.accessible() {
		t.Error(problem)
	}
	c.cli("", "exec", "--token", admin.token, id, "--", "touch", "go")
	b.until("the app", `document.title === "script ran"`)
}
