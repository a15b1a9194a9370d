package sim

import (
	"errors"
	"fmt"
	"strconv"
)

// defaultMemoryScale makes a small script's memory visible on a chart of tens of gigabytes.
const defaultMemoryScale = 16

// fill completes a device from its model and refuses what can not be.
func (d *deviceDef) fill() error {
	if !idForm.MatchString(d.ID) {
		return fmt.Errorf("id is %s; it must be 1 to 40 of a-z, 0-9, '.', '_' and '-'", strconv.Quote(d.ID))
	}
	if !pciForm.MatchString(d.PCIBusID) {
		return fmt.Errorf("pci_bus_id is %q; it looks like 00000000:3B:00.0", d.PCIBusID)
	}
	if d.Model == "" || len(d.Model) > 80 || len(d.Vendor) > 40 || len(d.ComputeCapability) > 10 {
		return errors.New("model must be 1 to 80 characters, vendor at most 40, compute_capability at most 10")
	}
	if d.Vendor == "" {
		d.Vendor = "NVIDIA"
	}
	known, isKnown := models[d.Model]
	if d.ComputeCapability == "" {
		d.ComputeCapability = known.ComputeCapability
	}
	numbers := []struct {
		name            string
		field           **int64
		fallback        int64
		lowest, highest int64
	}{
		{"memory_mib", &d.MemoryMiB, known.MemoryMiB, 1, maxMemoryMiB},
		{"reserved_mib", &d.ReservedMiB, known.ReservedMiB, 0, maxMemoryMiB},
		{"idle_watts", &d.IdleWatts, known.IdleWatts, 0, maxWatts},
		{"power_limit_watts", &d.LimitWatts, known.LimitWatts, 1, maxWatts},
		{"idle_celsius", &d.IdleCelsius, orElse(isKnown, known.IdleCelsius, 35), 0, maxCelsius},
		{"full_celsius", &d.FullCelsius, orElse(isKnown, known.FullCelsius, 75), 0, maxCelsius},
		{"idle_mhz", &d.IdleMHz, orElse(isKnown, known.IdleMHz, 210), 0, maxMHz},
		{"full_mhz", &d.FullMHz, orElse(isKnown, known.FullMHz, 1500), 1, maxMHz},
		{"memory_mhz", &d.MemoryMHz, orElse(isKnown, known.MemoryMHz, 1500), 1, maxMHz},
		{"memory_scale", &d.MemoryScale, defaultMemoryScale, 0, maxScale},
	}
	for _, n := range numbers {
		if *n.field == nil {
			*n.field = &n.fallback
		}
		if v := **n.field; v < n.lowest || v > n.highest {
			return fmt.Errorf("%s is %d; between %d and %d are possible%s", n.name, v, n.lowest, n.highest, hint(isKnown, d.Model))
		}
	}
	if d.Fan == nil {
		d.Fan = &known.Fan
	}
	if d.FullLoadCores == nil {
		one := 1.0
		d.FullLoadCores = &one
	}
	switch {
	case d.NUMA != nil && (*d.NUMA < 0 || *d.NUMA > maxNUMA):
		return fmt.Errorf("numa_node is %d; between 0 and %d are possible", *d.NUMA, maxNUMA)
	case !(*d.FullLoadCores >= 0.01 && *d.FullLoadCores <= maxCores):
		return fmt.Errorf("full_load_cores is %v; between 0.01 and %d are possible", *d.FullLoadCores, maxCores)
	case *d.ReservedMiB >= *d.MemoryMiB:
		return fmt.Errorf("reserved_mib is %d, which leaves nothing of memory_mib %d", *d.ReservedMiB, *d.MemoryMiB)
	case *d.IdleWatts > *d.LimitWatts:
		return fmt.Errorf("idle_watts is %d, above power_limit_watts %d", *d.IdleWatts, *d.LimitWatts)
	case *d.IdleCelsius > *d.FullCelsius:
		return fmt.Errorf("idle_celsius is %d, above full_celsius %d", *d.IdleCelsius, *d.FullCelsius)
	case *d.IdleMHz > *d.FullMHz:
		return fmt.Errorf("idle_mhz is %d, above full_mhz %d", *d.IdleMHz, *d.FullMHz)
	}
	return nil
}

// orElse is a where cond holds, else b.
func orElse(cond bool, a, b int64) int64 {
	if cond {
		return a
	}
	return b
}

// hint tells the writer of a file why a number that is not there is asked for.
func hint(isKnown bool, model string) string {
	if isKnown {
		return ""
	}
	return fmt.Sprintf(" (%q is not a model the simulator knows, so the file must say it)", model)
}
