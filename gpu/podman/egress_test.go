package podman

import (
	"bytes"
	"context"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/gpu"
)

// sh runs a script in an instance.
func sh(t *testing.T, e gpu.Executor, id, script string) (out string, status int) {
	t.Helper()
	var b bytes.Buffer
	exit, err := e.Exec(t.Context(), id, gpu.ExecRequest{Argv: []string{"/bin/sh", "-c", script}, Stdout: &b, Stderr: &b})
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), exit.Code
}

// A console that listens everywhere also listens at the gateway of each instance's network.
func TestNeitherTheNodesGatewayNorAnotherInstanceIsReached(t *testing.T) {
	need(t)
	e := open(t, t.TempDir())
	for _, id := range []string{"net-one", "net-two"} {
		if _, err := e.Start(t.Context(), gpu.Spec{ID: id, Command: "while :; do nc -l -p 7777 -e echo private; done"}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if _, err := e.Stop(context.Background(), id, 0); err != nil {
				t.Error(err)
			}
			if err := e.Remove(context.Background(), id); err != nil {
				t.Error(err)
			}
		})
	}
	everywhere, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan struct{})
	go func() { // ends when the listener does
		defer close(answered)
		for {
			c, err := everywhere.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "private\n")
			_ = c.Close()
		}
	}()
	t.Cleanup(func() {
		_ = everywhere.Close()
		<-answered
	})
	gateway, _ := sh(t, e, "net-one", "ip route | sed -n 's/^default via \\([0-9.]*\\) .*/\\1/p'")
	other, _ := sh(t, e, "net-two", "ip -4 addr show dev eth0 | sed -n 's/.*inet \\([0-9.]*\\).*/\\1/p'")
	gateway, other = strings.TrimSpace(gateway), strings.TrimSpace(other)
	if net.ParseIP(gateway) == nil || net.ParseIP(other) == nil {
		t.Fatalf("gateway %q, the other %q", gateway, other)
	}
	port := strconv.Itoa(everywhere.Addr().(*net.TCPAddr).Port)
	for name, address := range map[string]string{"the node": gateway + " " + port, "the other instance": other + " 7777"} {
		if out, _ := sh(t, e, "net-one", "nc -w 2 "+address+" < /dev/null"); strings.Contains(out, "private") {
			t.Errorf("%s at %s answers: %q", name, address, out)
		}
	}
	if out, status := sh(t, e, "net-one", "ip rule del pref 100 || ip route add 169.254.169.254 dev eth0"); status == 0 {
		t.Errorf("it changes its network: %q", out)
	}
}
