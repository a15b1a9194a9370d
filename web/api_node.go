package web

import (
	"time"

	"github.com/meterhouse/meterhouse/store"
)

// Nodes is every node of the site.
type Nodes struct {
	Nodes []Node `json:"nodes"`
}

// Node is a machine with GPUs.
type Node struct {
	ID        string              `json:"id"`
	Name      string              `json:"name"`
	Local     bool                `json:"local"`
	State     string              `json:"state"`   // up or lost: whether it is heard of
	Service   string              `json:"service"` // open, cordoned, draining, drained or maintenance
	Reason    string              `json:"reason"`
	By        string              `json:"by"`    // who said so; "": nobody, or at the console's own machine
	Since     *time.Time          `json:"since"` // when
	DrainBy   *time.Time          `json:"drain_by"`
	SeenAt    time.Time           `json:"seen_at"`
	Executor  string              `json:"executor"`
	Build     string              `json:"build"` // the version of its agent; "": not known
	Limits    []Limit             `json:"limits"`
	GPUs      NodeGPUs            `json:"gpus"`
	Instances int                 `json:"instances"`
	Windows   []MaintenanceWindow `json:"windows"` // that are not over
}

// NodeGPUs counts a node's GPUs.
type NodeGPUs struct {
	Total   int `json:"total"`
	InUse   int `json:"in_use"`
	Blocked int `json:"blocked"` // can't be rented now, those in use among them
}

// MaintenanceWindows is a list of them.
type MaintenanceWindows struct {
	Maintenance []MaintenanceWindow `json:"maintenance"`
}

// MaintenanceWindow is a time [start, end) in which nothing is on a node.
type MaintenanceWindow struct {
	ID     string    `json:"id"`
	NodeID string    `json:"node_id"`
	Start  time.Time `json:"start"`
	End    time.Time `json:"end"`
	Reason string    `json:"reason"`
	By     string    `json:"by"`
}

// NodeReasonBody says why.
type NodeReasonBody struct {
	Reason string `json:"reason"`
}

// DrainBody says why, and until when.
type DrainBody struct {
	Reason string `json:"reason"`
	By     string `json:"by"` // RFC 3339; "": what runs ends by itself
}

// MaintenanceBody is a window to be booked.
type MaintenanceBody struct {
	Start          string `json:"start"` // RFC 3339, or a date: its midnight in the site's zone
	End            string `json:"end"`   // likewise; not included
	Reason         string `json:"reason"`
	Force          bool   `json:"force"`
	IdempotencyKey string `json:"idempotency_key"`
}

func windowOut(m store.Maintenance) MaintenanceWindow {
	return MaintenanceWindow{ID: m.ID, NodeID: m.NodeID, Start: m.Start, End: m.End, Reason: m.Reason, By: m.ByName}
}

// nodesOut adds what is known of their GPUs.
func (s *Server) nodesOut(c *call, list []store.Node) ([]Node, error) {
	gpus, err := s.store.GPUs(c.Request().Context())
	if err != nil {
		return nil, err
	}
	blocks, err := s.store.GPUBlocks(c.Request().Context())
	if err != nil {
		return nil, err
	}
	out := make([]Node, 0, len(list))
	for _, n := range list {
		node := Node{ID: n.ID, Name: n.Name, Local: n.Local, State: n.State, Service: n.Service, Reason: n.Reason, By: n.ByName, Since: n.Since, DrainBy: n.DrainBy,
			SeenAt: n.SeenAt, Executor: n.Executor, Build: n.Build, Limits: []Limit{}, Instances: n.Instances, Windows: []MaintenanceWindow{}}
		if n.Local {
			node.Build = s.config.Version
		}
		for _, l := range n.Limits {
			node.Limits = append(node.Limits, Limit(l))
		}
		for _, m := range n.Windows {
			node.Windows = append(node.Windows, windowOut(m))
		}
		for _, g := range gpus {
			if g.NodeID != n.ID {
				continue
			}
			node.GPUs.Total++
			if g.InstanceID != "" {
				node.GPUs.InUse++
			}
			if blocks[g.UUID] != "" {
				node.GPUs.Blocked++
			}
		}
		out = append(out, node)
	}
	return out, nil
}

// node loads a node.
func (s *Server) node(c *call) (store.Node, error) {
	list, err := s.store.Nodes(c.Request().Context())
	if err != nil {
		return store.Node{}, err
	}
	for _, n := range list {
		if n.ID == c.Param("id") {
			return n, nil
		}
	}
	return store.Node{}, &store.Error{Kind: store.NotFound, Message: "node_not_found", Args: map[string]string{"id": c.Param("id")}}
}

// answerNode ends a call with a node.
func (s *Server) answerNode(c *call, n store.Node, err error) error {
	if err != nil {
		return err
	}
	out, err := s.nodesOut(c, []store.Node{n})
	if err != nil {
		return err
	}
	return ok(c, out[0])
}

func (s *Server) listNodes(c *call) error {
	list, err := s.store.Nodes(c.Request().Context())
	if err != nil {
		return err
	}
	out, err := s.nodesOut(c, list)
	if err != nil {
		return err
	}
	return ok(c, Nodes{Nodes: out})
}

func (s *Server) getNode(c *call) error {
	n, err := s.node(c)
	return s.answerNode(c, n, err)
}

func (s *Server) cordonNode(c *call) error {
	n, err := s.node(c)
	if err != nil {
		return err
	}
	var body NodeReasonBody
	if err := decode(c, &body); err != nil {
		return err
	}
	n, err = s.store.Cordon(c.Request().Context(), n.ID, c.who.ID, body.Reason)
	return s.answerNode(c, n, err)
}

func (s *Server) drainNode(c *call) error {
	n, err := s.node(c)
	if err != nil {
		return err
	}
	var body DrainBody
	if err := decode(c, &body); err != nil {
		return err
	}
	var by *time.Time
	if body.By != "" {
		at, err := time.Parse(time.RFC3339, body.By)
		if err != nil {
			return invalid("by", "until_wrong")
		}
		by = &at
	}
	n, err = s.store.Drain(c.Request().Context(), n.ID, c.who.ID, body.Reason, by)
	return s.answerNode(c, n, err)
}

func (s *Server) uncordonNode(c *call) error {
	n, err := s.node(c)
	if err == nil {
		err = noBody(c)
	}
	if err != nil {
		return err
	}
	n, err = s.store.Uncordon(c.Request().Context(), n.ID, c.who.ID)
	return s.answerNode(c, n, err)
}

func (s *Server) removeNode(c *call) error {
	n, err := s.node(c)
	if err != nil {
		return err
	}
	if err := s.store.RemoveNode(c.Request().Context(), n.ID, c.who.ID); err != nil {
		return err
	}
	return gone(c)
}

func (s *Server) listMaintenance(c *call) error {
	n, err := s.node(c)
	if err != nil {
		return err
	}
	out := MaintenanceWindows{Maintenance: make([]MaintenanceWindow, 0, len(n.Windows))}
	for _, m := range n.Windows {
		out.Maintenance = append(out.Maintenance, windowOut(m))
	}
	return ok(c, out)
}

func (s *Server) createMaintenance(c *call) error {
	n, err := s.node(c)
	if err != nil {
		return err
	}
	var body MaintenanceBody
	if err := decode(c, &body); err != nil {
		return err
	}
	request, err := c.bodyRequest(&body.IdempotencyKey, &body)
	if err != nil {
		return err
	}
	start, end, err := s.term(c, body.Start, body.End)
	if err != nil {
		return err
	}
	m, err := s.store.BookMaintenance(c.Request().Context(), store.NewMaintenance{NodeID: n.ID, PersonID: c.who.ID, Start: start, End: end, Reason: body.Reason, Force: body.Force, Request: request})
	if err != nil {
		return err
	}
	return created(c, apiRoot+"/nodes/"+n.ID+"/maintenance", windowOut(m))
}

func (s *Server) deleteMaintenance(c *call) error {
	n, err := s.node(c)
	if err != nil {
		return err
	}
	id := c.QueryParam("window")
	if !plainID(id) {
		return notFound("maintenance")
	}
	if err := s.store.CancelMaintenance(c.Request().Context(), n.ID, id, c.who.ID); err != nil {
		return err
	}
	return gone(c)
}
