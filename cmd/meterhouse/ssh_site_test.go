package main

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/meterhouse/meterhouse/store"
)

// sshSite is a console with a gateway, people with keys, and running instances, as OpenSSH's own programs see it.
type sshSite struct {
	*console
	t          *testing.T
	dir        string // keys and known_hosts of the client
	host, port string
}

func newSSHSite(t *testing.T) *sshSite {
	for _, program := range []string{"ssh", "scp", "sftp", "rsync", "ssh-keygen", "ssh-keyscan"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("needs openssh-client and rsync: %v", err)
		}
	}
	address := freePort(t)
	s := &sshSite{t: t, console: withAdmin(t, "--ssh-listen", address), dir: t.TempDir()}
	s.host, s.port, _ = net.SplitHostPort(address)
	s.cli("", "admin", "user", "add", "worker", "--email", "worker@example.com", "--role", "member", "--team", "research", "--data", s.data)
	s.cli("", "admin", "user", "add", "watcher", "--email", "watcher@example.com", "--role", "viewer", "--team", "research", "--data", s.data)
	return s
}

// key makes a key and adds it to a person's settings; it returns its id there.
func (s *sshSite) key(person string) (id string) {
	s.t.Helper()
	file := filepath.Join(s.dir, person)
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", person, "-f", file).CombinedOutput(); err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
	public, err := os.ReadFile(file + ".pub")
	if err != nil {
		s.t.Fatal(err)
	}
	s.inStore(func(ctx context.Context, db *store.Store) error {
		p, err := db.PersonByName(ctx, person)
		if err != nil {
			return err
		}
		k, err := db.AddSSHKey(ctx, p.ID, "", string(public), store.Request{})
		id = k.ID
		return err
	})
	return id
}

// inStore works on the database beside the console, as another process does.
func (s *sshSite) inStore(do func(context.Context, *store.Store) error) {
	s.t.Helper()
	db, _, err := openBeside(context.Background(), s.data, false)
	if err == nil {
		err = do(context.Background(), db)
		if closing := db.Close(); err == nil {
			err = closing
		}
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// flags are what each of OpenSSH's programs needs to come as a person.
func (s *sshSite) flags(person string, more ...string) []string {
	options := []string{"Port=" + s.port, "IdentityFile=" + filepath.Join(s.dir, person), "IdentitiesOnly=yes", "IdentityAgent=none", "BatchMode=yes",
		"StrictHostKeyChecking=accept-new", "UserKnownHostsFile=" + filepath.Join(s.dir, "known_hosts"), "LogLevel=ERROR", "ConnectTimeout=20"}
	args := []string{"-F", "none"}
	for _, o := range append(options, more...) {
		args = append(args, "-o", o)
	}
	return args
}

func (s *sshSite) ssh(person, instance string, args ...string) *exec.Cmd {
	var before []string
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		before, args = append(before, args[0]), args[1:]
	}
	cmd := exec.Command("ssh", append(append(append(s.flags(person), before...), instance+"@"+s.host), args...)...)
	cmd.Env = append(os.Environ(), "LC_TEST=mine", "SECRET=of the client", "SSH_AUTH_SOCK=")
	return cmd
}

// says runs a command in an instance and returns what it wrote, its errors too, and its status.
func (s *sshSite) says(person, instance string, args ...string) (out string, status int) {
	s.t.Helper()
	cmd := s.ssh(person, instance, args...)
	text, _ := cmd.CombinedOutput()
	return string(text), cmd.ProcessState.ExitCode()
}

func (s *sshSite) rent(name string) (id string) {
	s.t.Helper()
	var made struct{ ID string }
	s.cliJSON(&made, "rent", "--cpu-only", "--name", name, "--wait")
	return made.ID
}
