package sim

import (
	"hash/fnv"
	"math"
	"strconv"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

const (
	// shortestSample is the shortest time over which CPU time is turned into a load; below it, the kernel's accounting is too
	// coarse and readings would jump.
	shortestSample = 200 * time.Millisecond
	// smoothing is the time in which a step of the load has moved the utilization by 63 %; with a reading a second, 86 %.
	smoothing = 500 * time.Millisecond
	// warming is the same for the temperature: a heat sink takes its time.
	warming = 20 * time.Second
	// busyMemory is the share of the time in which a typical kernel also keeps the memory busy.
	busyMemory = 0.6
	// noisePerMille is how much power wavers around its mean.
	noisePerMille = 15
	// nonsensePower is what a driver once reported as milliwatts: 3.7 million watts.
	nonsensePower = 3_700_000_000
	// powerCapped is NVML's clock event reason for "held at the power limit".
	powerCapped = 0x4
)

// device is one simulated GPU: its description and what it does now.
type device struct {
	gpu.Device
	def deviceDef

	sampledAt   time.Time
	loaded      bool          // an instance had it at the last sample
	cpu         time.Duration // of that instance, at the last sample
	utilization float64       // 0 to 1
	memory      int64         // bytes
	power       int64         // milliwatts
	energy      float64       // millijoules
	celsius     float64
	lost        bool // the last reading found it lost
}

func newDevice(def deviceDef, index int, driver string, opened time.Time) *device {
	numa := ""
	if def.NUMA != nil {
		numa = strconv.FormatInt(*def.NUMA, 10)
	}
	return &device{
		Device: gpu.Device{
			UUID: uuidOf(def.ID), PCIBusID: def.PCIBusID, Index: index, Vendor: def.Vendor, Model: def.Model,
			MemoryBytes: uint64(*def.MemoryMiB) << 20, PowerLimit: gpu.Known(*def.LimitWatts * 1000),
			ComputeCapability: def.ComputeCapability, Driver: driver, Simulated: true, NUMA: numa,
		},
		def: def, sampledAt: opened, celsius: float64(*def.IdleCelsius), power: *def.IdleWatts * 1000,
	}
}

// sample moves the device on to now, with what its instance did since the last sample.
func (d *device) sample(now time.Time, cpu time.Duration, memory int64, loaded bool) {
	passed := now.Sub(d.sampledAt)
	if passed < shortestSample {
		return
	}
	d.energy += float64(d.power) * passed.Seconds()
	target := 0.0
	if loaded && d.loaded && cpu >= d.cpu {
		target = min(1, (cpu-d.cpu).Seconds()/passed.Seconds() / *d.def.FullLoadCores)
	}
	if loaded {
		d.utilization += (target - d.utilization) * approach(passed, smoothing)
		d.memory = d.scaled(memory)
	} else {
		d.utilization, d.memory = 0, 0
	}
	d.power = d.powerAt(now)
	goal := mix(*d.def.IdleCelsius, *d.def.FullCelsius, d.utilization)
	d.celsius += (goal - d.celsius) * approach(passed, warming)
	d.sampledAt, d.cpu, d.loaded = now, cpu, loaded
}

// restart is what a reset does: counters begin anew.
func (d *device) restart(now time.Time) {
	d.energy, d.utilization, d.loaded, d.lost, d.sampledAt = 0, 0, false, false, now
}

func (d *device) values() [gpu.NumMetrics]gpu.Value {
	var v [gpu.NumMetrics]gpu.Value
	set := func(m gpu.Metric, n int64) { v[m] = d.Plausible(m, n) }
	set(gpu.Utilization, perMille(d.utilization))
	set(gpu.MemoryBusy, perMille(d.utilization*busyMemory))
	set(gpu.MemoryUsed, d.memory)
	set(gpu.MemoryReserved, *d.def.ReservedMiB<<20)
	set(gpu.MemoryTotal, int64(d.MemoryBytes))
	set(gpu.Power, d.power)
	set(gpu.Energy, int64(d.energy))
	set(gpu.Temperature, int64(math.Round(d.celsius)))
	set(gpu.ClockSM, int64(math.Round(mix(*d.def.IdleMHz, *d.def.FullMHz, math.Sqrt(d.utilization)))))
	set(gpu.ClockMemory, *d.def.MemoryMHz)
	v[gpu.Fan] = gpu.Unknown(gpu.NotSupported)
	if *d.def.Fan {
		set(gpu.Fan, 300+perMille(d.utilization*0.5))
	}
	set(gpu.Throttle, 0)
	if d.utilization > 0.985 {
		set(gpu.Throttle, powerCapped)
	}
	return v
}

// scaled is the GPU memory that an instance's memory on this machine stands for; what the driver reserves is never in it.
func (d *device) scaled(memory int64) int64 {
	room := int64(d.MemoryBytes) - *d.def.ReservedMiB<<20
	scale := *d.def.MemoryScale
	switch {
	case memory <= 0 || scale == 0:
		return 0
	case memory > room/scale:
		return room
	}
	return memory * scale
}

// powerAt follows the utilization, wavering a little; the same second of the same device always wavers the same way.
func (d *device) powerAt(now time.Time) int64 {
	idle, limit := *d.def.IdleWatts*1000, *d.def.LimitWatts*1000
	h := fnv.New32a()
	h.Write([]byte(d.UUID + strconv.FormatInt(now.Unix(), 10)))
	waver := int64(h.Sum32()%(2*noisePerMille+1)) - noisePerMille
	mean := int64(mix(idle, limit, d.utilization))
	return min(mean+mean*waver/1000, limit)
}

// approach is the part of a difference that is made up in a time, for a quantity that moves with that time constant.
func approach(passed, constant time.Duration) float64 {
	return 1 - math.Exp(-passed.Seconds()/constant.Seconds())
}

func mix(low, high int64, share float64) float64 {
	return float64(low) + float64(high-low)*share
}

func perMille(share float64) int64 { return int64(math.Round(share * 1000)) }
