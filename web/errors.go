package web

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
	"github.com/meterhouse/meterhouse/web/lang"
)

// Kinds of error that only the web has.
const (
	malformed   store.Kind = "malformed" // it can not be read at all
	wrongMethod store.Kind = "wrong_method"
	tooLarge    store.Kind = "too_large"
	wrongType   store.Kind = "wrong_type"
)

// statuses says which status an error's kind is answered with.
var statuses = map[store.Kind]int{
	store.NotFound: http.StatusNotFound, store.Invalid: http.StatusUnprocessableEntity, store.Conflict: http.StatusConflict,
	store.NoCapacity: http.StatusConflict, store.BudgetBlocks: http.StatusPaymentRequired, store.QuotaBlocks: http.StatusForbidden, store.Forbidden: http.StatusForbidden,
	store.Unauthorized: http.StatusUnauthorized, store.TooMany: http.StatusTooManyRequests, store.Unavailable: http.StatusServiceUnavailable,
	store.Internal: http.StatusInternalServerError, malformed: http.StatusBadRequest, wrongMethod: http.StatusMethodNotAllowed,
	tooLarge: http.StatusRequestEntityTooLarge, wrongType: http.StatusUnsupportedMediaType,
}

// Problem is an RFC 9457 problem document.
type Problem struct {
	Type   string         `json:"type"` // urn:meterhouse:problem:KIND
	Title  string         `json:"title"`
	Status int            `json:"status"`
	Detail string         `json:"detail"`
	Errors []FieldProblem `json:"errors,omitempty"`
	ID     string         `json:"id"` // to quote

	Overlaps []string  `json:"overlaps,omitempty"` // ids of the reservations in the way
	Nearest  *Interval `json:"nearest,omitempty"`  // that is free

	Quota *QuotaProblem `json:"quota,omitempty"` // the limit in the way
}

// FieldProblem says what is wrong with one field.
type FieldProblem struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// wrong is everything that is wrong with one input.
type wrong []*store.Error

func (w wrong) Error() string {
	texts := make([]string, len(w))
	for i, e := range w {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "; ")
}

// orNil is the way to return what was gathered.
func (w wrong) orNil() error {
	if len(w) == 0 {
		return nil
	}
	return w
}

// explain turns any error into the store's kind of error.
func explain(err error) *store.Error {
	var e *store.Error
	var w wrong
	var h *echo.HTTPError
	var big *http.MaxBytesError
	switch {
	case errors.As(err, &w):
		return &store.Error{Kind: store.Invalid, Message: "fields_wrong", Err: err}
	case errors.As(err, &e):
		return e
	case errors.As(err, &big):
		return &store.Error{Kind: tooLarge, Message: "too_large", Err: err}
	case errors.Is(err, gpu.ErrNotRunning):
		return &store.Error{Kind: store.Conflict, Message: "instance_not_running", Err: err}
	case errors.Is(err, gpu.ErrNoInstance):
		return &store.Error{Kind: store.NotFound, Message: "instance_not_found", Err: err}
	case errors.Is(err, gpu.ErrUnreachable):
		return &store.Error{Kind: store.Unavailable, Message: "node_unreachable", Err: err}
	case errors.As(err, &h):
		return explainRouter(h)
	}
	return &store.Error{Kind: store.Internal, Message: "internal", Err: err}
}

// explainInside is explain for what a person started in their instance: what is wrong with their program is theirs to mend.
func explainInside(err error) *store.Error {
	var reason *gpu.NotStarted
	if errors.As(err, &reason) {
		if e := explainNotStarted(reason); e != nil {
			return e
		}
	}
	return explain(err)
}

// explainRouter reads what echo itself refuses.
func explainRouter(h *echo.HTTPError) *store.Error {
	switch {
	case h.Code == http.StatusNotFound:
		return &store.Error{Kind: store.NotFound, Message: "page_not_found", Err: h}
	case h.Code == http.StatusMethodNotAllowed:
		return &store.Error{Kind: wrongMethod, Message: "wrong_method", Err: h}
	case h.Code < http.StatusInternalServerError:
		return &store.Error{Kind: malformed, Message: "malformed", Err: h}
	}
	return &store.Error{Kind: store.Internal, Message: "internal", Err: h}
}

// fields lists what is wrong with which field, in words.
func (c *call) fields(err error) []views.FieldError {
	var list wrong
	if !errors.As(err, &list) {
		list = wrong{explain(err)}
	}
	found := make([]views.FieldError, 0, len(list))
	for _, e := range list {
		found = append(found, views.FieldError{Field: e.Field, Text: words(c.t, e)})
	}
	return found
}

// statusOf is the status that an error is answered with.
func statusOf(err error) int {
	if status, ok := statuses[explain(err).Kind]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// typed reports whether an error of a form is about what was typed, so that the form is shown again with it.
func typed(err error) bool {
	switch explain(err).Kind {
	case store.Invalid, store.Conflict, store.NoCapacity, store.BudgetBlocks, store.QuotaBlocks, store.TooMany, store.Unavailable:
		return true
	}
	return false
}

// fail answers a request with an error: the only place where one becomes a status code.
func (s *Server) fail(c *call, err error) {
	r := c.Request()
	e, status := explain(err), statusOf(err)
	if status >= http.StatusInternalServerError && !errors.Is(err, context.Canceled) {
		s.log.Error("request failed", "id", c.id, "method", r.Method, "route", c.Path(), "error", err, "cause", errors.Unwrap(e))
	}
	if c.Response().Committed || errors.Is(r.Context().Err(), context.Canceled) {
		return // nobody is there to read it, or it is too late to say so
	}
	h := c.Response().Header()
	if e.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int((e.RetryAfter+time.Second-1)/time.Second)))
	}
	if !c.isAPI() && status == http.StatusUnauthorized {
		err = seeOther(c, loginPath(r))
	} else if c.isAPI() {
		if status == http.StatusUnauthorized {
			h.Set("WWW-Authenticate", `Bearer realm="meterhouse"`)
		}
		err = send(c, status, "application/problem+json", c.problem(e, err, status))
	} else {
		page := views.ProblemPage{Page: s.page(c), Status: status, Detail: words(c.t, e), SaysNext: lang.ErrorSaysNext(string(e.Message)), ID: c.id, RetryAfter: e.RetryAfter}
		err = s.render(c, status, views.Problem(page))
	}
	if err != nil {
		s.log.Debug("answer not sent", "id", c.id, "error", err)
	}
}

// problem makes the document. Only what is wrong with single fields is listed.
func (c *call) problem(e *store.Error, err error, status int) Problem {
	p := Problem{Type: "urn:meterhouse:problem:" + string(e.Kind), Title: c.t.ProblemTitle(status), Status: status, Detail: words(c.t, e), ID: c.id}
	p.Overlaps, p.Nearest = elsewhen(e)
	p.Quota = quotaProblem(e)
	for _, f := range c.fields(err) {
		if f.Field != "" {
			p.Errors = append(p.Errors, FieldProblem{Field: f.Field, Message: f.Text})
		}
	}
	return p
}
