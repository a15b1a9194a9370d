package sim

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

// example is the file that FORMAT.md shows.
func example(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(text)
	if block == nil {
		t.Fatal("FORMAT.md shows no file")
	}
	return block[1]
}

func TestTheDocumentedFileIsReadAsDocumented(t *testing.T) {
	f, err := parse(example(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Devices) != 3 || len(f.Links) != 1 || len(f.Faults) != 6 {
		t.Fatalf("read as %+v", f)
	}
	if right := f.Devices[1]; *right.LimitWatts != 500 || *right.MemoryMiB != 81559 || *right.FullLoadCores != 2 {
		t.Errorf("a known model with two figures of its own is %+v", right)
	}
	text, _ := os.ReadFile("FORMAT.md")
	for name := range models {
		if !strings.Contains(string(text), name) {
			t.Errorf("FORMAT.md does not name the model %s", name)
		}
	}
	for m := range gpu.NumMetrics {
		if !strings.Contains(string(text), "`"+m.Info().Name+"`") {
			t.Errorf("FORMAT.md does not name the metric %s", m.Info().Name)
		}
	}
}

// device is a file with one device that has these further fields.
func withFields(fields string) string {
	return `{"version": 1, "devices": [{"id": "a", "model": "L4", ` + fields + `}]}`
}

func withFault(fields string) string {
	return `{"version": 1, "devices": [{"id": "a", "model": "L4"}], "faults": [{` + fields + `}]}`
}

func withLink(fields string) string {
	return `{"version": 1, "devices": [{"id": "a", "model": "L4"}, {"id": "b", "model": "L4"}], "links": [` + fields + `]}`
}

func TestAWrongFileIsRefusedWithTheReason(t *testing.T) {
	for _, c := range []struct{ name, file, reason string }{
		{"empty", ``, "JSON"},
		{"not an object", `[]`, "JSON"},
		{"cut off", `{"version": 1`, "JSON"},
		{"two objects", withFields(`"fan": true`) + `{}`, "after the end"},
		{"too large", withFields(`"vendor": "` + strings.Repeat("x", maxFileBytes) + `"`), "larger"},
		{"another version", `{"version": 2, "devices": [{"id": "a", "model": "L4"}]}`, "version is 2"},
		{"no devices", `{"version": 1}`, "there are 0"},
		{"too many devices", `{"version": 1, "devices": [` + strings.Repeat(`{},`, maxDevices) + `{}]}`, "there are 1025"},
		{"unknown field", withFields(`"memory_gb": 80`), "memory_gb"},
		{"wrong type", withFields(`"memory_mib": "80"`), "memory_mib"},
		{"fraction", withFields(`"memory_mib": 80.5`), "memory_mib"},
		{"number too large for 64 bits", withFields(`"memory_mib": 99999999999999999999`), "memory_mib"},
		{"negative memory", withFields(`"memory_mib": -1`), "memory_mib is -1"},
		{"negative power", withFields(`"power_limit_watts": -70`), "power_limit_watts is -70"},
		{"negative reserve", withFields(`"reserved_mib": -5`), "reserved_mib is -5"},
		{"reserve as large as memory", withFields(`"memory_mib": 512, "reserved_mib": 512`), "leaves nothing"},
		{"idle above the limit", withFields(`"idle_watts": 73`), "above power_limit_watts"},
		{"idle hotter than full", withFields(`"idle_celsius": 90`), "above full_celsius"},
		{"idle faster than full", withFields(`"idle_mhz": 3000`), "above full_mhz"},
		{"no cores", withFields(`"full_load_cores": 0`), "full_load_cores is 0"},
		{"model not known and no memory", `{"version": 1, "devices": [{"id": "a", "model": "X"}]}`, "not a model the simulator knows"},
		{"no id", `{"version": 1, "devices": [{"model": "L4"}]}`, "id is"},
		{"id with a space", `{"version": 1, "devices": [{"id": "a b", "model": "L4"}]}`, "id is"},
		{"id twice", `{"version": 1, "devices": [{"id": "a", "model": "L4"}, {"id": "a", "model": "L4"}]}`, "twice"},
		{"bus twice", `{"version": 1, "devices": [{"id": "a", "model": "L4", "pci_bus_id": "00000000:01:00.0"},
			{"id": "b", "model": "L4", "pci_bus_id": "00000000:01:00.0"}]}`, "twice"},
		{"bus malformed", withFields(`"pci_bus_id": "1"`), "pci_bus_id"},
		{"link to nothing", withLink(`{"a": "a", "b": "c", "kind": "pcie", "megabytes_per_second": 1}`), "no device"},
		{"link to itself", withLink(`{"a": "a", "b": "a", "kind": "pcie", "megabytes_per_second": 1}`), "to itself"},
		{"link of no kind", withLink(`{"a": "a", "b": "b", "megabytes_per_second": 1}`), "kind"},
		{"link without bandwidth", withLink(`{"a": "a", "b": "b", "kind": "pcie"}`), "megabytes_per_second"},
		{"link twice", withLink(`{"a": "a", "b": "b", "kind": "pcie", "megabytes_per_second": 1},
			{"a": "b", "b": "a", "kind": "pcie", "megabytes_per_second": 1}`), "twice"},
		{"no such fault", withFault(`"gpu": 0, "fault": "fire"`), "fire"},
		{"fault in the past", withFault(`"gpu": 0, "fault": "lost", "at_seconds": -1`), "at_seconds"},
		{"fault that lasts less than nothing", withFault(`"gpu": 0, "fault": "lost", "for_seconds": -1`), "for_seconds"},
		{"fault of no device", withFault(`"fault": "lost"`), "gpu"},
		{"fault of a device that is not there", withFault(`"gpu": 1, "fault": "lost"`), "between 0 and 0"},
		{"mismatch of one device", withFault(`"gpu": 0, "fault": "mismatch"`), "every device"},
		{"xid that lasts", withFault(`"gpu": 0, "fault": "xid", "for_seconds": 1`), "moment"},
		{"xid without a number", withFault(`"gpu": 0, "fault": "xid", "code": 0`), "code"},
		{"metrics of a lost device", withFault(`"gpu": 0, "fault": "lost", "metrics": []`), "metrics"},
		{"no such metric", withFault(`"gpu": 0, "fault": "not_supported", "metrics": ["happiness"]`), "happiness"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := parse([]byte(c.file)); err == nil || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("the error is %v; it should say %q", err, c.reason)
			}
		})
	}
}

func TestAFileThatCanNotBeReadIsNamed(t *testing.T) {
	clock := newClock()
	for name, path := range map[string]string{
		"absent": t.TempDir() + "/none.json", "a directory": t.TempDir(), "malformed": write(t, "{"),
		"huge": write(t, strings.Repeat(" ", 4*maxFileBytes)),
	} {
		if _, err := Open(Config{File: path, Now: clock.now}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(Config{}); err == nil {
		t.Error("a simulator without a clock opens")
	}
}

func TestTheLargestFleetHasADifferentUUIDForEachDevice(t *testing.T) {
	var b strings.Builder
	for i := range maxDevices {
		fmt.Fprintf(&b, `,{"id": "gpu-%d", "model": "L4"}`, i)
	}
	s := open(t, Config{File: write(t, `{"version": 1, "devices": [`+b.String()[1:]+`]}`), Now: newClock().now})
	seen := map[string]bool{}
	for _, r := range read(t, s) {
		seen[r.UUID] = true
	}
	if len(seen) != maxDevices {
		t.Errorf("%d UUIDs for %d devices", len(seen), maxDevices)
	}
}

func FuzzParseNeverPanicsAndChecksEverything(f *testing.F) {
	f.Add(example(f))
	f.Add(defaultFile)
	f.Add([]byte(withFault(`"gpu": 0, "fault": "lost", "at_seconds": 1e300`)))
	f.Add([]byte(withFields(`"full_load_cores": 1e-300`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := parse(data)
		if err != nil {
			return
		}
		clock := newClock()
		for i, d := range got.Devices {
			dev := newDevice(d, i, got.Driver, clock.now())
			clock.pass(1e9)
			dev.sample(clock.now(), 5e8, 1<<40, true)
			clock.pass(1e9)
			dev.sample(clock.now(), 2e9, 1<<40, true)
			for m, v := range dev.values() {
				if _, ok := v.Get(); !ok && v.Why() == gpu.Invalid {
					t.Errorf("%s of an accepted device is invalid: %s", gpu.Metric(m).Info().Name, data)
				}
			}
		}
		for _, fault := range got.Faults {
			newFault(fault, clock.now()).events(clock.now(), clock.now().Add(1e9))
		}
	})
}

func TestNVLinksOfTheFileMakeIslands(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sim.json")
	if err := os.WriteFile(path, []byte(`{"version": 1, "devices": [{"id": "a", "model": "L4", "numa_node": 1}, {"id": "b", "model": "L4"}, {"id": "c", "model": "L4"}],
		"links": [{"a": "c", "b": "a", "kind": "nvlink", "megabytes_per_second": 1}, {"a": "a", "b": "b", "kind": "pcie", "megabytes_per_second": 1}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(Config{File: path, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	all, err := s.Devices(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if all[0].Island == "" || all[0].Island != all[2].Island || all[1].Island != "" || all[0].NUMA != "1" || all[1].NUMA != "" {
		t.Errorf("%+v", all)
	}
}
