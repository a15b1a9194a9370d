package web

import "strconv"

// PortBody chooses the port of an instance that browsers are passed on to; 0 is none.
type PortBody struct {
	Port *int `json:"port"`
}

func (s *Server) setPort(c *call) error {
	in, err := s.ownInstance(c)
	if err != nil {
		return err
	}
	var b PortBody
	if err := decode(c, &b); err != nil {
		return err
	}
	if b.Port == nil {
		return invalid("port", "required")
	}
	in, err = s.store.SetPort(c.Request().Context(), in.ID, c.who.ID, *b.Port)
	if err != nil {
		return err
	}
	s.sockets.recheck()
	return ok(c, instanceOut(in))
}

// portForm is POST /instances/{id}/port.
func (s *Server) portForm(c *call) error {
	in, err := s.ownInstance(c)
	if err != nil {
		return err
	}
	port, err := parsePort(c.text("port"))
	if err == nil {
		_, err = s.store.SetPort(c.Request().Context(), in.ID, c.who.ID, port)
	}
	if err != nil && typed(err) {
		return s.instanceAgain(c, in, "port", err)
	}
	if err != nil {
		return err
	}
	s.sockets.recheck()
	return s.done(c, "/instances/"+in.ID, flash{Key: "saved"})
}

// parsePort reads a port as it is typed; "" is none.
func parsePort(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return 0, invalid("port", "wrong_port")
	}
	return int(port), nil
}
