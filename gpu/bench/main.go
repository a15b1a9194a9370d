package bench

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// Exit statuses of Main.
const (
	exitRan    = 0 // the run came to its end, whatever its figures are
	exitFailed = 1 // it could not; the reason is the last event and on stderr
	exitUsage  = 2 // the arguments are wrong; the reason is on stderr
)

// Main runs gpubench with its arguments (without the program's name), writes events to stdout and words to stderr, and
// returns the exit status.
func Main(args []string, stdout, stderr io.Writer) int {
	r := runner{root: os.DirFS("/"), now: time.Now, out: &eventWriter{to: stdout}}
	if err := parse(args, os.LookupEnv, &r, stderr); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return exitRan
		}
		fmt.Fprintf(stderr, "gpubench: %v\n", err)
		return exitUsage
	}
	if err := r.run(); err != nil {
		fmt.Fprintf(stderr, "gpubench: %v\n", err)
		return exitFailed
	}
	return exitRan
}

// Argv returns the arguments that ask gpubench for a request: what a console puts behind the program's path.
func (r Request) Argv() []string {
	argv := []string{"--suite", string(r.Suite), "--backend", string(r.Backend), "--size", fmt.Sprint(r.Size),
		"--seed", fmt.Sprint(r.Seed), "--seconds", fmt.Sprint(r.Seconds)}
	if len(r.GPUs) > 0 {
		argv = append(argv, "--gpus", strings.Join(r.GPUs, ","))
	}
	return argv
}

// parse fills the runner's request. Each flag's default is its environment twin, METERHOUSE_SUITE for --suite.
func parse(args []string, lookup func(string) (string, bool), r *runner, stderr io.Writer) error {
	flags := flag.NewFlagSet("gpubench", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	suite := flags.String("suite", "", "what to measure: "+list(Suites()))
	backend := flags.String("backend", string(BackendCPU), "what computes: "+list(Backends()))
	flags.IntVar(&r.request.Size, "size", 0, "elements of an array (stream), rows of a matrix (matmul); 0: the usual size")
	flags.Int64Var(&r.request.Seed, "seed", 1, "of the data: the same seed gives the same data")
	flags.IntVar(&r.request.Seconds, "seconds", 0, "the most the whole run may take; 0: what each test needs")
	gpus := flags.String("gpus", "", "UUIDs of the GPUs, with commas between them")
	flags.StringVar(&r.spoiled, hiddenFlag, "", "")
	var err error
	flags.VisitAll(func(f *flag.Flag) {
		if value, ok := lookup("METERHOUSE_" + strings.ToUpper(f.Name)); ok && f.Name != hiddenFlag && err == nil {
			if e := f.Value.Set(value); e != nil {
				err = fmt.Errorf("METERHOUSE_%s=%q: %w", strings.ToUpper(f.Name), value, e)
			}
		}
	})
	if err != nil {
		return err
	}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			usage(flags, stderr)
		}
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	r.request.Suite, r.request.Backend = Suite(*suite), Backend(*backend)
	for uuid := range strings.SplitSeq(*gpus, ",") {
		if uuid = strings.TrimSpace(uuid); uuid != "" {
			r.request.GPUs = append(r.request.GPUs, uuid)
		}
	}
	return r.request.Validate()
}

// hiddenFlag names a test whose kernel shall compute wrong. It is for the product's own tests of what happens then.
const hiddenFlag = "spoil"

func usage(flags *flag.FlagSet, stderr io.Writer) {
	fmt.Fprintln(stderr, "usage: gpubench --suite NAME [flags]\nwrites one event a line, as JSON, on its output")
	flags.VisitAll(func(f *flag.Flag) {
		if f.Name != hiddenFlag {
			fmt.Fprintf(stderr, "  --%-8s %s\n", f.Name, f.Usage)
		}
	})
}
