package process

import "time"

// body is what an instance's processes live in, as its shim holds it: an init that answers on a link, and a cgroup.
type body struct {
	link  *initLink
	init  processID
	group group
	// scratch are directories of the machine beside home and tmp that hold what the instance writes
	scratch []string
	gone    <-chan struct{} // closed when the init has ended
	kill    func() error    // ends the init, and with it all that is inside
	remove  func()          // what is left once everyone has ended
}

// end lets the init end, and ends it where it does not.
func (b *body) end() {
	_ = b.link.send(order{Op: "quit"})
	select {
	case <-b.gone:
	case <-time.After(endPatience):
		_ = b.kill()
		<-b.gone
	}
	_ = b.link.conn.Close()
}

// embody makes the body that the record asks for. It must be called from the thread that stays: the kernel ends an init in
// namespaces of ours when the thread that started it ends. What fails leaves nothing.
func (h *holder) embody() (*body, error) {
	if h.rec.Enclosure != "" {
		return h.enclose()
	}
	g := group{Plan: h.rec.Cgroup, Name: h.rec.Spec.ID}
	if err := g.Plan.create(h.rec.Spec, gpuDevices("/dev", "/proc", h.rec.Spec.GPUs)); err != nil {
		return nil, err
	}
	remove := func() { _ = g.remove() } // what stays is named by Clean
	cmd, link, err := startInit(h.rec.Level)
	if err != nil {
		remove()
		return nil, err
	}
	gone := make(chan struct{})
	go func() { // the holder waits for gone. os/exec's Wait, because nothing else may collect the init
		_ = cmd.Wait() // how it ended does not matter: it is ours to end, or has taken everything along
		close(gone)
	}()
	return &body{link: link, init: identify(cmd.Process.Pid), group: g, gone: gone, kill: cmd.Process.Kill, remove: remove}, nil
}
