package nvidia

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// read returns one round of readings by UUID.
func read(t *testing.T, s *Source, within time.Duration) map[string]gpu.Reading {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	readings, err := s.Read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	byUUID := map[string]gpu.Reading{}
	for _, r := range readings {
		byUUID[r.UUID] = r
	}
	return byUUID
}

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for limit := time.Now().Add(20 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func devices(t *testing.T, s *Source) []gpu.Device {
	t.Helper()
	list, err := s.Devices(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func events(t *testing.T, s *Source) []gpu.Event {
	t.Helper()
	list, err := s.Events(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func want(t *testing.T, r gpu.Reading, m gpu.Metric, n int64) {
	t.Helper()
	if got, ok := r.Values[m].Get(); !ok || got != n {
		t.Errorf("%s is %d (known: %v, %s), want %d", m.Info().Name, got, ok, r.Values[m].Why(), n)
	}
}

func wantWhy(t *testing.T, r gpu.Reading, m gpu.Metric, why gpu.Why) {
	t.Helper()
	if n, ok := r.Values[m].Get(); ok || r.Values[m].Why() != why {
		t.Errorf("%s is %d (known: %v) for the reason %s, want %s", m.Info().Name, n, ok, r.Values[m].Why(), why)
	}
}

func TestNoLibraryIsNoDriver(t *testing.T) {
	_, err := Open(Config{Library: filepath.Join(t.TempDir(), "libnvidia-ml.so.1"), Now: time.Now})
	if !errors.Is(err, ErrNoDriver) {
		t.Fatalf("without a library: %v", err)
	}
}

func TestALibraryThatIsNotNVMLIsNoDriver(t *testing.T) {
	if !inChild(t, "-DWITHOUT_INIT") {
		return
	}
	newMachine(t)
	_, err := Open(Config{Library: os.Getenv(libraryEnv), Now: time.Now})
	if !errors.Is(err, ErrNoDriver) || !strings.Contains(err.Error(), "nvmlInit") {
		t.Fatalf("with a library that can not be started: %v", err)
	}
}

func TestADriverThatIsNotLoadedIsNoDriver(t *testing.T) {
	if !inChild(t) {
		return
	}
	before := runtime.NumGoroutine()
	m := newMachine(t)
	m.init = notLoaded
	m.write()
	_, err := Open(Config{Library: os.Getenv(libraryEnv), Now: time.Now})
	if !errors.Is(err, ErrNoDriver) || errors.Is(err, ErrStuck) {
		t.Fatalf("without a driver in the kernel: %v", err)
	}
	until(t, "every goroutine to end", func() bool { return runtime.NumGoroutine() <= before })
}

// The A100 and the card for the desk are joined; the L4 has a link whose far end the driver does not know.
func TestDevicesThatAreJoinedByNVLinkAreAnIsland(t *testing.T) {
	if !inChild(t) {
		return
	}
	m := newMachine(t)
	for k, far := range []int64{2, 99, 0} {
		m.gpus[k].with["links"], m.gpus[k].with["far"] = 4, far
	}
	m.write()
	pci := t.TempDir()
	for bus, node := range map[string]string{"0000:17:00.0": "1\n", "0000:3b:00.0": "-1\n"} {
		if err := os.MkdirAll(filepath.Join(pci, bus), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(pci, bus, "numa_node"), []byte(node), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(Config{Library: os.Getenv(libraryEnv), Now: time.Now, Patience: 5 * time.Second, PCI: pci})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	read(t, s, 5*time.Second) // a reading changes none of it
	got := devices(t, s)
	for k, want := range []struct{ island, numa string }{{"00000000:17:00.0", "1"}, {"", ""}, {"00000000:17:00.0", ""}} {
		if got[k].Island != want.island || got[k].NUMA != want.numa {
			t.Errorf("%s is on island %q and NUMA node %q, want %q and %q", got[k].Model, got[k].Island, got[k].NUMA, want.island, want.numa)
		}
	}
}

func TestEveryValueIsReadInItsUnit(t *testing.T) {
	if !inChild(t) {
		return
	}
	m := newMachine(t)
	desk := m.gpus[2]
	desk.with["util"], desk.with["busy"], desk.with["used"] = 42, 7, 3<<30
	m.write()
	s := m.open(5 * time.Second)
	d := devices(t, s)[2]
	if d.Model != "GeForce RTX 4090" || d.Vendor != "NVIDIA" || d.Driver != "550.54.15" || d.ComputeCapability != "8.0" ||
		d.MemoryBytes != 24<<30 || d.PowerLimit != gpu.Known(450_000) || d.PCIBusID != "00000000:5E:00.0" || d.Index != 2 || d.Simulated {
		t.Errorf("device is %+v", d)
	}
	r := read(t, s, 5*time.Second)[desk.uuid]
	for m, n := range map[gpu.Metric]int64{gpu.Utilization: 420, gpu.MemoryBusy: 70, gpu.MemoryUsed: 3 << 30,
		gpu.MemoryReserved: 400 << 20, gpu.MemoryTotal: 24 << 30, gpu.Power: 25_000, gpu.Energy: 700, gpu.Temperature: 39,
		gpu.ClockSM: 210, gpu.ClockMemory: 1593, gpu.Fan: 300, gpu.Throttle: 0} {
		want(t, r, m, n)
	}
	wantWhy(t, read(t, s, 5*time.Second)[m.gpus[0].uuid], gpu.Fan, gpu.NotSupported)
}

func TestAMissingSymbolIsNotSupported(t *testing.T) {
	if !inChild(t, "-DWITHOUT_MEMORY_V2", "-DWITHOUT_PROCESSES") {
		return
	}
	m := newMachine(t)
	s := m.open(5 * time.Second)
	r := read(t, s, 5*time.Second)[m.gpus[0].uuid]
	want(t, r, gpu.MemoryUsed, 608<<20) // the old call has the driver's own part in it
	want(t, r, gpu.MemoryTotal, 80<<30)
	wantWhy(t, r, gpu.MemoryReserved, gpu.NotSupported)
	if list, err := s.Processes(context.Background(), m.gpus[0].uuid); err == nil {
		t.Errorf("a driver that can not list processes has %v", list)
	}
}

func TestWhatIsNotSupportedIsAskedOnce(t *testing.T) {
	if !inChild(t) {
		return
	}
	m := newMachine(t)
	m.set(m.gpus[0].uuid, "unsupported", utilizationBit|powerBit)
	log := os.Getenv(scriptEnv) + ".log"
	if err := os.WriteFile(log, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := m.open(5 * time.Second)
	for range 5 {
		r := read(t, s, 5*time.Second)[m.gpus[0].uuid]
		for _, m := range []gpu.Metric{gpu.Utilization, gpu.MemoryBusy, gpu.Power} {
			wantWhy(t, r, m, gpu.NotSupported)
		}
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for function, times := range map[string]int{"nvmlDeviceGetUtilizationRates": 1, "nvmlDeviceGetPowerUsage": 1,
		"nvmlDeviceGetTemperature": 5, "nvmlDeviceGetName": 1} {
		if n := strings.Count(string(text), function+" "+m.gpus[0].uuid+"\n"); n != times {
			t.Errorf("%s was called %d times in 5 readings, want %d", function, n, times)
		}
	}
}

func TestSlowValuesAreReadAgainAfterAnEvent(t *testing.T) {
	if !inChild(t) {
		return
	}
	m := newMachine(t)
	s := m.open(5 * time.Second)
	m.set(m.gpus[0].uuid, "limit", 300_000)
	for range 3 {
		read(t, s, 5*time.Second)
	}
	if limit := devices(t, s)[0].PowerLimit; limit != gpu.Known(400_000) {
		t.Errorf("the limit was read again within seconds: %v", limit)
	}
	m.xid(m.gpus[0].uuid, 62)
	until(t, "the new limit", func() bool {
		read(t, s, 5*time.Second)
		return devices(t, s)[0].PowerLimit == gpu.Known(300_000)
	})
}

func TestProcessesAreNamedAsTheHostNamesThem(t *testing.T) {
	if !inChild(t) {
		return
	}
	m := newMachine(t)
	m.set(m.gpus[0].uuid, "pid", int64(os.Getpid()))
	s := m.open(5 * time.Second)
	list, err := s.Processes(context.Background(), m.gpus[0].uuid)
	if err != nil || len(list) != 2 {
		t.Fatalf("processes are %v, %v", list, err)
	}
	if list[0].PID != 1 || list[0].MemoryBytes != gpu.Unknown(gpu.NotSupported) {
		t.Errorf("a process whose memory the driver does not know: %+v", list[0])
	}
	name, _ := os.ReadFile("/proc/self/comm")
	if list[1].PID != os.Getpid() || list[1].Name != strings.TrimSpace(string(name)) || list[1].MemoryBytes != gpu.Known(8<<20) {
		t.Errorf("this process: %+v", list[1])
	}
	if list, err := s.Processes(context.Background(), m.gpus[1].uuid); err != nil || len(list) != 0 {
		t.Errorf("a free device has %v, %v", list, err)
	}
	m.set(m.gpus[0].uuid, "pid", -1)
	if list, err := s.Processes(context.Background(), m.gpus[0].uuid); err == nil {
		t.Errorf("a driver that counts wrongly gives %v", list)
	}
	if _, ok := read(t, s, 5*time.Second)[m.gpus[0].uuid].Values[gpu.Power].Get(); !ok {
		t.Error("after a nonsense list the device is read no more")
	}
}

func TestAReplacedLibraryIsNamedWithBothVersions(t *testing.T) {
	if !inChild(t) {
		return
	}
	m := newMachine(t)
	m.open(5 * time.Second)
	library := os.Getenv(libraryEnv)
	if path, replaced := loadedLibrary(library); path != library || replaced {
		t.Errorf("loaded is %q, replaced: %v", path, replaced)
	}
	if err := os.Remove(library); err != nil {
		t.Fatal(err)
	}
	if path, replaced := loadedLibrary(library); path != library || !replaced {
		t.Errorf("after it was removed, loaded is %q, replaced: %v", path, replaced)
	}
	if detail := mismatchDetail(library); !strings.Contains(detail, "restart the console") {
		t.Errorf("detail is %q", detail)
	}
	for name, want := range map[string]string{"libnvidia-ml.so.550.54.15": "550.54.15", "libnvidia-ml.so.535.230": "535.230", "libnvidia-ml.so.1": ""} {
		if got := version.FindString(name); got != want {
			t.Errorf("version of %s is %q", name, got)
		}
	}
}

func TestTheOrderOfTheDriverIsOnlyForShow(t *testing.T) {
	if !inChild(t) {
		return
	}
	m := newMachine(t)
	s := m.open(2 * time.Second)
	first := m.gpus[0].uuid
	slices.Reverse(m.gpus) // the driver was reset and lists anew
	for _, c := range m.gpus {
		c.with["answer"] = lost
	}
	m.write()
	read(t, s, 2*time.Second)
	for _, c := range m.gpus {
		c.with["answer"] = 0
	}
	m.set(first, "energy", 12345)
	until(t, "the new order", func() bool { return devices(t, s)[2].UUID == first })
	until(t, "its energy", func() bool {
		n, _ := read(t, s, 2*time.Second)[first].Values[gpu.Energy].Get()
		return n == 12345
	})
}
