package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

func execCommand(ctx context.Context, c *call) error {
	f := c.flags()
	flags := f.client()
	withInput := f.Bool("stdin", false, "send stdin to the command, also where it is a terminal")
	args, tail, err := f.parse()
	switch {
	case err != nil:
		return err
	case len(args) != 1:
		return misuse("one instance is needed before --")
	case len(tail) == 0:
		return misuse("a command is needed after --")
	}
	api, err := flags.client()
	if err != nil {
		return err
	}
	var in io.Reader
	if *withInput || isPiped(c.in) {
		in = c.in
	}
	out, errOut := c.raw.out, c.raw.err // the person's own command, which may draw what it likes, as over ssh
	var outText, errText bytes.Buffer
	if *flags.json {
		out, errOut = &outText, &errText
	}
	exit, err := api.exec(ctx, args[0], tail, in, out, errOut)
	if err != nil {
		return err
	}
	if *flags.json {
		err := c.printJSON(map[string]any{"code": exit.Code, "signal": exit.Signal, "oom": exit.OOM, "stdout": outText.String(), "stderr": errText.String()})
		if err != nil {
			return err
		}
	}
	switch {
	case exit.OOM:
		return commandEnded{signalStatus("SIGKILL"), "the command was killed by the instance's memory limit"}
	case exit.Signal != "":
		return commandEnded{signalStatus(exit.Signal), "the command was ended by " + exit.Signal}
	case exit.Code != 0:
		return commandEnded{exit.Code, fmt.Sprintf("the command ended with status %d", exit.Code)}
	}
	return nil
}

// signalStatus is the status that a shell gives to what a signal ended; 1 for a signal that this machine has no number for.
func signalStatus(name string) int {
	if number := unix.SignalNum(name); number != 0 {
		return 128 + int(number)
	}
	return exitFailed
}

// isPiped reports whether in is a pipe or a file with something to send, and not a terminal or /dev/null.
func isPiped(in io.Reader) bool {
	file, isFile := in.(*os.File)
	if !isFile {
		return in != nil
	}
	info, err := file.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0)
}
