package uitest

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

var (
	lookDir = flag.String("look", "", "folder to which TestScreenshots writes a picture of every page")
	readme  = flag.Bool("readme", false, "TestScreenshots writes .github/instance.png, the picture in the README")
)

// TestMain ends the browser and removes the built program after the last test. Both are made by the first test that needs
// them, so that -short starts nothing.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if err := endBrowser(); err != nil {
		fmt.Fprintln(os.Stderr, "ending the browser:", err)
		code = max(code, 1)
	}
	removeProgram()
	os.Exit(code)
}
