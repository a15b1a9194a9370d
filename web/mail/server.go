package mail

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// server is where mail is handed over.
type server struct {
	scheme, host, user, password string
	port                         int
	hasUser                      bool
}

// ports are the usual ones, where the address names none.
var ports = map[string]int{"smtp": 25, "smtp+starttls": 587, "smtps": 465}

// dialTime bounds connecting and each command.
const dialTime = 15 * time.Second

// parseServer reads the address of a mail server. Without encryption only this machine itself is taken.
func parseServer(text string) (server, error) {
	u, err := url.Parse(text)
	if err != nil {
		return server{}, fmt.Errorf("mail: the mail server's address can't be read; it must be smtp+starttls://USER:PASSWORD@HOST:PORT, smtps://… or smtp://127.0.0.1:PORT")
	}
	s := server{scheme: u.Scheme, host: u.Hostname(), port: ports[u.Scheme]}
	if s.port == 0 || s.host == "" || u.Path != "" && u.Path != "/" || u.RawQuery != "" {
		return server{}, fmt.Errorf("mail: the mail server %q must be smtp://, smtp+starttls:// or smtps://[USER:PASSWORD@]HOST:PORT", u.Redacted())
	}
	if u.Port() != "" {
		if s.port, err = strconv.Atoi(u.Port()); err != nil || s.port < 1 || s.port > 65535 {
			return server{}, fmt.Errorf("mail: %q is no port", u.Port())
		}
	}
	if u.User != nil {
		s.user, s.hasUser = u.User.Username(), true
		s.password, _ = u.User.Password()
	}
	if s.scheme == "smtp" && !loopback(s.host) {
		return server{}, fmt.Errorf("mail: smtp:// without encryption is taken for this machine only; use smtp+starttls:// or smtps:// for %s", s.host)
	}
	return s, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// client makes a client for one connection.
func (s server) client() (*gomail.Client, error) {
	options := []gomail.Option{gomail.WithPort(s.port), gomail.WithTimeout(dialTime), gomail.WithoutNoop()}
	auth := gomail.SMTPAuthAutoDiscover
	switch s.scheme {
	case "smtps":
		options = append(options, gomail.WithSSL())
	case "smtp+starttls":
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
		auth = gomail.SMTPAuthPlainNoEnc
	}
	if s.scheme != "smtp" {
		options = append(options, gomail.WithTLSConfig(&tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12})) // many servers know no 1.3 yet
	}
	if s.hasUser {
		options = append(options, gomail.WithSMTPAuth(auth), gomail.WithUsername(s.user), gomail.WithPassword(s.password))
	}
	return gomail.NewClient(s.host, options...)
}
