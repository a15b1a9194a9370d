package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	_ "embed"
)

const (
	fileVersion   = 1
	maxFileBytes  = 1 << 20
	maxDevices    = 1024
	maxLinks      = 16 * maxDevices
	maxMemoryMiB  = 1 << 20 // 1 TiB, four times the largest part sold
	maxWatts      = 2000
	maxCelsius    = 120
	maxMHz        = 20_000
	maxCores      = 4096
	maxScale      = 1 << 20
	maxNUMA       = 1023        // MAX_NUMNODES of Linux, less one
	maxBandwidth  = 100_000_000 // megabytes a second
	defaultDriver = "simulated"
)

//go:embed default.json
var defaultFile []byte

// file is the content of a simulator file; FORMAT.md describes each field for people.
type file struct {
	Version int         `json:"version"`
	Driver  string      `json:"driver"`
	Devices []deviceDef `json:"devices"`
	Links   []linkDef   `json:"links"`
	Faults  []faultDef  `json:"faults"`
}

// deviceDef is one device of the file. A nil field is taken from the model, if that is a known one.
type deviceDef struct {
	ID                string   `json:"id"`
	Model             string   `json:"model"`
	Vendor            string   `json:"vendor"`
	PCIBusID          string   `json:"pci_bus_id"`
	ComputeCapability string   `json:"compute_capability"`
	MemoryMiB         *int64   `json:"memory_mib"`
	ReservedMiB       *int64   `json:"reserved_mib"`
	IdleWatts         *int64   `json:"idle_watts"`
	LimitWatts        *int64   `json:"power_limit_watts"`
	IdleCelsius       *int64   `json:"idle_celsius"`
	FullCelsius       *int64   `json:"full_celsius"`
	IdleMHz           *int64   `json:"idle_mhz"`
	FullMHz           *int64   `json:"full_mhz"`
	MemoryMHz         *int64   `json:"memory_mhz"`
	NUMA              *int64   `json:"numa_node"`
	Fan               *bool    `json:"fan"`
	FullLoadCores     *float64 `json:"full_load_cores"`
	MemoryScale       *int64   `json:"memory_scale"`
}

type linkDef struct {
	A         string `json:"a"`
	B         string `json:"b"`
	Kind      string `json:"kind"`
	Bandwidth int64  `json:"megabytes_per_second"`
}

var (
	idForm  = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,39}$`)
	pciForm = regexp.MustCompile(`^[0-9A-F]{8}:[0-9A-F]{2}:[0-9A-F]{2}\.[0-7]$`)
)

// readFile reads and checks the simulator file at path; "" is the built-in one.
func readFile(path string) (file, error) {
	if path == "" {
		return parse(defaultFile)
	}
	r, err := os.Open(path)
	if err != nil {
		return file{}, fmt.Errorf("simulator file: %w", err)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	if err != nil {
		return file{}, fmt.Errorf("simulator file: %w", err)
	}
	f, err := parse(data)
	if err != nil {
		return file{}, fmt.Errorf("simulator file %s: %w", path, err)
	}
	return f, nil
}

// parse decodes a simulator file and checks everything in it; its errors name the place and what to change.
func parse(data []byte) (file, error) {
	if len(data) > maxFileBytes {
		return file{}, fmt.Errorf("it is larger than %d bytes", maxFileBytes)
	}
	var f file
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return file{}, fmt.Errorf("not the JSON that FORMAT.md describes: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return file{}, errors.New("there is more after the end of the JSON object")
	}
	if f.Version != fileVersion {
		return file{}, fmt.Errorf("version is %d, this program reads version %d", f.Version, fileVersion)
	}
	if f.Driver == "" {
		f.Driver = defaultDriver
	}
	if err := f.checkDevices(); err != nil {
		return file{}, err
	}
	if err := f.checkLinks(); err != nil {
		return file{}, err
	}
	for i := range f.Faults {
		if err := f.Faults[i].check(len(f.Devices)); err != nil {
			return file{}, fmt.Errorf("faults[%d]: %w", i, err)
		}
	}
	return f, nil
}

// checkDevices fills what the devices leave to their models and refuses what can not be.
func (f *file) checkDevices() error {
	if len(f.Devices) == 0 || len(f.Devices) > maxDevices {
		return fmt.Errorf("devices: there are %d; between 1 and %d are possible", len(f.Devices), maxDevices)
	}
	ids, buses := map[string]bool{}, map[string]bool{}
	for i := range f.Devices {
		d := &f.Devices[i]
		if d.PCIBusID == "" {
			d.PCIBusID = fmt.Sprintf("%08X:%02X:00.0", 0x51A0+i>>8, i&0xff)
		}
		if ids[d.ID] {
			return fmt.Errorf("devices[%d]: id %q is there twice", i, d.ID)
		}
		if buses[d.PCIBusID] {
			return fmt.Errorf("devices[%d]: pci_bus_id %q is there twice", i, d.PCIBusID)
		}
		if err := d.fill(); err != nil {
			return fmt.Errorf("devices[%d]: %w", i, err)
		}
		ids[d.ID], buses[d.PCIBusID] = true, true
	}
	return nil
}

func (f *file) checkLinks() error {
	if len(f.Links) > maxLinks {
		return fmt.Errorf("links: there are %d; at most %d are possible", len(f.Links), maxLinks)
	}
	known := map[string]bool{}
	for _, d := range f.Devices {
		known[d.ID] = true
	}
	seen := map[[2]string]bool{}
	for i, l := range f.Links {
		pair := [2]string{min(l.A, l.B), max(l.A, l.B)}
		switch {
		case !known[l.A] || !known[l.B]:
			return fmt.Errorf("links[%d]: %q or %q is the id of no device", i, l.A, l.B)
		case l.A == l.B:
			return fmt.Errorf("links[%d]: it joins %q to itself", i, l.A)
		case seen[pair]:
			return fmt.Errorf("links[%d]: %q and %q are joined twice", i, l.A, l.B)
		case l.Kind != "nvlink" && l.Kind != "pcie":
			return fmt.Errorf("links[%d]: kind is %q; it can be \"nvlink\" or \"pcie\"", i, l.Kind)
		case l.Bandwidth < 1 || l.Bandwidth > maxBandwidth:
			return fmt.Errorf("links[%d]: megabytes_per_second is %d; between 1 and %d are possible", i, l.Bandwidth, maxBandwidth)
		}
		seen[pair] = true
	}
	return nil
}
