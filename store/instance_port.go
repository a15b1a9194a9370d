package store

import (
	"context"
	"strconv"
)

// portMax is the highest TCP port.
const portMax = 65535

// cleanPort checks the port that browsers are passed on to; 0 is none.
func cleanPort(port int) error {
	if port < 0 || port > portMax {
		return invalid("port", "wrong_port")
	}
	return nil
}

// SetPort chooses the port of a living instance that browsers are passed on to; 0 is none. Invalid for what is no port, Conflict once
// the instance ended.
func (s *Store) SetPort(ctx context.Context, id, by string, port int) (i Instance, err error) {
	if err := cleanPort(port); err != nil {
		return i, err
	}
	err = s.write(ctx, func(t *tx) error {
		if i, err = t.instance(id); err != nil {
			return err
		}
		if err := t.mayAct(by, &i); err != nil {
			return err
		}
		if !i.State.Live() {
			return &Error{Kind: Conflict, Message: "port_of_ended"}
		}
		if i.Port == port {
			return nil
		}
		if _, err := t.exec("UPDATE instance SET port = ? WHERE id = ?", port, id); err != nil {
			return err
		}
		i.Port = port
		t.emit("instance", id)
		return t.audit(AuditRecord{PersonID: by, Action: "instance_port_set", Target: id, Detail: strconv.Itoa(port)})
	})
	return i, err
}
