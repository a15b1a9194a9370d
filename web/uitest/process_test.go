package uitest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

type process struct {
	pid     int
	command string
}

// processesOf lists the processes that name a test's own data directory in their arguments, after they had some time to end.
func processesOf(dir string, patience time.Duration) []process {
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		found := processesNaming(dir)
		if len(found) == 0 || time.Now().After(deadline) {
			return found
		}
	}
}

func processesNaming(dir string) []process {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var found []process
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(b, []byte(dir)) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		found = append(found, process{pid, strings.ReplaceAll(string(b), "\x00", " ")})
	}
	return found
}
