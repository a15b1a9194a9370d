package main

import (
	"bufio"
	"context"
	"net"
	"net/url"
	"strings"
	"time"
)

// mailPatience is how long a mail server may take to greet.
const mailPatience = 5 * time.Second

// mailServer waits for a mail server's greeting; it sends nothing. "" is none.
func (f *findings) mailServer(ctx context.Context, address string) {
	if address == "" {
		f.warn("mail server", "name the console's with --smtp; without one budget mail waits in the database", "none was named")
		return
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		f.broken("mail server", "--smtp is smtp://, smtp+starttls:// or smtps://HOST:PORT", "%q is no address", address)
		return
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"smtp": "25", "smtp+starttls": "587", "smtps": "465"}[u.Scheme]
	}
	dialer := net.Dialer{Timeout: mailPatience}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		f.broken("mail server", "mail waits in the database until it answers", "%v", err)
		return
	}
	defer func() { _ = conn.Close() }() // nothing was written
	if u.Scheme == "smtps" {
		f.ok("mail server", "%s:%s can be reached", u.Hostname(), port)
		return
	}
	if err := conn.SetDeadline(time.Now().Add(mailPatience)); err != nil {
		f.broken("mail server", "", "%v", err)
		return
	}
	greeting, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || !strings.HasPrefix(greeting, "220") {
		f.broken("mail server", "is it a mail server?", "it does not greet as one: %q", strings.TrimSpace(greeting))
		return
	}
	f.ok("mail server", "%s", strings.TrimSpace(greeting))
}
