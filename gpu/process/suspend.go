package process

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// freeze suspends or resumes, returns when it is so for every process, and writes it down.
func (h *holder) freeze(frozen bool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.st.ended() {
		return gpu.ErrNotRunning
	}
	if frozen == (h.st.Phase == gpu.PhaseSuspended) {
		return nil
	}
	set := h.stopEach
	if h.body.group.has("freezer") {
		set = h.body.group.freeze
	}
	if err := set(frozen); err != nil {
		if frozen {
			err = errors.Join(err, set(false)) // half frozen is neither
		}
		return err
	}
	h.st.Phase = gpu.PhaseRunning
	if frozen {
		h.st.Phase = gpu.PhaseSuspended
	}
	return writeJSON(".", stateFile, h.st)
}

// stopEach does by signals, which parents can see, what no freezer is there for.
func (h *holder) stopEach(stopped bool) error {
	sig := syscall.SIGCONT
	if stopped {
		sig = syscall.SIGSTOP
	}
	for waited := time.Duration(0); waited < endPatience; waited += lookPause {
		if err := h.crew.everyone(sig); err != nil {
			return err
		}
		time.Sleep(lookPause)
		pids, err := h.living()
		if err != nil {
			return err
		}
		done := true
		for _, pid := range pids {
			s, ok := readStat(pid)
			done = done && (!ok || s.state == 'T' == stopped)
		}
		if done {
			return nil
		}
	}
	return fmt.Errorf("the processes of %s did not all take %v within %v", h.rec.Spec.ID, sig, endPatience)
}
