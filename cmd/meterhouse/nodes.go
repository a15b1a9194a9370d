package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/meterhouse/meterhouse/gpu/link"
	"github.com/meterhouse/meterhouse/store"
)

// removedInterval is how late a line may end whose node was removed by a command of its own.
const removedInterval = 5 * time.Second

// nodes are the lines of the machines that have ever joined.
type nodes struct {
	mu  sync.Mutex
	all map[string]*link.Node // by the node's id
}

// console is where agents arrive.
func (p *program) console() *link.Console {
	return &link.Console{Build: version, Now: p.clock.Now, Log: p.log, Admit: p.admit}
}

// openNodes gives the fleet the machines that joined before this console began: what runs there is theirs to tell.
func (p *program) openNodes(ctx context.Context) error {
	all, err := p.store.Nodes(ctx)
	if err != nil {
		return err
	}
	for _, n := range all {
		if !n.Local {
			p.take(n)
		}
	}
	p.closers = append(p.closers, p.nodes.close)
	return p.dropRemoved(ctx)
}

// take returns a node's line, made and given to the fleet where it is new.
func (p *program) take(n store.Node) *link.Node {
	p.nodes.mu.Lock()
	defer p.nodes.mu.Unlock()
	line := p.nodes.all[n.ID]
	if line == nil {
		if p.nodes.all == nil {
			p.nodes.all = make(map[string]*link.Node)
		}
		line = link.NewNode(n.Name, p.clock.Now)
		p.nodes.all[n.ID] = line
	}
	line.Readmit()
	p.fleet.Take(n, line)
	return line
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
	if err := p.store.NodeBuild(ctx, n.ID, claim.Build); err != nil {
		return nil, err
	}
	p.log.Info("an agent is here", "node", n.Name, "remote", claim.Remote, "build", claim.Build)
	return p.take(n), nil
}

// watchNodes ends the lines of nodes that were removed.
func (p *program) watchNodes(ctx context.Context) error {
	events, cancel := p.store.Subscribe()
	defer cancel()
	ticker := time.NewTicker(removedInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, open := <-events:
			if !open {
				events = nil
			}
			if e.Kind != "node" && e.Kind != "missed" {
				continue
			}
		case <-ticker.C:
		}
		if err := p.dropRemoved(ctx); err != nil && ctx.Err() == nil {
			p.log.Error("nodes that were removed are looked for again", "error", err)
		}
	}
}

func (p *program) dropRemoved(ctx context.Context) error {
	removed, err := p.store.RemovedNodes(ctx)
	if err != nil {
		return err
	}
	p.nodes.mu.Lock()
	defer p.nodes.mu.Unlock()
	for _, id := range removed {
		if line := p.nodes.all[id]; line != nil {
			line.Remove()
			p.fleet.Remove(id)
		}
	}
	return nil
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
