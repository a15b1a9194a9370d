package process

import (
	"errors"
	"os"
	"syscall"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

const (
	// shutdownGrace is what work gets when the machine goes down; service managers give 90 s in all.
	shutdownGrace = 10 * time.Second
	lookPause     = 10 * time.Millisecond
)

// untilEnd returns when the instance is to end, with how its command ended. Without a command that is when it is told to.
func (h *holder) untilEnd(down, caught <-chan os.Signal, full <-chan string) gpu.Exit {
	var commandEnded chan struct{}
	if h.command != nil {
		commandEnded = h.command.exited
	}
	for {
		select {
		case <-commandEnded:
			if h.crew.lost() {
				return initKilled
			}
			return exitOf(h.command.status)
		case <-h.body.gone:
			if h.command != nil {
				<-h.command.exited // the crew sets it when the link ends
			}
			return initKilled
		case grace := <-h.stops:
			return h.ask(grace)
		case words := <-full:
			exit := h.ask(diskGrace)
			exit.Err = words
			return exit
		case <-down:
			exit := h.ask(shutdownGrace)
			exit.Err = "the machine was shut down"
			return exit
		case <-caught:
		}
	}
}

// initKilled is the end of an instance whose init did not end because it was told to.
var initKilled = gpu.Exit{Code: 137, Signal: "SIGKILL", Err: "the instance's init was killed, and all of it with it"}

// ask sends SIGTERM to all and waits until nobody is left or the grace is over. A shell ignores SIGTERM while it is
// interactive, so it is told that its terminal hung up.
func (h *holder) ask(grace time.Duration) gpu.Exit {
	_ = h.freeze(false)
	if grace > 0 {
		_ = h.crew.everyone(syscall.SIGTERM)
		h.term.hangUp()
	}
	deadline := time.NewTimer(grace)
	defer deadline.Stop()
	look := time.NewTicker(lookPause)
	defer look.Stop()
	again := time.NewTicker(10 * lookPause)
	defer again.Stop()
	for patient := grace > 0; patient; {
		select {
		case <-again.C:
			h.term.hangUp() // a shell that is just starting forgets the first one
		case <-look.C:
			pids, err := h.living()
			patient = err != nil || len(pids) > 0
		case shorter := <-h.stops:
			deadline.Reset(min(shorter, grace))
			grace = min(shorter, grace)
		case <-deadline.C:
			patient = false
		case <-h.body.gone:
			patient = false
		}
	}
	if h.command == nil {
		return gpu.Exit{}
	}
	_ = h.crew.everyone(syscall.SIGKILL)
	select {
	case <-h.command.exited:
		return exitOf(h.command.status)
	case <-time.After(endPatience): // it can't be ended; finish goes on trying and says so
		return gpu.Exit{Code: 137, Signal: "SIGKILL"}
	}
}

// living returns the PIDs, as we see them, of all that runs in the instance, without its init.
func (h *holder) living() ([]int, error) {
	if h.body.group.any() {
		return h.body.group.work()
	}
	return descendants(h.body.init.PID)
}

// endPatience is how long ended processes may take to go; longer means that the kernel does not let them (state D).
const endPatience = 5 * time.Second

// finish ends all that is left and writes down how it was. It does not return before nothing is left: what can't be ended
// keeps the shim, and so the instance, alive, and those who wait for the end are told by the server.
func (h *holder) finish(exit gpu.Exit) {
	group := h.body.group
	_ = h.freeze(false)
	for {
		_ = h.crew.everyone(syscall.SIGKILL)
		left, err := group.killWork(endPatience)
		if h.rec.plain() && err == nil {
			left, err = h.living()
		}
		if err == nil && len(left) == 0 {
			break
		}
		time.Sleep(lookPause)
	}
	now := h.now()
	close(h.still)
	usage, _ := group.measure(h.st.Init.PID)
	oom := group.oomKills() > 0
	h.body.end()
	h.reapOrphans()
	h.term.settle()
	if oom && exit.Code == 128+int(syscall.SIGKILL) {
		exit.OOM = true
	}
	h.body.remove() // what stays is named by Clean
	if dir, err := os.Getwd(); err == nil {
		_ = withdraw(dir)
	}
	h.drainLog()
	_ = os.Rename(tmpDir, h.oldTmp())
	_ = os.Remove(socketFile)
	h.mu.Lock()
	h.st.Phase, h.st.EndedAt, h.st.LastProof, h.st.Exit, h.st.CPU = gpu.PhaseExited, now, now, exit, usage.CPU
	end := h.st
	h.mu.Unlock()
	// Without the state a console would take the shim for alive, then for killed, say so, and bill too much. It is tried until
	// it is written, unless the whole directory is gone.
	for {
		if err := writeLast(".", end); err == nil || errors.Is(err, os.ErrNotExist) {
			break
		}
		time.Sleep(time.Second)
	}
	close(h.ended)
}

// drainLog waits for the rest of the output. Its writers are gone; only a file passed on to another process could hold it.
func (h *holder) drainLog() {
	if h.piped != nil {
		select {
		case <-h.piped:
		case <-time.After(endPatience):
			return
		}
	}
	_ = h.log.close()
}

// reapOrphans collects what the kernel left to us as a sub-reaper when the init ended. Who is killed leaves its cgroup a moment
// before it is dead, and until then still shows in /proc as somebody's process: the end is told when nobody is left.
func (h *holder) reapOrphans() {
	for end := time.Now().Add(endPatience); ; {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		switch {
		case err == syscall.EINTR || pid > 0:
			continue
		case err != nil || time.Now().After(end): // ECHILD: all are collected
			return
		}
		time.Sleep(lookPause)
	}
}
