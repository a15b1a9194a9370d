package nvidia

import (
	"math"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/meterhouse/meterhouse/gpu"
)

const (
	// slowEvery is how often the values are read that seldom change; an event of the device's has them read at once.
	slowEvery = time.Minute
	// askAgain is how long "not supported" is remembered; MIG mode can be turned on and off while the console runs.
	askAgain = 10 * time.Minute
	// clocksIdle is NVML's clock event reason for "nothing to do", which is no throttling.
	clocksIdle = 0x1
)

// question is one call that answers with one metric.
type question struct {
	metric  gpu.Metric
	symbols []string
	ask     func(w *worker) (uint64, nvml.Return)
}

var questions = []question{
	{gpu.Power, []string{"nvmlDeviceGetPowerUsage"}, func(w *worker) (uint64, nvml.Return) {
		return widen(w.handle.GetPowerUsage())
	}},
	{gpu.Energy, []string{"nvmlDeviceGetTotalEnergyConsumption"}, func(w *worker) (uint64, nvml.Return) {
		return w.handle.GetTotalEnergyConsumption()
	}},
	{gpu.Temperature, []string{"nvmlDeviceGetTemperature"}, func(w *worker) (uint64, nvml.Return) {
		return widen(w.handle.GetTemperature(nvml.TEMPERATURE_GPU)) // older drivers have only this one
	}},
	{gpu.ClockSM, []string{"nvmlDeviceGetClockInfo"}, func(w *worker) (uint64, nvml.Return) {
		return widen(w.handle.GetClockInfo(nvml.CLOCK_SM))
	}},
	{gpu.ClockMemory, []string{"nvmlDeviceGetClockInfo"}, func(w *worker) (uint64, nvml.Return) {
		return widen(w.handle.GetClockInfo(nvml.CLOCK_MEM))
	}},
	{gpu.Fan, []string{"nvmlDeviceGetFanSpeed"}, func(w *worker) (uint64, nvml.Return) {
		percent, ret := w.handle.GetFanSpeed()
		return uint64(percent) * 10, ret
	}},
	{gpu.Throttle, []string{"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"}, throttle},
}

func widen(n uint32, ret nvml.Return) (uint64, nvml.Return) { return uint64(n), ret }

func throttle(w *worker) (mask uint64, ret nvml.Return) {
	if w.lib.has("nvmlDeviceGetCurrentClocksEventReasons") {
		mask, ret = w.handle.GetCurrentClocksEventReasons()
	} else {
		mask, ret = w.handle.GetCurrentClocksThrottleReasons() // drivers before 535 have only this one
	}
	return mask &^ clocksIdle, ret
}

// read asks the device for everything. The answer is a failure only where it ends the device or the session, and then no
// value of the reading is known.
func (w *worker) read() (gpu.Reading, nvml.Return) {
	r := gpu.Reading{UUID: w.info.UUID, At: w.now()}
	ret := w.readInto(&r)
	if ret != nvml.SUCCESS {
		fillUnknown(&r, whyOf(ret))
	}
	return r, ret
}

func (w *worker) readInto(r *gpu.Reading) nvml.Return {
	if w.stale.Swap(false) || w.now().Sub(w.slowAt) >= slowEvery {
		if ret := w.readSlow(); ret != nvml.SUCCESS {
			return ret
		}
	}
	if ret := w.readRates(r); endsDevice(ret) || endsSession(ret) {
		return ret
	}
	if ret := w.readFill(r); endsDevice(ret) || endsSession(ret) {
		return ret
	}
	for _, q := range questions {
		if !w.worthAsking(r, q.metric) {
			continue
		}
		var n uint64
		ret := w.call(func() (ret nvml.Return) {
			n, ret = q.ask(w)
			return ret
		}, q.symbols...)
		if endsDevice(ret) || endsSession(ret) {
			return ret
		}
		w.put(r, q.metric, signed(n), ret)
	}
	return nvml.SUCCESS
}

func (w *worker) readRates(r *gpu.Reading) nvml.Return {
	if !w.worthAsking(r, gpu.Utilization) {
		r.Values[gpu.MemoryBusy] = gpu.Unknown(gpu.NotSupported)
		return nvml.SUCCESS
	}
	var rates nvml.Utilization
	ret := w.call(func() (ret nvml.Return) {
		rates, ret = w.handle.GetUtilizationRates()
		return ret
	}, "nvmlDeviceGetUtilizationRates")
	w.put(r, gpu.Utilization, int64(rates.Gpu)*10, ret)
	w.put(r, gpu.MemoryBusy, int64(rates.Memory)*10, ret)
	return ret
}

func (w *worker) readFill(r *gpu.Reading) nvml.Return {
	if !w.worthAsking(r, gpu.MemoryTotal) {
		r.Values[gpu.MemoryUsed], r.Values[gpu.MemoryReserved] = gpu.Unknown(gpu.NotSupported), gpu.Unknown(gpu.NotSupported)
		return nvml.SUCCESS
	}
	memory, ret := w.readMemory()
	w.put(r, gpu.MemoryTotal, memory.total, ret)
	w.put(r, gpu.MemoryUsed, memory.used, ret)
	w.put(r, gpu.MemoryReserved, memory.reserved, ret)
	if ret == nvml.SUCCESS && !memory.hasReserved {
		r.Values[gpu.MemoryReserved] = gpu.Unknown(gpu.NotSupported)
	}
	return ret
}

// memory is how full a device is, in bytes.
type memory struct {
	total, used, reserved int64
	hasReserved           bool // false: the driver is too old to tell its own part, and used has it in it
}

// readMemory prefers the call that tells apart what is used and what the driver keeps for itself.
func (w *worker) readMemory() (m memory, ret nvml.Return) {
	ret = w.call(func() nvml.Return {
		info, ret := w.handle.GetMemoryInfo_v2()
		m = memory{signed(info.Total), signed(info.Used), signed(info.Reserved), true}
		return ret
	}, "nvmlDeviceGetMemoryInfo_v2")
	if whyOf(ret) != gpu.NotSupported {
		return m, ret
	}
	ret = w.call(func() nvml.Return {
		info, ret := w.handle.GetMemoryInfo()
		m = memory{signed(info.Total), signed(info.Used), 0, false}
		return ret
	}, "nvmlDeviceGetMemoryInfo")
	return m, ret
}

// worthAsking reports whether the device may support a metric; if not, the reading says so.
func (w *worker) worthAsking(r *gpu.Reading, m gpu.Metric) bool {
	if r.At.Before(w.unsupported[m]) {
		r.Values[m] = gpu.Unknown(gpu.NotSupported)
		return false
	}
	return true
}

// put sets a metric from the driver's answer and remembers that it is not supported.
func (w *worker) put(r *gpu.Reading, m gpu.Metric, n int64, ret nvml.Return) {
	if ret == nvml.SUCCESS {
		r.Values[m] = w.info.Plausible(m, n)
		return
	}
	r.Values[m] = gpu.Unknown(whyOf(ret))
	if whyOf(ret) == gpu.NotSupported {
		w.unsupported[m] = r.At.Add(askAgain)
	}
}

// signed is n, or -1, which no metric accepts, where it does not fit: NVML marks "not available" with all bits set.
func signed(n uint64) int64 {
	if n > math.MaxInt64 {
		return -1
	}
	return int64(n)
}

func fillUnknown(r *gpu.Reading, why gpu.Why) {
	for m := range r.Values {
		r.Values[m] = gpu.Unknown(why)
	}
}
