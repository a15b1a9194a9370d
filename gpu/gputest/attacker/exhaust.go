package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// exhaust opens terminals, then watches, then files until each is refused, and holds them all until it is ended.
func exhaust(target) []attempt {
	for _, kind := range []struct {
		name string
		open func() (int, error)
	}{
		{"terminals", func() (int, error) { return unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY, 0) }},
		{"watches", func() (int, error) { return unix.InotifyInit1(0) }},
		{"files", func() (int, error) { return unix.Open("/dev/null", unix.O_RDONLY, 0) }},
	} {
		n := 0
		for ; n < 1<<17; n++ {
			if _, err := kind.open(); err != nil {
				fmt.Fprintf(os.Stdout, "%d %s: %v\n", n, kind.name, err)
				break
			}
		}
	}
	fmt.Fprintln(os.Stdout, "over")
	for {
		_ = unix.Pause() // what sleeps in Go needs one more file
	}
}
