package process

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/pkg/sftp"
)

const (
	// ownProgram is the init's own file, also where no path leads to it in the instance.
	ownProgram = "/proc/self/exe"
	// sftpVerb is what it is told; each program that is an init answers to it with ServeSFTP.
	sftpVerb = "sftp"
)

// ServeSFTP serves files on stdin and stdout and returns the exit status. It runs inside the instance as its user: what it may
// touch is for the kernel to say, as with every other program there.
func ServeSFTP() int {
	dir, err := os.Getwd()
	if err == nil {
		err = serveSFTP(dir)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, "sftp:", err)
		return 1
	}
	return 0
}

func serveSFTP(dir string) error {
	s, err := sftp.NewServer(stdio{}, sftp.WithServerWorkingDirectory(dir))
	if err != nil {
		return err
	}
	return errors.Join(s.Serve(), s.Close())
}

// stdio is both standard streams as one.
type stdio struct{}

func (stdio) Read(p []byte) (int, error)  { return os.Stdin.Read(p) }
func (stdio) Write(p []byte) (int, error) { return os.Stdout.Write(p) }
func (stdio) Close() error                { return os.Stdin.Close() }
