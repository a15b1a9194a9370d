package link

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"time"
)

// identity is what each end says of itself first. What a newer end adds, an older one overlooks.
type identity struct {
	Protocol int    `json:"protocol"`
	Build    string `json:"build"`
	Name     string `json:"name,omitempty"`     // agent: what its machine is called
	Executor string `json:"executor,omitempty"` // agent: gpu.Executor's Name
	Source   bool   `json:"source,omitempty"`   // agent: it can read GPUs
	// Console: what the agent has to sign, and why it is refused already.
	Challenge []byte `json:"challenge,omitempty"`
	Refused   string `json:"refused,omitempty"`
}

// proof is how an agent shows who it is.
type proof struct {
	Key       []byte `json:"key"`            // ed25519
	Signature []byte `json:"signature"`      // of signed(challenge)
	Join      string `json:"join,omitempty"` // the token that makes the key known
	Now       int64  `json:"now"`            // its clock, microseconds since 1970
}

// verdict is the console's last word.
type verdict struct {
	Node    string `json:"node,omitempty"` // what the agent's machine is called here
	Refused string `json:"refused,omitempty"`
	Final   bool   `json:"final,omitempty"`
}

// Claim is who wants to be a node. That it has the key is proven.
type Claim struct {
	Key      ed25519.PublicKey
	Join     string // "" where the key should be known
	Name     string // of its machine, as it says itself
	Build    string
	Executor string
	Source   bool
	Remote   net.Addr
}

// signed is what an agent signs: a signature that is good here is good for nothing else.
func signed(challenge []byte) []byte { return append([]byte("meterhouse link, agent\n"), challenge...) }

// greet is the console's half. It returns who the agent is, and what its clock lags behind: at most by as much as a message
// takes there and back.
func (c *Console) greet(conn *line) (claim Claim, shift time.Duration, err error) {
	var theirs identity
	if err := readJSON(conn, frameHello, maxHello, &theirs); err != nil {
		return claim, 0, fmt.Errorf("the agent's hello: %w", err)
	}
	ours := identity{Protocol: c.protocol(), Build: c.Build, Challenge: make([]byte, 32)}
	_, _ = rand.Read(ours.Challenge) // it never fails
	mismatch := agree(ours.Protocol, theirs.Protocol, ours.Build, theirs.Build)
	if mismatch != nil {
		ours.Refused = mismatch.Error()
	}
	out := &frameWriter{w: conn}
	sent := c.Now()
	if err := out.sendJSON(frameHello, ours); err != nil || mismatch != nil {
		return claim, 0, errors.Join(mismatch, err)
	}
	var p proof
	if err := readJSON(conn, frameHello, maxHello, &p); err != nil {
		return claim, 0, fmt.Errorf("the agent's proof: %w", err)
	}
	if len(p.Key) != ed25519.PublicKeySize || !ed25519.Verify(p.Key, signed(ours.Challenge), p.Signature) {
		refusal := &Refusal{Why: "it does not prove that it has its key"}
		return claim, 0, errors.Join(refusal, refuse(out, refusal))
	}
	claim = Claim{Key: p.Key, Join: p.Join, Name: theirs.Name, Build: theirs.Build, Executor: theirs.Executor, Source: theirs.Source, Remote: conn.RemoteAddr()}
	return claim, sent.Sub(time.UnixMicro(p.Now)), nil
}

// refuse tells an agent why it is not taken. Only a Refusal's words are for it.
func refuse(out *frameWriter, err error) error {
	v := verdict{Refused: "the console can't take it now; it may try again"}
	var refusal *Refusal
	if errors.As(err, &refusal) {
		v.Refused, v.Final = refusal.Why, refusal.Final
	}
	return out.sendJSON(frameHello, v)
}

// introduce is the agent's half. It returns what the console calls this node.
func (a *Agent) introduce(conn *line) (node string, err error) {
	out := &frameWriter{w: conn}
	ours := identity{Protocol: a.protocol(), Build: a.Build, Name: a.Name, Executor: a.Executor.Name(), Source: a.Source != nil}
	if err := out.sendJSON(frameHello, ours); err != nil {
		return "", err
	}
	var theirs identity
	if err := readJSON(conn, frameHello, maxHello, &theirs); err != nil {
		return "", fmt.Errorf("the console's hello: %w", err)
	}
	if err := agree(ours.Protocol, theirs.Protocol, ours.Build, theirs.Build); err != nil {
		return "", err
	}
	if theirs.Refused != "" {
		return "", &Refusal{Why: theirs.Refused}
	}
	p := proof{Key: a.Key.Public().(ed25519.PublicKey), Signature: ed25519.Sign(a.Key, signed(theirs.Challenge)), Join: a.Join, Now: a.Now().UnixMicro()}
	if err := out.sendJSON(frameHello, p); err != nil {
		return "", err
	}
	var v verdict
	if err := readJSON(conn, frameHello, maxHello, &v); err != nil {
		return "", fmt.Errorf("the console's verdict: %w", err)
	}
	if v.Refused != "" {
		return "", &Refusal{Why: v.Refused, Final: v.Final}
	}
	return v.Node, nil
}
