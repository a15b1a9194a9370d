package web

import "github.com/meterhouse/meterhouse/store"

// nodePages are the table's rows of nodes.
var nodePages = []route{
	{get, "/nodes/:id", store.Viewer, page, (*Server).nodePage, nil},
	{post, "/nodes/:id/service", store.Admin, page, (*Server).nodeServiceForm, nil},
	{post, "/nodes/:id/maintenance", store.Admin, page, (*Server).maintenanceForm, nil},
	{post, "/nodes/:id/maintenance/cancel", store.Admin, page, (*Server).maintenanceCancelForm, nil},
	{post, "/nodes/:id/remove", store.Admin, page, (*Server).nodeRemoveForm, nil},
	{get, "/admin/nodes", store.Admin, page, (*Server).nodesPage, nil},
	{post, "/admin/nodes", store.Admin, page, (*Server).nodeJoinForm, nil},
}

// nodeCalls are the API's.
var nodeCalls = []route{
	{get, apiRoot + "/nodes", store.Viewer, api, (*Server).listNodes, &operation{says: "Every node: whether it is heard of (state), what an admin wants of it (service), and its maintenance windows that are not over.", out: Nodes{}}},
	{post, apiRoot + "/nodes/join", store.Admin, api, (*Server).createJoin, &operation{says: "Makes a token by which one machine becomes a node, once. It is shown here alone.", in: JoinBody{}, out: Join{}, made: true}},
	{get, apiRoot + "/nodes/:id", store.Viewer, api, (*Server).getNode, &operation{says: "One node.", out: Node{}}},
	{del, apiRoot + "/nodes/:id", store.Admin, api, (*Server).removeNode, &operation{says: "Refuses a node's agent from now on; what it ran stays in the books. 409 for the console's own machine."}},
	{post, apiRoot + "/nodes/:id/cordon", store.Admin, api, (*Server).cordonNode, &operation{says: "Has nothing new start there; what runs goes on.", in: NodeReasonBody{}, out: Node{}}},
	{post, apiRoot + "/nodes/:id/drain", store.Admin, api, (*Server).drainNode, &operation{says: "Has nothing new start there until nothing is left. With by, what is on demand and would last longer ends then, with the notices of every hard end, and what is spot is reclaimed before.", in: DrainBody{}, out: Node{}}},
	{post, apiRoot + "/nodes/:id/uncordon", store.Admin, api, (*Server).uncordonNode, &operation{says: "Opens it again; the ends that a drain has set are lifted.", in: Empty{}, out: Node{}}},
	{get, apiRoot + "/nodes/:id/maintenance", store.Viewer, api, (*Server).listMaintenance, &operation{says: "Its maintenance windows that are not over, the next first.", out: MaintenanceWindows{}}},
	{post, apiRoot + "/nodes/:id/maintenance", store.Admin, api, (*Server).createMaintenance, &operation{says: "Books a window [start, end) in which nothing is on it: 409 with the ids of what is in the way. With force instances get its start as their hard end and reservations by count other GPUs. A retry with the same idempotency_key within a day has one effect.",
		in: MaintenanceBody{}, out: MaintenanceWindow{}, made: true}},
	{del, apiRoot + "/nodes/:id/maintenance", store.Admin, api, (*Server).deleteMaintenance, &operation{says: "Cancels a window, also one that has begun; the ends that it has set are lifted.", query: []parameter{{name: "window", says: "Its id."}}}},
}
