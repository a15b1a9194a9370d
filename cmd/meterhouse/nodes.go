package main

import (
	"context"
	"errors"
	"sync"

	"github.com/meterhouse/meterhouse/gpu/link"
	"github.com/meterhouse/meterhouse/store"
)

// nodes are the machines whose agents have been here since this console started.
type nodes struct {
	mu  sync.Mutex
	all map[string]*link.Node // by the node's id
}

// console is where agents arrive.
func (p *program) console() *link.Console {
	return &link.Console{Build: version, Now: p.clock.Now, Log: p.log, Admit: p.admit}
}

// admit says which node an agent is. What the store refuses is told in words; anything else may pass, and it tries again.
func (p *program) admit(ctx context.Context, claim link.Claim) (*link.Node, error) {
	n, err := p.store.AdmitNode(ctx, claim.Key, claim.Join, claim.Name)
	var refused *store.Error
	if errors.As(err, &refused) && (refused.Kind == store.Unauthorized || refused.Kind == store.Conflict || refused.Kind == store.Invalid) {
		return nil, &link.Refusal{Why: inWords(err), Final: true}
	}
	if err != nil {
		return nil, err
	}
	p.nodes.mu.Lock()
	defer p.nodes.mu.Unlock()
	if p.nodes.all == nil {
		p.nodes.all = make(map[string]*link.Node)
	}
	if p.nodes.all[n.ID] == nil {
		p.nodes.all[n.ID] = link.NewNode(n.Name, p.clock.Now)
	}
	p.log.Info("an agent is here", "node", n.Name, "remote", claim.Remote, "build", claim.Build)
	return p.nodes.all[n.ID], nil
}

// close ends every line; the agents' work goes on.
func (n *nodes) close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, node := range n.all {
		node.Remove()
	}
	return nil
}
