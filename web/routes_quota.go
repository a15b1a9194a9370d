package web

import "github.com/meterhouse/meterhouse/store"

// quotaPages are the table's rows of limits and of the inbox.
var quotaPages = []route{
	{get, "/inbox", store.Viewer, page, (*Server).inboxPage, nil},
	{post, "/inbox/read", store.Viewer, page, (*Server).inboxReadForm, nil},
	{get, "/quotas", store.Viewer, page, (*Server).quotasPage, nil},
	{post, "/quotas", store.Manager, page, (*Server).quotaForm, nil},
	{post, "/quotas/:id/delete", store.Manager, page, (*Server).quotaDeleteForm, nil},
	{post, "/quotas/grants/:id/delete", store.Manager, page, (*Server).quotaGrantDeleteForm, nil},
	{post, "/quotas/requests", store.Member, page, (*Server).quotaRequestForm, nil},
	{post, "/quotas/requests/:id/decide", store.Manager, page, (*Server).quotaDecideForm, nil},
	{post, "/quotas/requests/:id/withdraw", store.Member, page, (*Server).quotaWithdrawForm, nil},
}
