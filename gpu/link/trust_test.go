package link

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAJoinedAgentComesBackByItsKey: the token is used once; the next start needs none, and the key is the same.
func TestAJoinedAgentComesBackByItsKey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "agent")
	var claims []Claim
	meet := func(token func(pin string) string) (r *rig, met error) {
		r = newRig(t, processes(t, t.TempDir()), nil, func(r *rig) {
			r.console.Admit = func(_ context.Context, c Claim) (*Node, error) {
				claims = append(claims, c)
				return r.node, nil
			}
			i, err := OpenIdentity(dir)
			if err != nil {
				t.Fatal(err)
			}
			// The test's server has another port each time; a console keeps its address.
			i.known.Console = strings.Replace(i.known.Console, "kept", r.agent.Console.String(), 1)
			met = i.Meet(r.agent, r.agent.Console, token(Pin(r.server.Certificate())))
		})
		return r, met
	}
	r, err := meet(func(pin string) string { return JoinToken("mhj_secret", pin) })
	if err != nil {
		t.Fatal(err)
	}
	address := r.connected().agent.Console.String()
	r.stop()
	if info, err := os.Stat(filepath.Join(dir, keyFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's file: %v, %v", info, err)
	}
	text, _ := os.ReadFile(filepath.Join(dir, consoleFile))
	if err := os.WriteFile(filepath.Join(dir, consoleFile), []byte(strings.Replace(string(text), address, "kept", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err = meet(func(string) string { return "" }); err != nil {
		t.Fatal(err)
	}
	r.connected().stop()
	if len(claims) != 2 || claims[0].Join != "mhj_secret" || claims[1].Join != "" || !claims[0].Key.Equal(claims[1].Key) {
		t.Errorf("claimed were %+v", claims)
	}
	if err := os.Chmod(filepath.Join(dir, keyFile), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenIdentity(dir); err == nil || !strings.Contains(err.Error(), "others") {
		t.Errorf("a key that others may read: %v", err)
	}
}

func TestAnotherConsoleIsNotTrusted(t *testing.T) {
	r := newRig(t, processes(t, t.TempDir()), nil, func(r *rig) {
		r.console.Admit = func(context.Context, Claim) (*Node, error) {
			t.Error("the agent has spoken to it")
			return nil, errors.New("no")
		}
		i, err := OpenIdentity(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if err := i.Meet(r.agent, r.agent.Console, ""); !errors.Is(err, ErrNotJoined) {
			t.Errorf("without a token: %v", err)
		}
		if err := i.Meet(r.agent, r.agent.Console, JoinToken("mhj_secret", "another")); err != nil {
			t.Fatal(err)
		}
	})
	if _, err := r.agent.connect(t.Context()); err == nil || !strings.Contains(err.Error(), "not the console") {
		t.Errorf("a certificate of another key: %v", err)
	}
	r.agent.Trust = trusting("")
	if _, err := r.agent.connect(t.Context()); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a certificate that nobody has signed: %v", err)
	}
}

func TestAnotherMachineIsReachedByTLSAlone(t *testing.T) {
	for text, good := range map[string]bool{
		"https://gpu.example.com": true, "https://10.0.0.1:8443/": true, "http://127.0.0.1:8080": true, "http://localhost:8080": true, "http://[::1]:8080": true,
		"http://gpu.example.com": false, "http://10.0.0.1": false, "gpu.example.com": false, "ftp://localhost": false, "https://a@b": false, "https://b/path": false, "": false,
	} {
		if u, err := ParseConsole(text); (err == nil) != good {
			t.Errorf("%q: %v, %v", text, u, err)
		}
	}
}
