package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"

	"github.com/meterhouse/meterhouse/gpu/podman"
)

const (
	defaultListen = "127.0.0.1:8080"
	defaultData   = "./data"
)

// options is what serve is told.
type options struct {
	listen, data    string
	demo            bool
	sim             string
	publicURL       string
	appsURL         string
	smtp, mailFrom  string
	engine          string
	tlsCert, tlsKey string
	sshListen       string
	logLevel        string
}

// serve runs the console until it is told to end.
func serve(ctx context.Context, c *call) error {
	var o options
	f := c.flags()
	f.StringVar(&o.listen, "listen", defaultListen, "host:port to listen on; port 0 chooses a free one")
	f.StringVar(&o.data, "data", defaultData, "data directory")
	f.BoolVar(&o.demo, "demo", false, "simulated GPUs where there are none, and a sign-in link at each start")
	f.StringVar(&o.sim, "sim", "", "simulated GPUs as this file says, instead of real ones")
	f.StringVar(&o.publicURL, "public-url", "", "address under which people reach the console, for links in mail")
	f.StringVar(&o.appsURL, "apps-url", "", "addresses under which each instance's web port has an origin of its own, as https://*.apps.example; without them it is opened below --public-url, in a sandbox of the browser")
	f.StringVar(&o.engine, "engine", podman.DefaultSocket, "socket of podman's service, which starts instances from images; none: no images")
	f.StringVar(&o.smtp, "smtp", "", "mail server: smtp://, smtp+starttls:// or smtps://[USER:PASSWORD@]HOST:PORT")
	f.StringVar(&o.mailFrom, "mail-from", "", "sender of mail")
	f.StringVar(&o.tlsCert, "tls-cert", "", "certificate, PEM file")
	f.StringVar(&o.tlsKey, "tls-key", "", "its key, PEM file")
	f.StringVar(&o.sshListen, "ssh-listen", "", "host:port to listen on for SSH, as :2222; port 0 chooses a free one; without it there is no SSH")
	f.StringVar(&o.logLevel, "log-level", "info", "debug, info, warn or error")
	if _, err := f.parseArgs(0); err != nil {
		return err
	}
	level, err := o.check()
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(c.err, &slog.HandlerOptions{Level: level}))
	p, err := build(ctx, o, log)
	if err != nil {
		return err
	}
	return errors.Join(p.run(ctx, c.out), p.close())
}

// check finds what can't be meant.
func (o options) check() (level slog.Level, err error) {
	if err := level.UnmarshalText([]byte(strings.ToUpper(o.logLevel))); err != nil {
		return level, misuse("--log-level %q is none of debug, info, warn, error", o.logLevel)
	}
	switch {
	case o.data == "":
		return level, misuse("--data is empty")
	case (o.tlsCert == "") != (o.tlsKey == ""):
		return level, misuse("--tls-cert and --tls-key go together")
	case o.smtp != "" && o.mailFrom == "":
		return level, misuse("--smtp needs --mail-from")
	}
	if err := checkAddress(o.listen); err != nil {
		return level, misuse("--listen %q: %v", o.listen, err)
	}
	if err := checkAddress(o.sshListen); o.sshListen != "" && err != nil {
		return level, misuse("--ssh-listen %q: %v", o.sshListen, err)
	}
	if o.publicURL != "" && !isURL(o.publicURL, "http", "https") {
		return level, misuse("--public-url %q is no address such as https://gpu.example.com", o.publicURL)
	}
	if o.appsURL != "" && (o.publicURL == "" || !strings.Contains(o.appsURL, "://*.") || !isURL(o.appsURL, "http", "https")) {
		return level, misuse("--apps-url is http(s)://*.HOST[:PORT], and needs --public-url")
	}
	if o.smtp != "" && !isURL(o.smtp, "smtp", "smtp+starttls", "smtps") {
		return level, misuse("--smtp is smtp://, smtp+starttls:// or smtps://[USER:PASSWORD@]HOST:PORT")
	}
	return level, nil
}

// isURL reports whether a text is an address with one of these schemes and a host.
func isURL(text string, schemes ...string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && slices.Contains(schemes, u.Scheme)
}

// hint is printed where no GPU was found.
func hint(why error) string {
	return fmt.Sprintf("No GPUs: %v. CPU-only instances can be rented; --demo adds simulated GPUs.", why)
}
