package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/meterhouse/meterhouse/store"
)

// adminUserPassword gives a person another password, for who has forgotten theirs. It ends all their sessions.
func adminUserPassword(ctx context.Context, c *call) error {
	f := c.flags()
	fromStdin := f.Bool("password-stdin", false, "read the password from stdin; without it it is asked for twice")
	data := f.String("data", defaultData, "data directory")
	args, err := f.parseArgs(1)
	if err != nil {
		return err
	}
	return withData(ctx, *data, func(s *store.Store) error {
		p, err := s.PersonByName(ctx, args[0])
		if err != nil {
			return err
		}
		password, err := c.newPassword(ctx, *fromStdin)
		if err != nil {
			return err
		}
		if err := s.SetPassword(ctx, "", p.ID, password); err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.out, "%s has a new password and is signed out everywhere; tokens go on working\n", p.Name)
		return err
	})
}

// newPassword reads a password from a pipe, or asks for it twice, unseen.
func (c *call) newPassword(ctx context.Context, fromStdin bool) (string, error) {
	if fromStdin {
		password, err := readLine(c.in)
		if err != nil {
			return "", fmt.Errorf("read the password: %w", err)
		}
		return password, nil
	}
	file, ok := c.in.(*os.File)
	if !ok {
		return "", misuse("nobody can be asked here: give the password with --password-stdin")
	}
	shown, err := unix.IoctlGetTermios(int(file.Fd()), unix.TCGETS)
	if err != nil {
		return "", misuse("stdin is no terminal: give the password with --password-stdin")
	}
	unseen := *shown
	unseen.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(int(file.Fd()), unix.TCSETS, &unseen); err != nil {
		return "", fmt.Errorf("hide what is typed: %w", err)
	}
	typed, err := c.askTwice(ctx, file)
	return typed, errors.Join(err, unix.IoctlSetTermios(int(file.Fd()), unix.TCSETS, shown))
}

func (c *call) askTwice(ctx context.Context, in *os.File) (string, error) {
	var typed [2]string
	for k, question := range []string{"New password: ", "\nOnce more: "} {
		fmt.Fprint(c.err, question)
		err := waitForInput(ctx, in)
		if err == nil {
			typed[k], err = readLine(in)
		}
		if err != nil {
			return "", fmt.Errorf("read the password: %w", err)
		}
	}
	fmt.Fprintln(c.err)
	if typed[0] != typed[1] {
		return "", errors.New("the two are not the same; nothing was changed")
	}
	return typed[0], nil
}

// waitForInput returns when a line can be read, or when ctx ends: a read itself would not end at Ctrl-C.
func waitForInput(ctx context.Context, in *os.File) error {
	const look = 100 // milliseconds
	for {
		ready, err := unix.Poll([]unix.PollFd{{Fd: int32(in.Fd()), Events: unix.POLLIN}}, look)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case ready > 0:
			return nil
		case err != nil && !errors.Is(err, unix.EINTR):
			return err
		}
	}
}
