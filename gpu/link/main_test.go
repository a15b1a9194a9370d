package link

import (
	"os"
	"testing"

	"github.com/meterhouse/meterhouse/gpu/process"
)

// TestMain lets the test binary be the shim of its own instances, as the agent is of its.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "shim" {
		os.Exit(process.Shim(os.Args[2:]))
	}
	if len(os.Args) == 2 && os.Args[1] == "sftp" {
		os.Exit(process.ServeSFTP())
	}
	os.Exit(m.Run())
}
