package views

import (
	"net/url"

	"github.com/meterhouse/meterhouse/web/lang"
)

func sampleNodeRows() []NodeRow {
	return []NodeRow{
		{ID: "n-1", Name: "local", State: "up", Service: "open", SeenAt: at(10, 44, 58), Executor: "process", Build: "1.4.0", Local: true, GPUs: 2, InUse: 1, Instances: 3},
		{ID: "n-2", Name: "rack-1", State: "up", Service: "draining", Reason: "new <fans>", By: "admin", Since: at(9, 0, 0), DrainBy: at(18, 0, 0), SeenAt: at(10, 44, 58), Executor: "process",
			Build: "1.3.2", Joined: true, GPUs: 8, InUse: 6, Instances: 2, Windows: []NodeWindow{{ID: "m-1", From: at(18, 0, 0), To: at(20, 0, 0), Reason: "firmware", By: "admin"}}},
		{ID: "n-3", Name: "rack-2", State: "lost", Service: "cordoned", Since: at(8, 0, 0), SeenAt: at(8, 30, 0), Joined: true},
	}
}

func sampleNodes(t lang.T) NodesPage {
	return NodesPage{Page: samplePage(t, "/admin/nodes"), Rows: sampleNodeRows(), Command: "meterhouse agent --console https://gpu.example.com --join mhj_0123456789",
		Form: Form{Values: url.Values{"minutes": {"60"}}}, CanJoin: true}
}

func sampleNode(t lang.T) NodePage {
	v := NodePage{Page: samplePage(t, "/nodes/n-2"), NodeRow: sampleNodeRows()[1], CanAdmin: true, AskRemove: true, Running: sampleRows[:1],
		Limits:   []NodeLimit{{Name: "memory", Detail: "cgroup v2", Enforced: true}, {Name: "disk", Detail: "no project quota"}},
		Devices:  []NodeGPU{{Name: "GPU 0", Model: "A100-SXM4-80GB", State: "rented", Island: "00000000:17:00.0", NUMA: "0"}, {Name: "GPU 1", Model: "A100-SXM4-80GB", State: "drain", Blocked: "node_draining", Simulated: true}},
		Happened: []NodeRecord{{At: at(9, 0, 0), Action: "node_draining", By: "admin", Detail: "new <fans>"}, {At: at(8, 0, 0), Action: "node_joined"}}}
	v.ServiceForm = Form{Values: url.Values{"reason": {"new <fans>"}, "by": {"2026-03-02T09:00"}}, Errors: []FieldError{{"by", t.Error("until_wrong", nil)}}}
	v.WindowForm = Form{Values: url.Values{"reason": {"firmware"}}, Errors: []FieldError{{"start", t.Error("maintenance_in_use", map[string]string{"overlaps": "i-7f3a91, r-1"})}}}
	v.InTheWay = []string{"i-7f3a91", "r-1"}
	return v
}

func sampleNodeRead(t lang.T) NodePage {
	v := NodePage{Page: samplePage(t, "/nodes/n-1"), NodeRow: sampleNodeRows()[0]}
	v.Person.Role = "viewer"
	return v
}
