package web

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
	"github.com/meterhouse/meterhouse/web/lang"
)

func (s *Server) nodesPage(c *call) error {
	v, err := s.nodesView(c)
	if err != nil {
		return err
	}
	if token := s.secrets.take(joinOf(c)); token != "" {
		v.Command = s.joinCommand(token)
	}
	return s.show(c, views.Nodes(v))
}

// joinOf names a session's new join token among what is shown once.
func joinOf(c *call) string { return "join " + c.session.ID }

func (s *Server) nodesView(c *call) (views.NodesPage, error) {
	v := views.NodesPage{Page: s.page(c), CanJoin: s.joinable(), Form: views.Form{Values: url.Values{"minutes": {strconv.Itoa(int(joinTTL / time.Minute))}}}}
	v.Path = "/admin/nodes"
	list, err := s.store.Nodes(c.Request().Context())
	if err != nil {
		return v, err
	}
	gpus, err := s.store.GPUs(c.Request().Context())
	for k := range list {
		v.Rows = append(v.Rows, s.nodeRow(&list[k], gpus))
	}
	return v, err
}

func (s *Server) nodeRow(n *store.Node, gpus []store.GPU) views.NodeRow {
	r := views.NodeRow{ID: n.ID, Name: n.Name, State: n.State, Service: n.Service, Reason: n.Reason, By: n.ByName, Since: timeOrZero(n.Since), DrainBy: timeOrZero(n.DrainBy),
		SeenAt: n.SeenAt, Executor: n.Executor, Build: n.Build, Local: n.Local, Joined: n.Joined, Instances: n.Instances}
	if n.Local {
		r.Build = s.config.Version
	}
	for _, g := range gpus {
		if g.NodeID != n.ID {
			continue
		}
		r.GPUs++
		if g.InstanceID != "" {
			r.InUse++
		}
	}
	for _, m := range n.Windows {
		r.Windows = append(r.Windows, views.NodeWindow{ID: m.ID, From: m.Start, To: m.End, Reason: m.Reason, By: m.ByName})
	}
	return r
}

// nodeJoinForm makes a token. It is shown once, on the page that follows.
func (s *Server) nodeJoinForm(c *call) error {
	minutes, err := strconv.Atoi(c.text("minutes"))
	if err != nil || minutes < 1 {
		err = invalid("minutes", "out_of_range")
	}
	var join Join
	if err == nil {
		join, err = s.newJoin(c, JoinBody{Name: c.text("name"), Minutes: minutes})
	}
	if err != nil && typed(err) {
		v, again := s.nodesView(c)
		if again != nil {
			return again
		}
		v.Form = c.typedForm(err)
		return s.showAgain(c, err, views.Nodes(v))
	}
	if err != nil {
		return err
	}
	s.secrets.put(joinOf(c), join.Token)
	return seeOther(c, "/admin/nodes")
}

func (s *Server) nodePage(c *call) error {
	v, err := s.nodeView(c)
	if err != nil {
		return err
	}
	v.AskRemove = v.CanAdmin && v.Joined && c.QueryParam("ask") == "remove"
	return s.show(c, views.Node(v))
}

func (s *Server) nodeView(c *call) (v views.NodePage, err error) {
	ctx := c.Request().Context()
	n, err := s.node(c)
	if err != nil {
		return v, err
	}
	gpus, err := s.store.GPUs(ctx)
	if err != nil {
		return v, err
	}
	blocks, err := s.store.GPUBlocks(ctx)
	if err != nil {
		return v, err
	}
	v = views.NodePage{Page: s.page(c), NodeRow: s.nodeRow(&n, gpus), CanAdmin: c.can(store.Admin)}
	v.Path = "/nodes/" + n.ID
	for _, l := range n.Limits {
		v.Limits = append(v.Limits, views.NodeLimit{Name: l.Name, Detail: l.Detail, Enforced: l.Enforced})
	}
	for k := range gpus {
		if g := &gpus[k]; g.NodeID == n.ID {
			v.Devices = append(v.Devices, views.NodeGPU{Name: gpuName(g), Model: g.Model, State: gpuState(g, blocks[g.UUID]), Blocked: blocks[g.UUID], Island: g.Island, NUMA: g.NUMA, Simulated: g.Simulated})
		}
	}
	running, err := s.store.InstancesOnNode(ctx, n.ID)
	if err != nil {
		return v, err
	}
	for _, in := range running {
		if c.sees(in.TeamID) {
			v.Running = append(v.Running, instanceRow(in))
		}
	}
	if v.CanAdmin {
		err = s.nodeHappened(c, n.ID, &v)
	}
	return v, err
}

// happenedShown is how many of the last things that were done to a node its page shows.
const happenedShown = 20

func (s *Server) nodeHappened(c *call, id string, v *views.NodePage) error {
	log, err := s.store.AuditOf(c.Request().Context(), id, happenedShown)
	for _, r := range log {
		v.Happened = append(v.Happened, views.NodeRecord{At: r.At, Action: r.Action, By: r.PersonName, Detail: r.Detail})
	}
	return err
}

// nodeAgain ends a form of a node's page: with the page again where something was typed wrong.
func (s *Server) nodeAgain(c *call, err error, done flash, form func(*views.NodePage, views.Form)) error {
	if err == nil {
		s.fleet.Kick()
		return s.done(c, "/nodes/"+c.Param("id"), done)
	}
	if err = sentBefore(err); !typed(err) {
		return err
	}
	v, again := s.nodeView(c)
	if again != nil {
		return again
	}
	form(&v, c.typedForm(err))
	return s.showAgain(c, err, views.Node(v))
}

// nodeServiceForm is POST /nodes/{id}/service.
func (s *Server) nodeServiceForm(c *call) error {
	n, err := s.node(c)
	if err != nil {
		return err
	}
	ctx, reason := c.Request().Context(), c.text("reason")
	var twice []views.Option
	switch c.text("do") {
	case "cordon":
		n, err = s.store.Cordon(ctx, n.ID, c.who.ID, reason)
	case "uncordon":
		n, err = s.store.Uncordon(ctx, n.ID, c.who.ID)
	case "drain":
		var by *time.Time
		if by, twice, err = s.drainBy(c); err == nil {
			n, err = s.store.Drain(ctx, n.ID, c.who.ID, reason, by)
		}
	default:
		err = invalid("do", "required")
	}
	return s.nodeAgain(c, err, flash{Key: "node_" + n.Service, Name: n.Name}, func(v *views.NodePage, f views.Form) { v.ServiceForm, v.ByTwice = f, twice })
}

// drainBy reads the time by which a node is to be empty; nil where none was typed.
func (s *Server) drainBy(c *call) (*time.Time, []views.Option, error) {
	text := c.text("by")
	if text == "" {
		return nil, nil, nil
	}
	zone, err := s.zone(c)
	if err != nil {
		return nil, nil, err
	}
	at, twice, _, err := wallTime("by", text, c.text("by_which"), zone)
	if twice {
		return &at, whichOptions(c, text, zone), err
	}
	return &at, nil, err
}

// maintenanceForm is POST /nodes/{id}/maintenance.
func (s *Server) maintenanceForm(c *call) error {
	n, err := s.node(c)
	if err != nil {
		return err
	}
	at, times, err := s.formTimes(c, c.Request().PostForm, "start", "end")
	if err == nil {
		_, err = s.store.BookMaintenance(c.Request().Context(), store.NewMaintenance{NodeID: n.ID, PersonID: c.who.ID, Start: at["start"], End: at["end"],
			Reason: c.text("reason"), Force: c.text("force") == "1", Request: c.request()})
	}
	return s.nodeAgain(c, err, flash{Key: "window_booked", Name: n.Name}, func(v *views.NodePage, f views.Form) {
		v.WindowForm, v.Times = f, times
		if e := explain(err); e.Message == "maintenance_in_use" || e.Message == "maintenance_reserved" {
			v.InTheWay = strings.Split(e.Args["overlaps"], ", ")
		}
	})
}

func (s *Server) maintenanceCancelForm(c *call) error {
	n, err := s.node(c)
	if err != nil {
		return err
	}
	if !plainID(c.text("window")) {
		return notFound("maintenance")
	}
	err = s.store.CancelMaintenance(c.Request().Context(), n.ID, c.text("window"), c.who.ID)
	return s.nodeAgain(c, err, flash{Key: "window_cancelled"}, func(v *views.NodePage, f views.Form) { v.WindowForm = f })
}

func (s *Server) nodeRemoveForm(c *call) error {
	n, err := s.node(c)
	if err != nil {
		return err
	}
	if n.Joined || n.Local { // removed by the same form before
		err = s.store.RemoveNode(c.Request().Context(), n.ID, c.who.ID)
	}
	if err != nil {
		return err
	}
	return s.done(c, "/admin/nodes", flash{Key: "node_removed", Name: n.Name})
}

// nodeWords are those of what was done with nodes, "" for anything else.
func (f flash) nodeWords(t lang.T) string {
	switch f.Key {
	case "window_booked":
		return t.NodeWindowBooked(f.Name)
	case "window_cancelled":
		return t.NodeWindowCancelled()
	case "node_removed":
		return t.NodeRemoved(f.Name)
	case "node_open", "node_cordoned", "node_draining", "node_drained", "node_maintenance":
		return t.NodeServiceDone(f.Name, strings.TrimPrefix(f.Key, "node_"))
	}
	return ""
}
