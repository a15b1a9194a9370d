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

// quotaCalls are the API's.
var quotaCalls = []route{
	{get, apiRoot + "/quotas", store.Viewer, api, (*Server).listQuotas, &operation{says: "Limits with what is used of them now. What one refuses is answered with 403 and the type urn:meterhouse:problem:quota, whose member quota says which it is, how much is used, and who can raise it.", out: Quotas{}}},
	{post, apiRoot + "/quotas", store.Manager, api, (*Server).putQuota, &operation{says: "Sets a limit: of a member by a manager of the team, of the team by an admin. There is one of a kind for a team, a member, or either in a pool; setting it again changes it.", in: QuotaBody{}, out: Quota{}}},
	{del, apiRoot + "/quotas/:id", store.Manager, api, (*Server).deleteQuota, &operation{says: "Takes a limit away."}},
	{get, apiRoot + "/quotas/requests", store.Viewer, api, (*Server).listQuotaRequests, &operation{says: "What the person asked for, and what they may decide.", out: QuotaRequests{}}},
	{post, apiRoot + "/quotas/requests", store.Member, api, (*Server).createQuotaRequest, &operation{says: "Asks those who can to raise a limit for a time. A retry with the same idempotency_key within a day has one effect.", in: QuotaRequestBody{}, out: QuotaRequest{}, made: true}},
	{post, apiRoot + "/quotas/requests/:id/decide", store.Manager, api, (*Server).decideQuotaRequest, &operation{says: "Grants a request for a time, or refuses it with a reason. Nobody but an admin decides what they asked for themselves.", in: QuotaDecisionBody{}, out: QuotaRequest{}}},
	{post, apiRoot + "/quotas/requests/:id/withdraw", store.Member, api, (*Server).withdrawQuotaRequest, &operation{says: "Takes an own request back."}},
}
