package nvidia

import (
	"fmt"

	"github.com/NVIDIA/go-nvml/pkg/dl"
	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/meterhouse/meterhouse/gpu"
)

const defaultLibrary = "libnvidia-ml.so.1"

// library is NVML as this machine has it. Its symbols are looked up once, before anything is called: go-nvml binds lazily,
// so that a call of what is not there ends the process.
type library struct {
	nvml.Interface
	name    string
	symbols map[string]bool
}

// needed are the symbols without which nothing can be read. Each entry lists alternatives, of which one must be there.
var needed = [][]string{
	{"nvmlInit_v2", "nvmlInit"},
	{"nvmlShutdown"},
	{"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"},
	{"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"},
	{"nvmlDeviceGetUUID"},
	{"nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2", "nvmlDeviceGetPciInfo"},
}

// wanted are the further symbols that are called where they are there.
var wanted = []string{
	"nvmlSystemGetDriverVersion", "nvmlDeviceGetName", "nvmlDeviceGetCudaComputeCapability", "nvmlDeviceGetEnforcedPowerLimit",
	"nvmlDeviceGetUtilizationRates", "nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetMemoryInfo", "nvmlDeviceGetPowerUsage",
	"nvmlDeviceGetTotalEnergyConsumption", "nvmlDeviceGetTemperature", "nvmlDeviceGetClockInfo", "nvmlDeviceGetFanSpeed",
	"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons",
	"nvmlDeviceGetComputeRunningProcesses", "nvmlDeviceGetComputeRunningProcesses_v2", "nvmlDeviceGetComputeRunningProcesses_v3",
	"nvmlDeviceGetGraphicsRunningProcesses", "nvmlDeviceGetGraphicsRunningProcesses_v2", "nvmlDeviceGetGraphicsRunningProcesses_v3",
	"nvmlEventSetCreate", "nvmlEventSetFree", "nvmlEventSetWait", "nvmlEventSetWait_v2", "nvmlDeviceRegisterEvents",
	"nvmlDeviceGetSupportedEventTypes", "nvmlDeviceGetNvLinkState", "nvmlDeviceGetNvLinkRemotePciInfo", "nvmlDeviceGetNvLinkRemotePciInfo_v2",
}

// load opens the library and looks its symbols up, without calling any.
func load(name string) (*library, error) {
	if name == "" {
		name = defaultLibrary
	}
	// The handle is kept for good: what the linker has bound it can not let go of anyway.
	handle := dl.New(name, dl.RTLD_LAZY|dl.RTLD_GLOBAL)
	if err := handle.Open(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoDriver, err)
	}
	l := &library{Interface: nvml.New(nvml.WithLibraryPath(name)), name: name, symbols: map[string]bool{}}
	for _, symbol := range wanted {
		l.symbols[symbol] = handle.Lookup(symbol) == nil
	}
	for _, alternatives := range needed {
		for _, symbol := range alternatives {
			l.symbols[symbol] = handle.Lookup(symbol) == nil
		}
		if !l.has(alternatives...) {
			return nil, fmt.Errorf("%w: %s has no %s", ErrNoDriver, name, alternatives[0])
		}
	}
	return l, nil
}

// has reports whether one of the symbols is there.
func (l *library) has(symbols ...string) bool {
	for _, symbol := range symbols {
		if l.symbols[symbol] {
			return true
		}
	}
	return false
}

// The words for NVML's answers. nvml.Return's own String calls a symbol of the library, so it is never used.
var answers = map[nvml.Return]string{
	nvml.ERROR_UNINITIALIZED:           "NVML is not started",
	nvml.ERROR_NOT_SUPPORTED:           "not supported",
	nvml.ERROR_NO_PERMISSION:           "no permission",
	nvml.ERROR_DRIVER_NOT_LOADED:       "the kernel's driver is not loaded",
	nvml.ERROR_TIMEOUT:                 "the driver timed out",
	nvml.ERROR_LIBRARY_NOT_FOUND:       "the library could not be opened",
	nvml.ERROR_FUNCTION_NOT_FOUND:      "the library is too old for it",
	nvml.ERROR_GPU_IS_LOST:             "the GPU has fallen off the bus or is otherwise not accessible",
	nvml.ERROR_RESET_REQUIRED:          "the GPU needs a reset",
	nvml.ERROR_LIB_RM_VERSION_MISMATCH: "driver and library versions differ",
	nvml.ERROR_GPU_NOT_FOUND:           "the GPU is not there",
}

func answer(ret nvml.Return) string {
	if words, ok := answers[ret]; ok {
		return words
	}
	return fmt.Sprintf("the driver answered with error %d", int32(ret))
}

// whyOf is an answer as the reason of an unknown value.
func whyOf(ret nvml.Return) gpu.Why {
	switch ret {
	case nvml.ERROR_NOT_SUPPORTED, nvml.ERROR_FUNCTION_NOT_FOUND, nvml.ERROR_ARGUMENT_VERSION_MISMATCH, nvml.ERROR_DEPRECATED:
		return gpu.NotSupported
	case nvml.ERROR_NO_PERMISSION:
		return gpu.NoPermission
	case nvml.ERROR_LIB_RM_VERSION_MISMATCH:
		return gpu.Mismatch
	}
	if endsDevice(ret) || endsSession(ret) {
		return gpu.Lost
	}
	return gpu.NotRead
}

// endsDevice reports whether the answer means that the device is gone as a whole.
func endsDevice(ret nvml.Return) bool {
	return ret == nvml.ERROR_GPU_IS_LOST || ret == nvml.ERROR_RESET_REQUIRED || ret == nvml.ERROR_GPU_NOT_FOUND
}

// endsSession reports whether the answer means that nothing more will come before NVML is started anew.
func endsSession(ret nvml.Return) bool {
	return ret == nvml.ERROR_UNINITIALIZED || ret == nvml.ERROR_DRIVER_NOT_LOADED || ret == nvml.ERROR_LIB_RM_VERSION_MISMATCH
}
