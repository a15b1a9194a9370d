package nvidia

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var version = regexp.MustCompile(`\b\d{3}\.\d+(\.\d+)?\b`)

// mismatchDetail says which versions differ, as far as this machine tells, and what to do.
func mismatchDetail(library string) string {
	loaded, replaced := loadedLibrary(library)
	detail := fmt.Sprintf("driver %s, library %s", orUnknown(kernelVersion()), orUnknown(version.FindString(filepath.Base(loaded))))
	if replaced {
		return detail + "; the library was replaced on disk: restart the console once the new driver is loaded, instances go on"
	}
	return detail + "; reload the driver or restart the machine, running instances go on until then"
}

// kernelVersion is the version of the driver in the kernel, "" if it does not say.
func kernelVersion() string {
	text, err := os.ReadFile("/proc/driver/nvidia/version")
	if err != nil {
		return ""
	}
	return version.FindString(string(text))
}

// loadedLibrary finds the file that this process has as its NVML, and whether it has been replaced on disk since.
func loadedLibrary(name string) (path string, replaced bool) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return "", false
	}
	stem, _, _ := strings.Cut(filepath.Base(name), ".so")
	for line := range strings.Lines(string(maps)) {
		at := strings.IndexByte(line, '/')
		if at < 0 || !strings.Contains(filepath.Base(line[at:]), stem+".so") {
			continue
		}
		path, replaced = strings.CutSuffix(strings.TrimSpace(line[at:]), " (deleted)")
		return path, replaced
	}
	return "", false
}

func orUnknown(s string) string {
	if s == "" {
		return "of unknown version"
	}
	return s
}
