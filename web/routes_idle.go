package web

import "github.com/meterhouse/meterhouse/store"

// idlePages are the table's rows of what is idle.
var idlePages = []route{
	{post, "/instances/:id/keep", store.Member, page, (*Server).keepForm, nil},
	{get, "/keep/:id", public, page, (*Server).keepLinkPage, nil},
	{post, "/keep/:id", public, page, (*Server).keepLinkForm, nil},
	{get, "/costs/waste", store.Viewer, page, (*Server).wastePage, nil},
	{get, "/admin/idle", store.Admin, page, (*Server).idlePage, nil},
	{post, "/admin/idle", store.Admin, page, (*Server).idleForm, nil},
}

// idleCalls are the API's.
var idleCalls = []route{
	{post, apiRoot + "/instances/:id/keep", store.Member, api, (*Server).keepInstance, &operation{says: "Says that it is needed: it is not stopped for being idle in the next 24 hours. Again within the hour it changes nothing; 409 if it ends already.", in: Empty{}, out: Instance{}}},
}
