package nvidia

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/meterhouse/meterhouse/gpu"
)

// pciDevices is where the kernel says of PCI devices what it knows (Documentation/ABI/testing/sysfs-bus-pci).
const pciDevices = "/sys/bus/pci/devices"

// nowhere is what the driver writes for the far end of a link that it does not know.
const nowhere = "FFFFFFFF"

// readLinks reads what the device's NVLinks end at. One that is not up joins nothing.
func (w *worker) readLinks() nvml.Return {
	var ends []string
	for link := range nvml.NVLINK_MAX_LINKS {
		var state nvml.EnableState
		ret := w.call(func() (ret nvml.Return) {
			state, ret = w.handle.GetNvLinkState(link)
			return ret
		}, "nvmlDeviceGetNvLinkState")
		if ret != nvml.SUCCESS || state != nvml.FEATURE_ENABLED {
			if endsDevice(ret) || endsSession(ret) {
				return ret
			}
			if ret == nvml.ERROR_NOT_SUPPORTED || ret == nvml.ERROR_INVALID_ARGUMENT || ret == nvml.ERROR_FUNCTION_NOT_FOUND {
				break // it has no links, or no more
			}
			continue
		}
		ret = w.call(func() nvml.Return {
			pci, ret := w.handle.GetNvLinkRemotePciInfo(link)
			if bus := text(pci.BusId[:]); ret == nvml.SUCCESS && bus != "" && !strings.HasPrefix(bus, nowhere) {
				ends = append(ends, bus)
			}
			return ret
		}, "nvmlDeviceGetNvLinkRemotePciInfo_v2", "nvmlDeviceGetNvLinkRemotePciInfo")
		if endsDevice(ret) || endsSession(ret) {
			return ret
		}
	}
	w.links = ends
	return nvml.SUCCESS
}

// numaOf is the NUMA node of a PCI device as the kernel knows it; "" where it does not.
func numaOf(dir, bus string) string {
	domain, rest, ok := strings.Cut(strings.ToLower(bus), ":")
	if !ok || len(domain) < 4 {
		return ""
	}
	content, err := os.ReadFile(filepath.Join(dir, domain[len(domain)-4:]+":"+rest, "numa_node"))
	if err != nil {
		return ""
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil || n < 0 { // -1: a machine with one, or a firmware that does not say
		return ""
	}
	return strconv.Itoa(n)
}

// joined adds to devices the islands that their links make.
func joined(devices []gpu.Device, links map[string][]string) {
	islands := gpu.Islands(links)
	for k := range devices {
		devices[k].Island = islands[devices[k].PCIBusID]
	}
}
