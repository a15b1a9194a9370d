package nvidia

import (
	"strconv"
	"strings"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/meterhouse/meterhouse/gpu"
)

// identify opens the device at the worker's index and reads who it is.
func (w *worker) identify(driver string) nvml.Return {
	ret := w.call(func() (ret nvml.Return) {
		w.handle, ret = w.lib.DeviceGetHandleByIndex(w.index)
		return ret
	}, "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex")
	if ret != nvml.SUCCESS {
		return ret
	}
	w.info = gpu.Device{Index: w.index, Vendor: "NVIDIA", Driver: driver}
	ret = w.call(func() (ret nvml.Return) {
		w.info.UUID, ret = w.handle.GetUUID()
		return ret
	}, "nvmlDeviceGetUUID")
	if ret != nvml.SUCCESS {
		return ret
	}
	if w.info.UUID == "" {
		return nvml.ERROR_UNKNOWN
	}
	ret = w.call(func() nvml.Return {
		pci, ret := w.handle.GetPciInfo()
		w.info.PCIBusID = text(pci.BusId[:])
		return ret
	}, "nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2", "nvmlDeviceGetPciInfo")
	if ret != nvml.SUCCESS {
		return ret
	}
	return w.readSlow()
}

// readSlow reads what seldom changes. Only an answer that ends the device or the session is returned as a failure.
func (w *worker) readSlow() nvml.Return {
	ret := w.call(func() nvml.Return {
		name, ret := w.handle.GetName()
		if ret == nvml.SUCCESS {
			w.info.Model = strings.TrimPrefix(name, "NVIDIA ")
		}
		return ret
	}, "nvmlDeviceGetName")
	if endsDevice(ret) || endsSession(ret) {
		return ret
	}
	ret = w.call(func() nvml.Return {
		limit, ret := w.handle.GetEnforcedPowerLimit()
		w.info.PowerLimit = gpu.Unknown(whyOf(ret))
		if ret == nvml.SUCCESS {
			w.info.PowerLimit = gpu.Device{}.Plausible(gpu.Power, int64(limit))
		}
		return ret
	}, "nvmlDeviceGetEnforcedPowerLimit")
	if endsDevice(ret) || endsSession(ret) {
		return ret
	}
	if ret == nvml.ERROR_FUNCTION_NOT_FOUND {
		w.info.PowerLimit = gpu.Unknown(gpu.NotSupported)
	}
	ret = w.call(func() nvml.Return {
		major, minor, ret := w.handle.GetCudaComputeCapability()
		if ret == nvml.SUCCESS {
			w.info.ComputeCapability = strconv.Itoa(major) + "." + strconv.Itoa(minor)
		}
		return ret
	}, "nvmlDeviceGetCudaComputeCapability")
	if endsDevice(ret) || endsSession(ret) {
		return ret
	}
	memory, ret := w.readMemory()
	if endsDevice(ret) || endsSession(ret) {
		return ret
	}
	if total, ok := (gpu.Device{}).Plausible(gpu.MemoryTotal, memory.total).Get(); ok && ret == nvml.SUCCESS {
		w.info.MemoryBytes = uint64(total)
	}
	if ret := w.readLinks(); ret != nvml.SUCCESS {
		return ret
	}
	w.slowAt = w.now()
	return nvml.SUCCESS
}

// text is a C string in a fixed field.
func text(field []int8) string {
	var b strings.Builder
	for _, c := range field {
		if c == 0 {
			break
		}
		b.WriteByte(byte(c))
	}
	return b.String()
}
