package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// rack is a console and nodes, each on a machine of its own, joined by cables.
type rack struct {
	t       *testing.T
	dir     string
	bridge  string
	subnet  string // its first three numbers
	console *console
	nodes   map[string]*node
}

// node is a machine with an agent.
type node struct {
	*machine
	args []string

	agent *exec.Cmd
	ended chan struct{}
	said  *output
}

// newRack makes the network and starts a console; consoleArgs are for its serve.
func newRack(t *testing.T, consoleArgs ...string) *rack {
	t.Helper()
	if testing.Short() {
		t.Skip("starts real consoles")
	}
	for _, program := range []string{"ip", "nsenter", "hostname", "kill"} {
		if _, err := exec.LookPath(program); err != nil || os.Geteuid() != 0 {
			t.Skipf("needs root and %s", program)
		}
	}
	r := &rack{t: t, dir: t.TempDir(), bridge: hexName("mh"), nodes: map[string]*node{}}
	if err := os.Chmod(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	does(t, "ip", "link", "add", r.bridge, "type", "bridge")
	r.subnet = freeSubnet(t)
	does(t, "ip", "addr", "add", r.subnet+".1/24", "dev", r.bridge)
	does(t, "ip", "link", "set", r.bridge, "up")

	c := &console{t: t, bin: programFile(t), data: filepath.Join(r.dir, "console"), output: &output{}}
	c.on = r.machine("console", 2, c.data)
	c.on.powerOn()
	c.listen = c.on.address + ":8443"
	c.cert = newCertificate(t, r.dir, c.on.address)
	c.args = append([]string{"--tls-cert", c.cert.file, "--tls-key", c.cert.key}, consoleArgs...)
	r.console = c
	c.start()
	c.addAdmin()
	return r
}

func (r *rack) machine(name string, number int, data string) *machine {
	return &machine{t: r.t, name: name, address: fmt.Sprintf("%s.%d", r.subnet, number), cable: hexName("mh"), rack: r.bridge, data: data}
}

// freeSubnet is a private network of which this machine knows nothing.
func freeSubnet(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("ip", "-4", "route").Output()
	if err != nil {
		t.Fatal(err)
	}
	for n := os.Getpid(); ; n++ {
		if s := fmt.Sprintf("10.213.%d", n%256); !strings.Contains(string(out), s+".") {
			return s
		}
	}
}

// join adds a node of its own GPU model, and returns when the console has taken it in.
func (r *rack) join(name, model string, gpus int) *node {
	r.t.Helper()
	file := filepath.Join(r.dir, name+".json")
	var devices []string
	for i := range gpus {
		devices = append(devices, fmt.Sprintf(`{"id": "%s-%d", "model": "%s"}`, name, i, model))
	}
	if err := os.WriteFile(file, fmt.Appendf(nil, `{"version": 1, "devices": [%s]}`, strings.Join(devices, ", ")), 0o644); err != nil {
		r.t.Fatal(err)
	}
	n := &node{said: &output{}, machine: r.machine(name, 10+len(r.nodes), filepath.Join(r.dir, name))}
	n.boots = true
	r.nodes[name] = n
	n.args = []string{"agent", "--console", r.console.base(), "--data", n.data, "--name", name, "--engine", "none", "--sim", file}
	n.powerOn()
	token := strings.TrimSpace(r.console.cli("", "admin", "node", "join", "--data", r.console.data, "--tls-cert", r.console.cert.file))
	n.start("--join", token)
	says(r.t, n.said, "line to the console")
	return n
}

// start starts the node's agent.
func (n *node) start(more ...string) {
	n.t.Helper()
	cmd := exec.Command(programFile(n.t), append(n.args, more...)...)
	cmd.Stdout, cmd.Stderr = n.said, n.said
	cmd.WaitDelay = 100 * time.Millisecond
	if err := n.launch(cmd); err != nil {
		n.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // killed by us, or seen by who waits for it
		close(ended)
	}()
	n.agent, n.ended = cmd, ended
}

// kill9 ends the node's agent as a crash would.
func (n *node) kill9() {
	_ = n.agent.Process.Kill()
	<-n.ended
}

// powerOff is the machine's, and waits for the agent.
func (n *node) powerOff() {
	n.t.Helper()
	n.machine.powerOff()
	<-n.ended
}

// close leaves nothing of the rack.
func (r *rack) close() {
	for _, n := range r.nodes {
		if n.init != nil {
			n.powerOff()
		}
		if r.t.Failed() {
			r.t.Logf("%s said:\n%s", n.name, lastPart(n.said))
		}
	}
	if c := r.console; c != nil {
		c.on.powerOff()
		if _, ended := c.process(); ended != nil {
			<-ended
		}
		if r.t.Failed() {
			r.t.Logf("the console said:\n%s", lastPart(c.output))
		}
	}
	_ = exec.Command("ip", "link", "del", r.bridge).Run()
}

func lastPart(o *output) string {
	text := o.String()
	return text[max(0, len(text)-6000):]
}

// certificate is one that nobody has signed, with its key. The zero value is none.
type certificate struct {
	file, key string
	roots     *x509.CertPool
}

func newCertificate(t *testing.T, dir, address string) (c certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "the rack's console"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour), IPAddresses: []net.IP{net.ParseIP(address)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	c = certificate{file: filepath.Join(dir, "cert.pem"), key: filepath.Join(dir, "key.pem"), roots: x509.NewCertPool()}
	c.roots.AppendCertsFromPEM(text)
	if err := errors.Join(os.WriteFile(c.file, text, 0o644), os.WriteFile(c.key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600)); err != nil {
		t.Fatal(err)
	}
	return c
}

// client trusts the certificate, and keeps no connection: who asks after a kill or a cut is not told of an older one.
func (c certificate) client(patience time.Duration) *http.Client {
	return &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: c.roots}}}
}
