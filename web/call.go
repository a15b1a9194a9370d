package web

import (
	"mime/multipart"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web/lang"
)

// call is one request on its way through a handler.
type call struct {
	echo.Context
	route   *route
	id      string // to quote when something went wrong
	t       lang.T
	who     store.Person // zero where nobody is signed in
	session store.Session
	secret  string            // of the session, or the token
	token   string            // id of the token; "" with a session
	nonce   string            // of the policy of a page with a terminal
	parts   *multipart.Reader // of an upload
}

// signedIn reports whether it is known who asks.
func (c *call) signedIn() bool { return c.who.ID != "" }

// isAPI reports whether the answer is for a program.
func (c *call) isAPI() bool { return c.route != nil && c.route.api() }

// can reports whether the person's role is at least r.
func (c *call) can(r store.Role) bool { return c.who.Role.AtLeast(r) }

// team is whose things the person sees: "" for an admin, who sees all.
func (c *call) team() string {
	if c.who.Admin {
		return ""
	}
	return c.who.TeamID
}

// sees reports whether a team's things are the person's business. What is not is answered as if it did not exist.
func (c *call) sees(teamID string) bool { return c.who.RoleIn(teamID).Sees() }

// acts reports whether the person may change or enter what a person of a team has: its owner, the team's managers, admins.
func (c *call) acts(teamID, ownerID string) bool {
	return c.who.RoleIn(teamID).Acts(ownerID == c.who.ID)
}

// unsafe reports whether a request with this method may change something.
func unsafe(method string) bool {
	return method != http.MethodGet && method != http.MethodHead && method != http.MethodOptions
}

func notFound(what string) error {
	return &store.Error{Kind: store.NotFound, Message: store.Key(what + "_not_found")}
}

func forbidden(why store.Key) error { return &store.Error{Kind: store.Forbidden, Message: why} }

func invalid(field string, why store.Key) *store.Error {
	return &store.Error{Kind: store.Invalid, Field: field, Message: why}
}
