package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// logs prints an instance's output. docker and kubectl hand on every byte of it, and so does this where it goes to a pipe or a
// file, or with --raw. On a terminal it lets colours and progress bars pass and makes the rest visible: admins and colleagues read
// logs that somebody else's program has written, and a terminal obeys what it reads.
func logs(ctx context.Context, c *call) (err error) {
	f := c.flags()
	flags := f.client()
	var follow bool
	f.BoolVar(&follow, "follow", false, "go on until the command ends")
	f.BoolVar(&follow, "f", false, "the same as --follow")
	raw := f.Bool("raw", false, "on a terminal too, hand on what moves the cursor or changes the terminal")
	offset := f.Int64("offset", 0, "byte to begin at, counted from the very first")
	args, err := f.parseArgs(1)
	if err != nil {
		return err
	}
	if *offset < 0 {
		return misuse("--offset is not negative")
	}
	api, err := flags.client()
	if err != nil {
		return err
	}
	out := c.raw.out
	if !*raw && isTerminal(out) {
		styled := &plainWriter{to: out, styled: true}
		defer func() { err = errors.Join(err, styled.Close()) }()
		out = styled
	}
	take := func(chunk logChunk) error {
		_, err := io.WriteString(out, chunk.Text)
		return err
	}
	if *flags.json {
		lines := json.NewEncoder(c.out) // an object a line, as it comes
		take = func(chunk logChunk) error { return lines.Encode(chunk) }
	}
	if follow {
		err := api.follow(ctx, args[0], *offset, take)
		if ctx.Err() != nil {
			return nil // who looked on has seen enough: that is how following ends while the command runs
		}
		return err
	}
	_, _, err = api.readLog(ctx, args[0], *offset, false, take)
	return err
}

// isTerminal reports whether what is written goes to a person's terminal.
func isTerminal(out io.Writer) bool {
	file, isFile := out.(*os.File)
	if !isFile {
		return false
	}
	_, err := unix.IoctlGetTermios(int(file.Fd()), unix.TCGETS)
	return err == nil
}
