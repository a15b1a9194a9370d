// Command attacker tries, from inside an instance, what nobody there may do, and prints a line for each try: its name, and the
// error that refused it or "done". The attack tests of package gputest build it without a library, show it to an instance and
// read what it says. It may import the standard library and golang.org/x/sys. Its rule: it changes nothing where it is refused,
// and undoes what was let through, so that a failing test leaves the machine as it was.
package main

import (
	"fmt"
	"os"
	"strconv"
)

// attempt is one try; nil means that it was let through.
type attempt struct {
	name string
	try  func() error
}

// target is what the tests know of the machine and an attacker would have to guess.
type target struct {
	words []string
}

// pid reads a word as a process of the node.
func (t target) pid(i int) int {
	n, err := strconv.Atoi(t.words[i])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	return n
}

// attacks are what the first argument chooses from; the others are its target.
var attacks = map[string]func(target) []attempt{
	"mounts": mounts, "devices": devices, "kernel": kernel, "cgroups": cgroups,
	"processes": processes, "namespaces": namespaces, "sockets": sockets, "keyrings": keyrings,
	"privileges": privileges, "files": files, "connect": connect,
	"exhaust": exhaust,
}

func main() {
	if len(os.Args) < 2 || attacks[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "attacker: which attack?")
		os.Exit(2)
	}
	for _, a := range attacks[os.Args[1]](target{os.Args[2:]}) {
		said := "done"
		if err := a.try(); err != nil {
			said = "refused: " + err.Error()
		}
		fmt.Fprintf(os.Stdout, "%s: %s\n", a.name, said)
	}
	fmt.Fprintln(os.Stdout, "over")
}
