package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// flagSet is a verb's flags. Flags and arguments may be mixed; what follows "--" is left alone.
type flagSet struct {
	*flag.FlagSet
	c *call
}

// flags begins a verb's flags.
func (c *call) flags() *flagSet {
	set := flag.NewFlagSet(c.verb.name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	return &flagSet{set, c}
}

// twin is a flag's name in the environment.
func twin(name string) string {
	return "METERHOUSE_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// parse takes the environment first, then the arguments. It returns the arguments that are no flags, and what follows "--"
// (nil where there is no "--").
func (f *flagSet) parse() (args, tail []string, err error) {
	var wrong error
	f.VisitAll(func(g *flag.Flag) {
		value, set := f.c.lookup(twin(g.Name))
		if !set || value == "" || wrong != nil {
			return
		}
		if err := g.Value.Set(value); err != nil {
			wrong = misuse("%s=%q: %v", twin(g.Name), value, err)
		}
	})
	if wrong != nil {
		return nil, nil, wrong
	}
	left := f.c.args
	if i := slices.Index(left, "--"); i >= 0 {
		left, tail = left[:i], append([]string{}, left[i+1:]...)
	}
	for {
		err := f.Parse(left)
		if errors.Is(err, flag.ErrHelp) {
			f.c.printUsage(f.c.out)
			f.printFlags(f.c.out)
			return nil, nil, errHelp
		}
		if err != nil {
			return nil, nil, misuse("%s", strings.Replace(err.Error(), "flag provided but not defined: -", "there is no flag --", 1))
		}
		if f.NArg() == 0 {
			return args, tail, nil
		}
		args = append(args, f.Arg(0))
		left = f.Args()[1:]
	}
}

// parseArgs is parse for verbs that take a fixed number of arguments and no "--".
func (f *flagSet) parseArgs(n int) ([]string, error) {
	args, tail, err := f.parse()
	if err != nil {
		return nil, err
	}
	if tail != nil {
		return nil, misuse("nothing may follow --")
	}
	if len(args) != n {
		return nil, misuse("%d arguments, expected %d", len(args), n)
	}
	return args, nil
}

func (c *call) printUsage(to io.Writer) {
	fmt.Fprintf(to, "usage: meterhouse %s %s\n%s\n", c.verb.name, c.verb.args, c.verb.summary)
}

func (f *flagSet) printFlags(to io.Writer) {
	fmt.Fprintln(to)
	f.VisitAll(func(g *flag.Flag) {
		value := ""
		if g.DefValue != "" && g.DefValue != "false" {
			value = " (" + g.DefValue + ")"
		}
		fmt.Fprintf(to, "  --%-15s %s%s [%s]\n", g.Name, g.Usage, value, twin(g.Name))
	})
}

// labels is a flag that may be given many times: --label project=vision.
type labels map[string]string

func (l labels) String() string { return "" }

func (l labels) Set(text string) error {
	for pair := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return errors.New("a label is KEY=VALUE")
		}
		l[key] = value
	}
	return nil
}

// variables is labels whose values may have commas.
type variables map[string]string

func (v variables) String() string { return "" }

func (v variables) Set(text string) error {
	key, value, ok := strings.Cut(text, "=")
	if !ok || key == "" {
		return errors.New("a variable is KEY=VALUE")
	}
	v[key] = value
	return nil
}
