package link

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/meterhouse/meterhouse/gpu"
)

// lines collects what is logged.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) has(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.text.String(), text)
}

func TestVersionsMayDifferByOne(t *testing.T) {
	for _, c := range []struct {
		console, agent int
		works          bool
	}{{1, 1, true}, {2, 1, true}, {1, 2, true}, {7, 6, true}, {7, 8, true}, {7, 5, false}, {7, 9, false}, {2, 4, false}, {1, 0, true}} {
		var said [2]lines
		r := newRig(t, processes(t, t.TempDir()), nil, func(r *rig) {
			r.console.version, r.agent.version = c.console, c.agent
			r.console.Log = slog.New(slog.NewTextHandler(&said[0], nil))
			r.agent.Log = slog.New(slog.NewTextHandler(&said[1], nil))
		})
		if c.works {
			if _, err := r.connected().node.Executor().List(t.Context()); err != nil {
				t.Errorf("%+v: %v", c, err)
			}
		} else {
			for i, end := range []string{"console", "agent"} {
				for n := 0; !said[i].has("too far apart"); n++ {
					if n == 5000 {
						t.Fatalf("%+v: the %s says nothing of it", c, end)
					}
					pause()
				}
				if !said[i].has("agent-build") || !said[i].has("console-build") {
					t.Errorf("%+v: the %s does not say which ones: %s", c, end, said[i].text.String())
				}
			}
			if r.node.Info().Connected {
				t.Errorf("%+v: it works", c)
			}
		}
		r.stop()
	}
}

func TestARefusalIsToldInItsWords(t *testing.T) {
	r := newRig(t, processes(t, t.TempDir()), nil, func(r *rig) {
		r.console.Admit = func(_ context.Context, c Claim) (*Node, error) {
			if c.Join != "token" || c.Name != "far" {
				t.Errorf("claimed: %+v", c)
			}
			return nil, &Refusal{Why: "this token was used already", Final: true}
		}
		r.agent.Join = "token"
	})
	var refusal *Refusal
	if err := <-r.ended; !errors.As(err, &refusal) || refusal.Why != "this token was used already" {
		t.Errorf("the agent ended with %v", err)
	}
	r.ended <- nil
}

func TestAKeyMustBeProven(t *testing.T) {
	r := newRig(t, processes(t, t.TempDir()), nil, func(r *rig) {
		r.console.Admit = func(context.Context, Claim) (*Node, error) {
			t.Error("it was admitted")
			return nil, errors.New("no")
		}
		r.agent.Console.Host = "127.0.0.1:1" // the agent itself does not come
	})
	dialer := websocket.Dialer{TLSClientConfig: r.agent.Trust}
	ws, _, err := dialer.Dial("wss://"+r.server.Listener.Addr().String()+Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	l := newLine(ws)
	defer l.Close()
	out := &frameWriter{w: l}
	var theirs identity
	var v verdict
	public, private, _ := ed25519.GenerateKey(nil)
	if err := errors.Join(out.sendJSON(frameHello, identity{Protocol: Protocol}), readJSON(l, frameHello, maxHello, &theirs)); err != nil {
		t.Fatal(err)
	}
	// Signed is the challenge without what says that it is meant for this.
	p := proof{Key: public, Signature: ed25519.Sign(private, theirs.Challenge)}
	if err := errors.Join(out.sendJSON(frameHello, p), readJSON(l, frameHello, maxHello, &v)); err != nil || v.Refused == "" {
		t.Errorf("the verdict is %+v, %v", v, err)
	}
}

func TestTheLineIsPrivate(t *testing.T) {
	r := newRig(t, processes(t, t.TempDir()), nil, nil).connected()
	address := r.server.Listener.Addr().String()
	old := r.agent.Trust.Clone()
	old.MaxVersion = tls.VersionTLS12
	if _, _, err := (&websocket.Dialer{TLSClientConfig: old}).Dial("wss://"+address+Path, nil); err == nil {
		t.Error("TLS 1.2 was accepted")
	}
	from := http.Header{"Origin": {"https://elsewhere.example"}}
	if _, _, err := (&websocket.Dialer{TLSClientConfig: r.agent.Trust}).Dial("wss://"+address+Path, from); err == nil {
		t.Error("a browser was accepted")
	}
	plain := &http.Request{RemoteAddr: "192.0.2.1:1234"}
	if private(plain) {
		t.Error("another machine was accepted without TLS")
	}
	if plain.RemoteAddr = "127.0.0.1:1234"; !private(plain) {
		t.Error("this machine was refused")
	}
}

func TestARemovedNodeHasNoLine(t *testing.T) {
	r := newRig(t, processes(t, t.TempDir()), nil, nil).connected()
	r.node.Remove()
	for !r.gone() {
		pause()
	}
	if _, err := r.node.Executor().List(t.Context()); !errors.Is(err, gpu.ErrUnreachable) {
		t.Errorf("List says %v", err)
	}
}

func TestAnOlderAgentRefusesWhatItCanNotDo(t *testing.T) {
	newer := struct {
		gpu.Spec
		Tomorrow string
	}{gpu.Spec{ID: "new", Command: "true"}, ""}
	packed, err := compact(newer)
	if err != nil {
		t.Fatal(err)
	}
	var spec gpu.Spec
	if err := (request{Call: "start", Args: packed}).understand(&spec); err != nil || spec.Command != "true" {
		t.Errorf("what asks for nothing new: %+v, %v", spec, err)
	}
	newer.Tomorrow = "encrypted"
	packed, _ = compact(newer)
	if err := (request{Call: "start", Args: packed}).understand(&spec); err == nil || !strings.Contains(err.Error(), "too old") {
		t.Errorf("what asks for more than it can do: %v", err)
	}
	r := newRig(t, processes(t, t.TempDir()), nil, nil).connected()
	if _, err := r.node.call(t.Context(), "tomorrow", "", nil, nil); err == nil || !strings.Contains(err.Error(), "too old") {
		t.Errorf("a call of tomorrow: %v", err)
	}
}
