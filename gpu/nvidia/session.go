package nvidia

import (
	"slices"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// maxDevices is more than any machine has; a driver that counts more counts wrongly.
const maxDevices = 256

// session is NVML between a successful Init and its Shutdown. Only the keeper touches it.
type session struct {
	lib     *library
	driver  string // version
	workers []*worker
	set     nvml.EventSet
	hasSet  bool
	watcher *watcher // nil while nobody watches
	found   func(nvml.EventData)
}

// beginSession starts NVML and one worker a device; nothing of the devices is asked yet.
func beginSession(lib *library, now func() time.Time, found func(nvml.EventData)) (*session, nvml.Return) {
	if ret := lib.Init(); ret != nvml.SUCCESS {
		return nil, ret
	}
	s := &session{lib: lib, found: found}
	count, ret := lib.DeviceGetCount()
	if ret == nvml.SUCCESS && (count < 0 || count > maxDevices) {
		ret = nvml.ERROR_UNKNOWN
	}
	if ret != nvml.SUCCESS {
		_ = lib.Shutdown() // ret is the news
		return nil, ret
	}
	if lib.has("nvmlSystemGetDriverVersion") {
		if version, ret := lib.SystemGetDriverVersion(); ret == nvml.SUCCESS {
			s.driver = version
		}
	}
	if lib.has("nvmlEventSetCreate") && lib.has("nvmlEventSetFree") && lib.has("nvmlDeviceRegisterEvents") &&
		lib.has("nvmlDeviceGetSupportedEventTypes") && lib.has("nvmlEventSetWait", "nvmlEventSetWait_v2") {
		s.set, ret = lib.EventSetCreate()
		s.hasSet = ret == nvml.SUCCESS
	}
	for i := range count {
		s.workers = append(s.workers, newWorker(lib, i, now))
	}
	return s, nvml.SUCCESS
}

// register asks for a device's Xid events, where it has any. It runs in the worker's goroutine.
func (s *session) register(w *worker) {
	if !s.hasSet {
		return
	}
	_ = w.call(func() nvml.Return { // a device without events is read all the same
		types, ret := w.handle.GetSupportedEventTypes()
		if ret != nvml.SUCCESS || types&nvml.EventTypeXidCriticalError == 0 {
			return ret
		}
		return w.handle.RegisterEvents(nvml.EventTypeXidCriticalError, s.set)
	})
}

func (s *session) startWatching() {
	if s.hasSet && s.watcher == nil {
		s.watcher = watch(s.set, s.found)
	}
}

// end shuts NVML down if no call is in flight or all come back within the limit. False means that the session goes on,
// because a call does not return.
func (s *session) end(limit time.Duration) bool {
	if s.watcher != nil && !s.watcher.stop(limit) {
		return false
	}
	s.watcher = nil
	release, parked := s.park(limit)
	if !parked {
		release()
		s.startWatching()
		return false
	}
	s.dismiss()
	release()
	for _, w := range s.workers {
		<-w.ended
	}
	if s.hasSet {
		_ = s.set.Free()
	}
	_ = s.lib.Shutdown() // nobody is left who could do anything about it
	return true
}

// park brings every worker to a stop between two calls, or reports that one does not come to it. The caller owes a release.
func (s *session) park(limit time.Duration) (release func(), parked bool) {
	resume := make(chan struct{})
	arrived := make(chan struct{}, len(s.workers))
	stop := func() {
		arrived <- struct{}{}
		<-resume
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	release = func() { close(resume) }
	for _, w := range s.workers {
		select {
		case w.jobs <- stop:
		case <-timer.C:
			return release, false
		}
	}
	for range s.workers {
		select {
		case <-arrived:
		case <-timer.C:
			return release, false
		}
	}
	return release, true
}

// isStuck reports whether a call has been in flight for longer than that.
func (s *session) isStuck(now time.Time, longer time.Duration) bool {
	return slices.ContainsFunc(s.workers, func(w *worker) bool { return w.stuckFor(now) > longer })
}

// dismiss tells every worker to end after the call in flight.
func (s *session) dismiss() {
	for _, w := range s.workers {
		close(w.quit)
	}
}
