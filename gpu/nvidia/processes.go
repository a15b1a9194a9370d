package nvidia

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/meterhouse/meterhouse/gpu"
)

// Processes lists what computes or draws on a device, by PID.
func (s *Source) Processes(ctx context.Context, uuid string) ([]gpu.Process, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.calls.Done()
	w, err := s.workerOf(uuid)
	if err != nil {
		return nil, fmt.Errorf("NVIDIA: processes of %s: %w", uuid, err)
	}
	waits, cancel := context.WithTimeout(ctx, s.cfg.Patience)
	defer cancel()
	type result struct {
		list []gpu.Process
		err  error
	}
	got := make(chan result, 1)
	if !w.ask(waits, func() {
		list, err := w.processes()
		got <- result{list, err}
	}) {
		return nil, fmt.Errorf("NVIDIA: processes of %s: no answer in time", uuid)
	}
	r := <-got
	if r.err != nil {
		return nil, fmt.Errorf("NVIDIA: processes of %s: %w", uuid, r.err)
	}
	return r.list, nil
}

// workerOf returns the worker to ask about a device, or why there is none to ask.
func (s *Source) workerOf(uuid string) (*worker, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.find(uuid)
	switch {
	case d == nil:
		return nil, gpu.ErrNoDevice
	case s.absent != nil:
		return nil, s.absent
	case d.worker == nil || d.worker.stuckFor(s.cfg.Now()) >= s.cfg.Patience:
		return nil, fmt.Errorf("the device is lost")
	}
	return d.worker, nil
}

// processes asks for both kinds. go-nvml slices by the count that the driver answers with, so a driver that counts wrongly
// makes it panic; that is taken as an unknown list.
func (w *worker) processes() (list []gpu.Process, err error) {
	defer func() {
		if r := recover(); r != nil {
			list, err = nil, fmt.Errorf("the driver's list makes no sense: %v", r)
		}
	}()
	compute, ret := w.ofKind("nvmlDeviceGetComputeRunningProcesses", nvml.Device.GetComputeRunningProcesses)
	if ret != nvml.SUCCESS {
		return nil, fmt.Errorf("%s", answer(ret))
	}
	graphics, ret := w.ofKind("nvmlDeviceGetGraphicsRunningProcesses", nvml.Device.GetGraphicsRunningProcesses)
	if ret != nvml.SUCCESS && whyOf(ret) != gpu.NotSupported { // a device that can not draw has none that draws
		return nil, fmt.Errorf("%s", answer(ret))
	}
	byPID := map[int]gpu.Process{}
	for _, p := range append(compute, graphics...) {
		pid := int(p.Pid)
		held := gpu.Unknown(gpu.NotSupported) // all bits set: the driver does not know
		if n := signed(p.UsedGpuMemory); n >= 0 {
			held = w.info.Plausible(gpu.MemoryUsed, n)
		}
		if _, known := held.Get(); known || byPID[pid].PID == 0 {
			byPID[pid] = gpu.Process{PID: pid, Name: processName(pid), MemoryBytes: held}
		}
	}
	for _, p := range byPID {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b gpu.Process) int { return a.PID - b.PID })
	return list, nil
}

func (w *worker) ofKind(symbol string, ask func(nvml.Device) ([]nvml.ProcessInfo, nvml.Return)) (list []nvml.ProcessInfo, ret nvml.Return) {
	ret = w.call(func() (ret nvml.Return) {
		list, ret = ask(w.handle)
		return ret
	}, symbol+"_v3", symbol+"_v2", symbol)
	return list, ret
}

// processName is what the kernel calls a process; "" where it is gone or not ours to see.
func processName(pid int) string {
	name, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(name), "\n")
}
