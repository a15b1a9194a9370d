package web

import (
	"context"

	"github.com/labstack/echo/v4"
)

// link hands an agent over. Its line lasts as long as the server: a request that was taken over knows of no end by itself.
func (s *Server) link(c *call) error {
	if s.config.Link == nil {
		return echo.ErrNotFound
	}
	s.config.Link.ServeHTTP(c.Response(), c.Request().WithContext(context.WithoutCancel(c.Request().Context())))
	return nil
}
