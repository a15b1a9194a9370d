package web

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/store"
)

const (
	terminalProtocol = "meterhouse.terminal.v1"
	// ticketTime is how long a ticket is good: the page asks for one right before it connects.
	ticketTime  = 30 * time.Second
	maxTerminal = 1000 // columns or rows
	// attachTime bounds how long it may take to reach the shell.
	attachTime = 10 * time.Second
)

// terminalTicket is POST /instances/{id}/terminal/ticket: a secret, good once, so that no other page can open the socket
// with the person's cookie alone.
func (s *Server) terminalTicket(c *call) error {
	in, err := s.ownInstance(c)
	if err != nil {
		return err
	}
	ticket, err := s.store.NewTicket(c.Request().Context(), c.who.ID, ticketPurpose(in.ID), ticketTime)
	if err != nil {
		return err
	}
	return ok(c, map[string]string{"ticket": ticket})
}

func ticketPurpose(instance string) string { return "terminal:" + instance }

// terminal is the browser's socket: its own origin, the session, and a ticket.
func (s *Server) terminal(c *call) error {
	in, err := s.ownInstance(c)
	if err != nil {
		return err
	}
	person, err := s.store.UseTicket(c.Request().Context(), c.QueryParam("ticket"), ticketPurpose(in.ID))
	switch kind := store.KindOf(err); {
	case kind == store.NotFound, kind == store.Unauthorized, kind == store.Invalid, err == nil && person != c.who.ID:
		return forbidden("ticket_used")
	case err != nil:
		return err
	}
	return s.openTerminal(c, in.ID)
}

// terminalByToken is the command line's socket.
func (s *Server) terminalByToken(c *call) error {
	in, err := s.ownInstance(c)
	if err != nil {
		return err
	}
	if c.token == "" {
		return forbidden("token_wrong")
	}
	return s.openTerminal(c, in.ID)
}

// terminalOpened is the audit's word for somebody entering an instance.
const terminalOpened = "terminal_opened"

func (s *Server) openTerminal(c *call, instance string) error {
	size, err := terminalSize(c.QueryParam("cols"), c.QueryParam("rows"))
	if err != nil {
		return err
	}
	attach, cancel := context.WithTimeout(c.Request().Context(), attachTime)
	t, err := s.fleet.Attach(attach, instance, size)
	cancel()
	if err != nil {
		return err
	}
	defer t.Close()
	record := store.AuditRecord{PersonID: c.who.ID, Action: terminalOpened, Target: instance, Addr: s.address(c.Request())}
	if err := s.store.Audit(c.Request().Context(), record); err != nil {
		return err
	}
	return s.upgrade(c, terminalProtocol, func(k *conn) error { return s.serveTerminal(c, k, t) })
}

func terminalSize(cols, rows string) (gpu.Size, error) {
	size := gpu.Size{Cols: 80, Rows: 24}
	for _, side := range []struct {
		field, text string
		n           *uint16
	}{{"cols", cols, &size.Cols}, {"rows", rows, &size.Rows}} {
		if side.text == "" {
			continue
		}
		n, err := strconv.ParseUint(side.text, 10, 16)
		if err != nil || n < 1 || n > maxTerminal {
			return size, invalid(side.field, "wrong_size")
		}
		*side.n = uint16(n)
	}
	return size, nil
}

// control is a text message of a terminal or a command.
type control struct {
	Type    string `json:"type"`
	Cols    uint16 `json:"cols,omitempty"`
	Rows    uint16 `json:"rows,omitempty"`
	Message string `json:"message,omitempty"`
}

// serveTerminal passes bytes both ways. Each direction waits for its receiver, so that nothing is held beyond one message:
// a browser that does not read stops the shell's output, as a real terminal does.
func (s *Server) serveTerminal(c *call, k *conn, t gpu.Terminal) error {
	output, input := make(chan error, 1), make(chan error, 1)
	var copies sync.WaitGroup
	copies.Go(func() { output <- copyOut(k, t) })
	copies.Go(func() { input <- copyIn(k, t) })
	if last := s.watchTerminal(c, k, output, input); last != nil {
		_ = k.finish(last) // it may have left just now
	}
	k.close()
	_ = t.Close() // both ends are closed, so both copies end
	copies.Wait()
	return nil
}

// watchTerminal waits for the terminal's end and returns the last message, nil where nobody is left to read it.
func (s *Server) watchTerminal(c *call, k *conn, output, input <-chan error) (last any) {
	ping, check := time.NewTicker(pingEvery), time.NewTicker(recheckEvery)
	defer ping.Stop()
	defer check.Stop()
	for {
		select {
		case <-k.done:
			return nil
		case err := <-output:
			return s.terminalEnd(c, err)
		case err := <-input:
			s.log.Debug("terminal left", "id", c.id, "error", err)
			return nil
		case <-ping.C:
			if k.ping() != nil {
				return nil
			}
			continue
		case <-check.C:
		case <-k.ask:
		}
		if reason := s.stillActs(c); reason != "" {
			return end{Type: "end", Reason: reason}
		}
	}
}

// terminalEnd is the last message after the shell's output ended.
func (s *Server) terminalEnd(c *call, err error) any {
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return control{Type: "exit"}
	case isSocketError(err):
		return nil
	}
	s.log.Warn("terminal cut", "id", c.id, "error", err)
	return control{Type: "error", Message: words(c.t, &store.Error{Kind: store.Unavailable, Message: "terminal_cut"})}
}

// stillActs checks while connected that the session goes on and the instance is still the person's to enter.
func (s *Server) stillActs(c *call) string {
	if reason := s.stillSees(c, c.Param("id")); reason != "" {
		return reason
	}
	if _, err := s.ownInstance(c); store.KindOf(err) == store.Forbidden {
		return endGone
	}
	return ""
}

// socketError marks that the client's side failed.
type socketError struct{ error }

func isSocketError(err error) bool {
	var s socketError
	return errors.As(err, &s)
}

func copyOut(k *conn, t io.Reader) error {
	b := make([]byte, 32<<10)
	for {
		n, err := t.Read(b)
		if n > 0 {
			if err := k.send(websocket.BinaryMessage, b[:n]); err != nil {
				return socketError{err}
			}
		}
		if err != nil {
			return err
		}
	}
}

// copyIn passes what is typed to the terminal, and changes of its size. It ends when the socket does.
func copyIn(k *conn, t gpu.Terminal) error {
	for {
		kind, data, err := k.ws.ReadMessage()
		if err != nil {
			return socketError{err}
		}
		if kind == websocket.BinaryMessage {
			if _, err := t.Write(data); err != nil {
				return err
			}
			continue
		}
		var m control
		if err := json.Unmarshal(data, &m); err != nil || m.Type != "resize" || m.Cols < 1 || m.Rows < 1 || m.Cols > maxTerminal || m.Rows > maxTerminal {
			return socketError{errors.New("not a control message")}
		}
		if err := t.Resize(gpu.Size{Cols: m.Cols, Rows: m.Rows}); err != nil {
			return err
		}
	}
}
