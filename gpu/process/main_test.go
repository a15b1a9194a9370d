package process

import (
	"context"
	"os"
	"testing"
)

// TestMain lets the test binary be the shim of its own instances, as the console is of its.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "shim" {
		os.Exit(Shim(os.Args[2:]))
	}
	if len(os.Args) == 2 && os.Args[1] == sftpVerb {
		os.Exit(ServeSFTP())
	}
	os.Exit(m.Run())
}

var background = context.Background()
