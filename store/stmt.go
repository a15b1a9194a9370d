package store

import (
	"database/sql"
	"strings"
	"sync"
)

// planOnce keeps SQLite from planning a prepared statement anew each time it runs. Since 3.54 its planner looks at the
// value that is bound to "column = ?" and to "LIMIT ?", and notes that another value might want another plan; the driver
// clears all values before it binds new ones, and so every run of such a statement would be a new preparation, a hundred
// times as slow as the look-up itself. A sign in front of the value, which changes nothing else, hides it from the planner.
// "ORDER BY +i.seq" in a query keeps it likewise from reading a whole table in that order, where an index finds the few rows
// that are wanted.
var planOnce = strings.NewReplacer("= ?", "= +?", "IS ?", "IS +?", "LIMIT ?", "LIMIT +?").Replace

// stmtCache keeps prepared statements by their text, planned once. The texts are this package's own, so there are few.
type stmtCache struct {
	mu    sync.Mutex
	stmts map[string]*sql.Stmt
}

func (c *stmtCache) get(query string, prepare func(string) (*sql.Stmt, error)) (*sql.Stmt, error) {
	c.mu.Lock()
	stmt := c.stmts[query]
	c.mu.Unlock()
	if stmt != nil {
		return stmt, nil
	}
	stmt, err := prepare(planOnce(query))
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if other := c.stmts[query]; other != nil {
		stmt.Close()
		return other, nil
	}
	if c.stmts == nil {
		c.stmts = map[string]*sql.Stmt{}
	}
	c.stmts[query] = stmt
	return stmt, nil
}

func (c *stmtCache) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, stmt := range c.stmts {
		stmt.Close()
	}
	c.stmts = nil
}
