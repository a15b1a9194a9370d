package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Exit statuses, fixed for scripts.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// terminal is what a verb talks to.
type terminal struct {
	in       io.Reader
	out, err io.Writer
	lookup   func(string) (string, bool) // environment
}

// verb is one word of the command line.
type verb struct {
	name    string // one word, or two ("admin token create": three)
	args    string // for the help
	summary string
	hidden  bool
	run     func(ctx context.Context, c *call) error
}

// verbs is the one table of what this binary does. It is a function because help lists it too.
func verbs() []verb {
	return []verb{
		{"serve", "[flags]", "run the console", false, serve},
		{"doctor", "[flags]", "say what this machine can enforce and what is broken", false, doctor},
		{"doctor ledger", "[flags]", "recompute every bill and compare it with the ledger", false, doctorLedger},
		{"admin user add", "NAME [flags]", "add a person", false, adminUserAdd},
		{"admin user password", "NAME [flags]", "give a person another password", false, adminUserPassword},
		{"admin user list", "[flags]", "list people", false, adminUserList},
		{"admin token create", "--user NAME [flags]", "make a token for the API and print it", false, adminTokenCreate},
		{"admin login-link", "[--user NAME] [flags]", "print a link that signs in once", false, adminLoginLink},
		{"admin spot minimum", "POOL PERCENT [flags]", "set the least that spot costs, of the price on demand", false, adminSpotMinimum},
		{"admin idle", "on|off [flags]", "stop instances that are idle, or leave them", false, adminIdle},
		{"admin price set", "PLAN|MODEL AMOUNT [flags]", "set the price an hour of a plan, or of each GPU of a model in all its plans, for what is rented from now on", false, adminPriceSet},
		{"admin gpu clear", "UUID [flags]", "offer a GPU again that was kept back", false, adminGPUClear},
		{"admin node join", "[flags]", "print a token by which one machine becomes a node", false, adminNodeJoin},
		{"admin node remove", "NAME [flags]", "refuse a node's agent from now on", false, adminNodeRemove},
		{"agent", "--console URL [flags]", "make this machine a node of a console elsewhere", false, agent},
		{"backup", "FILE [flags]", "write a copy of the database, also while a console runs", false, backup},
		{"restore", "FILE [flags]", "bring a copy back into an empty data directory", false, restore},
		{"version", "[--json]", "print the version", false, printVersion},
		{"rent", "[flags] [-- COMMAND]", "rent an instance", false, rent},
		{"node ls", "[flags]", "list nodes, what is on them and what is planned", false, nodeList},
		{"node cordon", "NAME|ID [flags]", "have nothing new start on a node", false, nodeCordon},
		{"node drain", "NAME|ID [flags]", "have nothing new start on a node, and what runs end by a time", false, nodeDrain},
		{"node uncordon", "NAME|ID [flags]", "open a node again", false, nodeUncordon},
		{"node maintenance", "NAME|ID [flags]", "book a window in which nothing is on a node, or cancel one", false, nodeMaintenance},
		{"image ls", "[flags]", "list images and what they contain", false, imageList},
		{"image pull", "NAME [flags]", "fetch an image from its registry", false, imagePull},
		{"image build", "DIR --name NAME [flags]", "build an image from a directory with a Dockerfile", false, imageBuild},
		{"image save", "ID --name NAME [flags]", "make an image of an instance's files as they are now", false, imageSave},
		{"image rm", "NAME... [flags]", "remove images", false, imageRemove},
		{"ls", "[flags]", "list instances", false, list},
		{"show", "ID [flags]", "show an instance and its bill", false, show},
		{"stop", "ID... [flags]", "stop instances", false, stop},
		{"keep", "ID... [flags]", "keep instances for 24 hours from being stopped as idle", false, keep},
		{"suspend", "ID... [flags]", "freeze instances; their GPUs are kept and paid for", false, suspend},
		{"resume", "ID... [flags]", "let suspended instances go on", false, resume},
		{"exec", "ID [flags] -- COMMAND", "run a command in an instance; it ends as that does", false, execCommand},
		{"ssh", "ID [flags] [-- COMMAND]", "enter an instance with this machine's OpenSSH client", false, sshCommand},
		{"logs", "ID [-f] [flags]", "print an instance's output", false, logs},
		{"bench", "SUITE [flags]", "run a benchmark and print its figures; suites: " + suites(), false, benchmark},
		{"cost", "[flags]", "show what was spent", false, cost},
		{"cost invoices", "[flags]", "list invoices", false, costInvoices},
		{"budget", "[flags]", "list budgets and what is left of them", false, budget},
		{"volume ls", "[flags]", "list volumes", false, volumeList},
		{"volume create", "NAME --gib N [flags]", "make a volume and print its id", false, volumeCreate},
		{"volume rm", "NAME|ID [flags]", "delete a volume with its snapshots, or one of its snapshots", false, volumeRemove},
		{"volume snapshot", "NAME|ID SNAPSHOT [flags]", "keep what a volume holds now", false, volumeSnapshot},
		{"volume put", "FILE|- NAME:PATH [flags]", "bring a file into a volume", false, volumePut},
		{"volume get", "NAME:PATH FILE|- [flags]", "bring a file out of a volume", false, volumeGet},
		{"plan replay", "FILE.csv --gpus N [flags]", "replay a workload against a pool and its prices", false, planReplay},
		{"shim", "", "hold one instance", true, shim},
		{"gpubench", "", "measure", true, gpubench},
		{"sftp", "", "serve files inside an instance", true, sftp},
	}
}

// call is one use of a verb. What it prints to its terminal is made plain.
type call struct {
	terminal
	raw  terminal // for what the person asked for byte by byte
	verb verb
	args []string // after the verb's words
}

// usageError is a wrong use of the command line.
type usageError struct {
	text  string
	whole bool // it says all that helps
}

func (e usageError) Error() string { return e.text }

func misuse(format string, args ...any) error { return usageError{text: fmt.Sprintf(format, args...)} }

// exitStatus ends the program with a status and nothing more to say.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// commandEnded is a command in an instance that did not end well: said in words, and passed on as the status that scripts test.
type commandEnded struct {
	code int
	text string
}

func (e commandEnded) Error() string { return e.text }

// errHelp: the person asked for help and has it.
var errHelp = errors.New("help")

// execute runs one command line and returns the exit status.
func execute(ctx context.Context, t terminal, args []string) int {
	v, rest, ok := find(args)
	if !ok {
		return help(t, args)
	}
	out, errOut := &plainWriter{to: t.out}, &plainWriter{to: t.err}
	c := &call{terminal: terminal{in: t.in, out: out, err: errOut, lookup: t.lookup}, raw: t, verb: v, args: rest}
	err := errors.Join(v.run(ctx, c), out.Close())
	defer func() { _ = errOut.Close() }() // there is nowhere left to say so
	var usage usageError
	var status exitStatus
	var ended commandEnded
	switch {
	case err == nil || errors.Is(err, errHelp):
		return exitDone
	case errors.As(err, &usage):
		fmt.Fprintf(c.err, "meterhouse %s: %s\n", v.name, usage.text)
		if !usage.whole {
			fmt.Fprintln(c.err)
			c.printUsage(c.err)
			fmt.Fprintf(c.err, "`meterhouse %s --help` lists its flags.\n", v.name)
		}
		return exitUsage
	case errors.As(err, &status):
		return int(status)
	}
	fmt.Fprintf(c.err, "meterhouse %s: %s\n", v.name, inWords(err))
	if errors.As(err, &ended) {
		return ended.code
	}
	return exitFailed
}

// find returns the verb whose words args begin with; the longest where several do.
func find(args []string) (found verb, rest []string, ok bool) {
	for _, v := range verbs() {
		words := strings.Fields(v.name)
		if len(args) < len(words) || strings.Join(args[:len(words)], " ") != v.name {
			continue
		}
		if !ok || len(words) > len(strings.Fields(found.name)) {
			found, rest, ok = v, args[len(words):], true
		}
	}
	return found, rest, ok
}

// begins reports whether a verb's words begin with these.
func begins(v verb, words []string) bool {
	name := strings.Fields(v.name)
	return len(words) <= len(name) && slices.Equal(name[:len(words)], words)
}

// help prints the verbs, all or those of a group such as admin: to stdout for who asked, to stderr for who typed something else.
func help(t terminal, args []string) int {
	to, code := t.out, exitDone
	asked := slices.Contains(args, "-h") || slices.Contains(args, "--help") || len(args) > 0 && args[0] == "help"
	words := slices.DeleteFunc(slices.Clone(args), func(word string) bool { return word == "help" || word == "-h" || word == "--help" })
	shown := slices.DeleteFunc(verbs(), func(v verb) bool { return v.hidden })
	listed := slices.DeleteFunc(slices.Clone(shown), func(v verb) bool { return !begins(v, words) })
	if len(listed) == 0 {
		listed, asked = shown, false
	}
	if !asked {
		to, code = t.err, exitUsage
		if len(args) > 0 {
			fmt.Fprintf(to, "meterhouse: no such command: %s\n\n", plain(strings.Join(args[:min(2, len(args))], " ")))
		}
	}
	fmt.Fprint(to, "Meterhouse rents out your own GPUs to yourselves.\n\nusage: meterhouse COMMAND\n\n")
	for _, v := range listed {
		fmt.Fprintf(to, "  %-46s %s\n", v.name+" "+v.args, v.summary)
	}
	fmt.Fprint(to, "\n`meterhouse COMMAND --help` lists a command's flags. Every flag has a twin in the environment:\nMETERHOUSE_LISTEN for --listen.\n")
	return code
}
