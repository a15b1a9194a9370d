package web

import (
	"net/http"
	"slices"

	"github.com/meterhouse/meterhouse/gpu/link"
	"github.com/meterhouse/meterhouse/store"
)

// public is the role of what anybody may ask for.
const public store.Role = ""

// kind is how a route is answered.
type kind int

const (
	page   kind = iota // HTML for a person
	api                // JSON for a program
	socket             // a websocket
	plain              // anything else: health, files
	upload             // a file of any length, read by its handler as it comes
)

// route is one row of the table: what exists and who may. The role is the least that may ask; whose things a person sees
// and changes is checked by the handler.
type route struct {
	method, path string
	role         store.Role
	kind         kind
	do           func(*Server, *call) error
	doc          *operation // of the API: what openapi.json says of it
}

// apiRoot is where the API lives.
const apiRoot = "/api/v1"

const (
	get  = http.MethodGet
	post = http.MethodPost
	put  = http.MethodPut
	del  = http.MethodDelete
)

// routes is the one table. The role matrix test and openapi.json are made from it.
var routes = slices.Concat(pages, bookPages, quotaPages, mailPages, calls, bookCalls, spotCalls, quotaCalls, imagePages, imageCalls, volumePages, volumeCalls, templatePages, templateCalls, idlePages, idleCalls, nodePages, nodeCalls)

var pages = []route{
	{get, "/healthz", public, plain, (*Server).healthz, nil},
	{get, "/readyz", public, plain, (*Server).readyz, nil},
	{get, "/static/*", public, plain, (*Server).static, nil},
	{get, "/favicon.ico", public, plain, (*Server).favicon, nil},

	{get, link.Path, public, plain, (*Server).link, nil},

	{get, "/setup", public, page, (*Server).setupPage, nil},
	{post, "/setup", public, page, (*Server).setup, nil},
	{get, "/login", public, page, (*Server).loginPage, nil},
	{post, "/login", public, page, (*Server).login, nil},
	{get, "/login/link", public, page, (*Server).loginByLink, nil},
	{post, "/logout", store.Viewer, page, (*Server).logout, nil},

	{get, "/", store.Viewer, page, (*Server).home, nil},
	{get, "/rent", store.Viewer, page, (*Server).catalogue, nil},
	{get, "/rent/spot", store.Viewer, page, (*Server).spotPage, nil},
	{get, "/rent/new", store.Member, page, (*Server).rentPage, nil},
	{post, "/rent/new", store.Member, page, (*Server).rent, nil},

	{get, "/instances", store.Viewer, page, (*Server).instancesPage, nil},
	{get, "/instances/:id", store.Viewer, page, (*Server).instancePage, nil},
	{post, "/instances/:id/stop", store.Member, page, (*Server).stopForm, nil},
	{post, "/instances/:id/suspend", store.Member, page, (*Server).suspendForm, nil},
	{post, "/instances/:id/resume", store.Member, page, (*Server).resumeForm, nil},
	{post, "/instances/:id/extend", store.Member, page, (*Server).extendForm, nil},
	{post, "/instances/:id/terminal/ticket", store.Member, page, (*Server).terminalTicket, nil},
	{get, "/instances/:id/terminal", store.Member, socket, (*Server).terminal, nil},
	{post, "/instances/:id/port", store.Member, page, (*Server).portForm, nil},
	{get, "/i/:id", store.Member, page, (*Server).openApp, nil},
	{get, "/i/:id/*", store.Member, page, (*Server).openApp, nil},
	{get, "/live", store.Viewer, socket, (*Server).live, nil},

	{get, "/calendar", store.Viewer, page, (*Server).calendarPage, nil},
	{post, "/calendar", store.Member, page, (*Server).reserveForm, nil},
	{get, "/calendar.ics", public, plain, (*Server).calendarFeed, nil},
	{post, "/calendar/feeds", store.Viewer, page, (*Server).feedForm, nil},
	{post, "/calendar/feeds/:id/delete", store.Viewer, page, (*Server).feedDeleteForm, nil},
	{get, "/reservations/:id", store.Viewer, page, (*Server).reservationPage, nil},
	{post, "/reservations/:id/cancel", store.Member, page, (*Server).reservationCancelForm, nil},
	{post, "/reservations/:id/extend", store.Member, page, (*Server).reservationExtendForm, nil},
	{get, "/queue", store.Viewer, page, (*Server).queuePage, nil},
	{post, "/queue/weight", store.Admin, page, (*Server).weightForm, nil},
	{get, "/fleet", store.Viewer, page, (*Server).fleetPage, nil},
	{get, "/bench", store.Viewer, page, (*Server).benchPage, nil},
	{post, "/bench", store.Member, page, (*Server).benchForm, nil},
	{get, "/bench/:id", store.Viewer, page, (*Server).benchRunPage, nil},
	{post, "/bench/:id/cancel", store.Member, page, (*Server).benchCancelForm, nil},
	{get, "/costs", store.Viewer, page, (*Server).costsPage, nil},
	{get, "/budgets", store.Viewer, page, (*Server).budgetsPage, nil},
	{post, "/budgets", store.Manager, page, (*Server).budgetForm, nil},
	{post, "/budgets/:id", store.Manager, page, (*Server).budgetForm, nil},
	{post, "/budgets/:id/delete", store.Manager, page, (*Server).budgetDeleteForm, nil},

	{get, "/settings", store.Viewer, page, (*Server).settingsPage, nil},
	{post, "/settings/profile", store.Viewer, page, (*Server).profileForm, nil},
	{post, "/settings/password", store.Viewer, page, (*Server).passwordForm, nil},
	{post, "/settings/language", store.Viewer, page, (*Server).languageForm, nil},
	{post, "/settings/keys", store.Viewer, page, (*Server).keyForm, nil},
	{post, "/settings/keys/:id/delete", store.Viewer, page, (*Server).keyDeleteForm, nil},
	{post, "/settings/tokens", store.Viewer, page, (*Server).tokenForm, nil},
	{post, "/settings/tokens/:id/delete", store.Viewer, page, (*Server).tokenDeleteForm, nil},
	{post, "/settings/sessions/:id/delete", store.Viewer, page, (*Server).sessionDeleteForm, nil},
}
