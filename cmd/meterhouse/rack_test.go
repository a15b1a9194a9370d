package main

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// saysOften waits until an agent has said something so many times.
func saysOften(t *testing.T, o *output, text string, times int) {
	t.Helper()
	await(t, fmt.Sprintf("%q, %d times", text, times), func() bool { return strings.Count(o.String(), text) >= times })
}

// An agent comes back by itself after each thing that can befall it, its machine, the cable and the console.
func TestNodesComeBackToTheirConsole(t *testing.T) {
	const here = "line to the console\""
	r := newRack(t)
	n1, n2 := r.join("n1", "A100-SXM4-80GB", 2), r.join("n2", "L4", 2)
	n1.kill9()
	n1.start()
	saysOften(t, n1.said, here, 2)
	n2.powerOff()
	n2.powerOn()
	n2.start()
	saysOften(t, n2.said, here, 2)
	n1.cut()
	says(t, n1.said, "no line to the console")
	n1.mend()
	saysOften(t, n1.said, here, 3)
	r.console.kill9()
	time.Sleep(time.Second)
	r.console.start()
	saysOften(t, n1.said, here, 4)
	saysOften(t, n2.said, here, 3)
}
