package link

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// Node is another machine as the console sees it: the same one over every line that its agent makes. Its methods may be
// called by many goroutines.
type Node struct {
	name string
	now  func() time.Time

	mu      sync.Mutex
	session *session // nil: no line
	changed chan struct{}
	removed bool
	info    Info
	limits  []gpu.Limit

	events eventMark
}

// Info is what an agent has said of itself.
type Info struct {
	Connected       bool
	Build, Executor string
	Source          bool // it reads GPUs
	Remote          string
	Since           time.Time // of the line, or of the end of the last one
}

// NewNode is a node that has no line yet. now is the billing clock.
func NewNode(name string, now func() time.Time) *Node {
	return &Node{name: name, now: now, changed: make(chan struct{})}
}

// Info says how the node is connected.
func (n *Node) Info() Info {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.info
}

// Changed returns a channel that is closed when the line comes or goes next.
func (n *Node) Changed() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.changed
}

// Remove ends the line and takes no other before Readmit.
func (n *Node) Remove() {
	n.mu.Lock()
	n.removed = true
	s := n.session
	n.mu.Unlock()
	if s != nil {
		_ = s.mux.Close()
	}
}

// Readmit makes a removed node take lines again.
func (n *Node) Readmit() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.removed = false
}

var errReplaced = errors.New("its agent has made a new line")

// hold makes s the node's line until it is down. A newer line takes an older one's place: the older may be dead without
// anybody knowing yet.
func (n *Node) hold(ctx context.Context, s *session) error {
	defer s.crew.wait()
	defer func() { _ = s.mux.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = s.mux.Close() })
	defer stop()
	n.mu.Lock()
	if n.removed {
		n.mu.Unlock()
		return fmt.Errorf("node %s was removed", n.name)
	}
	old := n.session
	n.session = s
	n.info = Info{Connected: true, Build: s.claim.Build, Executor: s.claim.Executor, Source: s.claim.Source, Since: n.now()}
	if s.claim.Remote != nil {
		n.info.Remote = s.claim.Remote.String()
	}
	n.turn()
	n.mu.Unlock()
	if old != nil {
		_ = old.mux.Close()
	}
	<-s.mux.CloseChan()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.session != s {
		return errReplaced
	}
	n.session = nil
	n.info.Connected, n.info.Since = false, n.now()
	n.turn()
	return nil
}

// turn wakes who waits for a change; n is locked.
func (n *Node) turn() {
	close(n.changed)
	n.changed = make(chan struct{})
}

func (n *Node) line() (*session, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.session == nil {
		return nil, fmt.Errorf("node %s: %w", n.name, gpu.ErrUnreachable)
	}
	return n.session, nil
}
