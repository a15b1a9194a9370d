package web_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/web"
	"github.com/meterhouse/meterhouse/web/mail"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// TestMain fails where a test left a goroutine behind.
func TestMain(m *testing.M) {
	before := runtime.NumGoroutine()
	status := m.Run()
	http.DefaultClient.CloseIdleConnections()
	for begun := time.Now(); runtime.NumGoroutine() > before+idleClients && status == 0; time.Sleep(50 * time.Millisecond) {
		if time.Since(begun) > 10*time.Second {
			b := make([]byte, 1<<20)
			fmt.Fprintf(os.Stderr, "goroutines were left behind:\n%s\n", b[:runtime.Stack(b, true)])
			status = 1
		}
	}
	os.Exit(status)
}

// idleClients are what net/http keeps for connections of test clients that are still closing.
const idleClients = 4

// certificate makes a self-signed one for 127.0.0.1.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

func TestTLSIsOfVersionOneThreeAlone(t *testing.T) {
	t.Parallel()
	cert, key := certificate(t)
	site := webtest.Start(t, func(c *web.Config) { c.TLSCert, c.TLSKey = cert, key })
	if !strings.HasPrefix(site.URL, "https://") {
		t.Fatal(site.URL)
	}
	get := func(version uint16) (*http.Response, error) {
		transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, MaxVersion: version}} // a certificate of the test's own
		defer transport.CloseIdleConnections()
		return (&http.Client{Transport: transport, Timeout: 10 * time.Second}).Get(site.URL + "/login")
	}
	if a, err := get(tls.VersionTLS12); err == nil {
		t.Errorf("1.2 was taken: %v", a.Status)
	}
	a, err := get(tls.VersionTLS13)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK || a.Header.Get("Strict-Transport-Security") == "" || !strings.HasPrefix(a.Header.Get("Set-Cookie"), "__Host-") {
		t.Errorf("%d %v", a.StatusCode, a.Header)
	}
}

func TestAWrongConfigurationIsRefusedInWords(t *testing.T) {
	t.Parallel()
	site := webtest.StartEmpty(t)
	good := web.Config{Store: site.Store, Fleet: site.Fleet, Now: site.Clock.Now, Listen: "127.0.0.1:0"}
	for name, change := range map[string]func(*web.Config){
		"no store": func(c *web.Config) { c.Store = nil }, "no fleet": func(c *web.Config) { c.Fleet = nil }, "no clock": func(c *web.Config) { c.Now = nil },
		"half of TLS": func(c *web.Config) { c.TLSCert = "x" }, "base URL with a path": func(c *web.Config) { c.BaseURL = "https://a/b" }, "base URL of another kind": func(c *web.Config) { c.BaseURL = "ftp://a" },
		"mail": func(c *web.Config) { c.Mail = mail.Config{URL: "http://a"} },
	} {
		c := good
		if change(&c); true {
			if _, err := web.New(c); err == nil {
				t.Errorf("%s: taken", name)
			}
		}
	}
	taken := good
	taken.Listen = site.Server.Addr().String()
	s, err := web.New(taken)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(context.Background()); err == nil || !strings.Contains(err.Error(), taken.Listen) || !strings.Contains(err.Error(), "--listen") {
		t.Errorf("a port in use: %v", err)
	}
}

func TestACallerWhoAsksTooMuchIsSlowedDownAndNoOther(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t, func(c *web.Config) { c.RequestsPerSecond = 2 })
	member, viewer := site.Program(t, site.Member), site.Program(t, site.Viewer)
	var a webtest.Answer
	for range 11 {
		a = member.Call("GET", "/me", nil, nil)
	}
	if a.Status != http.StatusTooManyRequests || a.Header.Get("Retry-After") != "1" {
		t.Errorf("%d %v", a.Status, a.Header)
	}
	if a := viewer.Call("GET", "/me", nil, nil); a.Status != http.StatusOK {
		t.Errorf("another person: %d", a.Status)
	}
	site.Clock.Advance(time.Second)
	if a := member.Call("GET", "/me", nil, nil); a.Status != http.StatusOK {
		t.Errorf("a second later: %d", a.Status)
	}
}

func TestUnreachableStorageIsSaidAndNothingBreaks(t *testing.T) {
	t.Parallel()
	site := webtest.Start(t)
	browser, program := site.Browser(t, site.Member), site.Program(t, site.Member)
	if err := site.Store.Close(); err != nil {
		t.Fatal(err)
	}
	if a := program.Call("GET", "/instances", nil, nil); a.Status != http.StatusServiceUnavailable || a.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if a := browser.Get("/"); a.Status != http.StatusServiceUnavailable || !strings.Contains(a.Body, "</html>") {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if a := browser.Get("/readyz"); a.Status != http.StatusServiceUnavailable {
		t.Errorf("%d", a.Status)
	}
	if a := browser.Get("/healthz"); a.Status != http.StatusOK {
		t.Errorf("%d", a.Status)
	}
}
