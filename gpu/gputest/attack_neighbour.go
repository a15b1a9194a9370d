package gputest

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/gpu"
	"golang.org/x/sys/unix"
)

func attackProcesses(_ *testing.T, r *rig) {
	r.need("namespaces")
	r.attack("processes", r.neighbours()...)
}

func attackNamespaces(_ *testing.T, r *rig) {
	r.need("namespaces")
	r.attack("namespaces", r.neighbours()...)
}

// listen is a socket as a console or another program of the node has it.
func listen(t *testing.T, name string) {
	t.Helper()
	l, err := net.Listen("unix", name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
}

func attackSockets(t *testing.T, r *rig) {
	r.need("namespaces")
	r.need("user")
	dir, err := os.MkdirTemp("/run", "meterhouse-test") // which an instance may see
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "engine.sock")
	listen(t, path)
	// As an engine and a shim make theirs: for one user, in a directory that others may enter.
	if err := errors.Join(os.Chmod(path, 0o600), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	r.attack("sockets", path)
}

func attackAbstractSockets(t *testing.T, r *rig) {
	r.need("sockets")
	name := fmt.Sprintf("@meterhouse-test-%s", r.id)
	listen(t, name)
	r.attack("sockets", name)
}

// attackKeys starts an instance from a thread with a key in its session keyring, as a console that somebody started by hand
// has: whoever inherits the keyring possesses the key, whichever user it is.
func attackKeys(t *testing.T, r *rig) {
	r.need("user")
	runtime.LockOSThread() // and never unlocked: the thread ends with the test
	if _, err := unix.KeyctlInt(unix.KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0, 0); err != nil {
		t.Skipf("no kernel keyring here: %v", err)
	}
	id, err := unix.AddKey("user", "meterhouse-attack", []byte(secret), unix.KEY_SPEC_SESSION_KEYRING)
	if err != nil {
		t.Fatal(err)
	}
	r.attack("keyrings", strconv.Itoa(id))
}

// attackFiles looks for the console's database and another instance's files, at the places where they lie on the node.
func attackFiles(t *testing.T, r *rig) {
	r.need("namespaces")
	r.need("user")
	neighbour := r.beside(gpu.Spec{Command: "echo " + secret + " > ~/note; chmod -R a+rX ~; echo ready; sleep 1000; :"})
	var words []string
	for _, d := range r.suite.data {
		database := filepath.Join(d, "meterhouse.db")
		if err := os.WriteFile(database, []byte(secret), 0o600); err != nil {
			t.Fatal(err)
		}
		words = append(words, database, filepath.Join(d, "instances", neighbour, "home", "note"), filepath.Join(d, "instances", neighbour, "log"))
	}
	r.attack("files", words...)
}

// attackLinks leaves links at places where the executor itself reads and writes.
func attackLinks(t *testing.T, r *rig) {
	r.need("namespaces")
	r.need("user")
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	r.start(gpu.Spec{DiskBytes: 8 << 20, Command: strings.ReplaceAll(`ln -s OUTSIDE ~/log; ln -s OUTSIDE ~/state.json; ln -s / ~/all; ln -s OUTSIDE /tmp/log
		ln OUTSIDE ~/hard && echo linked; rm -f /run/meterhouse/notice.json; ln -s OUTSIDE /run/meterhouse/notice.json && echo linked
		cat ~/log /tmp/log; cat ~/all/OUTSIDE; echo owned > ~/log; echo ready; trap : USR1; while :; do sleep 0.05; done`, "OUTSIDE", outside)})
	r.await("ready")
	var out bytes.Buffer
	if _, err := r.Exec(r.ctx, r.id, gpu.ExecRequest{Argv: []string{"sh", "-c", "cat ~/log ~/state.json ~/hard"}, Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	if err := r.Notice(r.ctx, r.id, []byte(`{"notice":1}`)); err != nil {
		t.Errorf("Notice: %v", err)
	}
	text, _ := r.log(0)
	if strings.Contains(text+out.String(), secret) || strings.Contains(text, "linked\n") {
		t.Errorf("log %q, exec %q", text, &out)
	}
	// What is linked is not counted as the instance's own: the whole machine would be more than its limit.
	if s, err := r.State(r.ctx, r.id); err != nil || s.Phase != gpu.PhaseRunning {
		t.Errorf("%+v, %v", s, err)
	}
	if b, err := os.ReadFile(outside); err != nil || string(b) != secret {
		t.Errorf("outside of the instance it wrote %q, %v", b, err)
	}
}

// attackMetadata asks for what a cloud tells a node about itself, credentials included, and for all that is link-local.
func attackMetadata(_ *testing.T, r *rig) {
	r.need("egress")
	r.attack("connect", "169.254.169.254:80", "169.254.170.2:80", "[fd00:ec2::254]:80")
}

// egressAllowed connects to the node as any machine of its network can: what is refused is not all.
func egressAllowed(t *testing.T, r *rig) {
	route, err := net.Dial("udp", "192.0.2.1:9") // TEST-NET-1: nothing is sent
	if err != nil {
		t.Skipf("this machine is in no network: %v", err)
	}
	here := route.LocalAddr().(*net.UDPAddr).IP
	l, err := net.Listen("tcp", net.JoinHostPort(here.String(), "0"))
	if err = errors.Join(err, route.Close()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	s := r.run(gpu.Spec{Argv: []string{r.suite.attacker, "connect", l.Addr().String()}})
	if text, _ := r.log(0); s.Exit.Code != 0 || !strings.Contains(text, "tcp "+l.Addr().String()+": done\n") {
		t.Errorf("exit %+v, log %q", s.Exit, text)
	}
}
