package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
)

func TestSSH(t *testing.T) {
	s := newSSHSite(t)
	keyID := s.key("boss")
	s.key("worker")
	s.key("watcher")
	id := s.rent("mine")
	other := s.rent("other")

	t.Run("ACommandHasItsStreamsAndStatus", func(t *testing.T) {
		for _, to := range []string{"mine", id} {
			cmd := s.ssh("boss", to, "cat; echo errors >&2; exit 7")
			var out, errs bytes.Buffer
			cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("hello"), &out, &errs
			_ = cmd.Run()
			if out.String() != "hello" || errs.String() != "errors\n" || cmd.ProcessState.ExitCode() != 7 {
				t.Errorf("%s: %q, %q, %v", to, out.String(), errs.String(), cmd.ProcessState)
			}
		}
		if out, status := s.says("boss", "mine", "kill -TERM $$"); status != 255 || strings.Contains(out, "meterhouse:") { // OpenSSH's client has no other status for a signal
			t.Errorf("ended by a signal: %d, %q", status, out)
		}
	})
	t.Run("ATerminalHasItsSize", func(t *testing.T) {
		screen, keys := openTerminal(t)
		if err := setTerminalSize(screen, 101, 37); err != nil {
			t.Fatal(err)
		}
		cmd := s.ssh("boss", "mine", "-tt", "stty size; echo $TERM; exit 3")
		cmd.Env = append(cmd.Env, "TERM=screen-256color")
		cmd.Stdin = screen
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		out, _ := cmd.Output()
		_ = keys
		if string(out) != "37 101\r\nscreen-256color\r\n" || cmd.ProcessState.ExitCode() != 3 {
			t.Errorf("%q, %v", out, cmd.ProcessState)
		}
	})
	t.Run("AShellGreetsAndTakesWords", func(t *testing.T) {
		cmd := s.ssh("boss", "mine", "-tt")
		cmd.Stdin = strings.NewReader("echo $((40+2))-$(tty)\nexit 5\n")
		out, _ := cmd.CombinedOutput()
		if !strings.Contains(string(out), "42-/dev/pts/") || cmd.ProcessState.ExitCode() != 5 {
			t.Errorf("%q, %v", out, cmd.ProcessState)
		}
	})
	t.Run("OnlyTheLocaleIsTakenFromTheClient", func(t *testing.T) {
		cmd := exec.Command("ssh", append(s.flags("boss", "SendEnv=LC_TEST SECRET LD_PRELOAD", "SetEnv=LD_PRELOAD=x"), "mine@"+s.host, "env")...)
		cmd.Env = append(os.Environ(), "LC_TEST=mine", "SECRET=of the client")
		out, err := cmd.Output()
		if err != nil || !strings.Contains(string(out), "LC_TEST=mine\n") || strings.Contains(string(out), "SECRET") || strings.Contains(string(out), "LD_PRELOAD") {
			t.Errorf("%v: %s", err, out)
		}
	})
	t.Run("FilesGoBothWays", s.files)
	t.Run("TheVerbNeedsNoQuestionAboutTheHostKey", func(t *testing.T) {
		// The key lies where OpenSSH's client looks by itself in the home of this test.
		cmd := exec.Command(s.bin, "ssh", id, "--", "echo in; exit 4")
		config := filepath.Join(s.dir, "cache")
		cmd.Env = append(os.Environ(), "METERHOUSE_TOKEN="+s.token, "METERHOUSE_URL=http://"+s.listen, "XDG_CACHE_HOME="+config, "SSH_AUTH_SOCK=", "PATH="+s.dir+":"+os.Getenv("PATH"))
		// OpenSSH takes the home from the user database: the person's key is given by a program that stands in front.
		wrapper := "#!/bin/sh\nexec " + must(exec.LookPath("ssh")) + " -F none -o BatchMode=yes -o IdentitiesOnly=yes -i " + filepath.Join(s.dir, "boss") + " \"$@\"\n"
		if err := os.WriteFile(filepath.Join(s.dir, "ssh"), []byte(wrapper), 0o700); err != nil {
			t.Fatal(err)
		}
		out, _ := cmd.CombinedOutput()
		if string(out) != "in\n" || cmd.ProcessState.ExitCode() != 4 {
			t.Errorf("%q, %v", out, cmd.ProcessState)
		}
		os.Remove(filepath.Join(s.dir, "ssh"))
	})
	t.Run("WhoMayNotEnterLearnsNothing", func(t *testing.T) {
		denied, _ := s.says("watcher", "mine", "true")
		none, status := s.says("watcher", "nothing-of-that-name", "true")
		if denied != none || status != 255 || !strings.Contains(denied, "no instance of that name") {
			t.Errorf("a viewer is told %q, of no instance %q, status %d", denied, none, status)
		}
		if out, status := s.says("worker", "mine", "true"); status != 255 || out != none {
			t.Errorf("another member: %q, %d", out, status)
		}
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(s.dir, "stranger")).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		known, _ := s.says("stranger", "mine", "true")
		unknown, _ := s.says("stranger", "nothing", "true")
		if !strings.Contains(known, "Permission denied (publickey)") || strings.ReplaceAll(known, "mine@", "nothing@") != unknown {
			t.Errorf("a stranger is told %q and %q", known, unknown)
		}
	})
	t.Run("OnlyItsOwnPortsAreForwarded", func(t *testing.T) { s.ports(t, other) })
	t.Run("ARemovedKeyEndsWhatIsOpen", func(t *testing.T) {
		cmd := s.ssh("boss", "mine", "echo in; sleep 1000")
		var out output
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		await(t, "the session is open", func() bool { return strings.Contains(out.String(), "in\n") })
		began := time.Now()
		s.inStore(func(ctx context.Context, db *store.Store) error {
			p, err := db.PersonByName(ctx, "boss")
			if err != nil {
				return err
			}
			return db.DeleteSSHKey(ctx, p.ID, keyID)
		})
		_ = cmd.Wait()
		if took := time.Since(began); took > 2*time.Second || cmd.ProcessState.ExitCode() != 255 || !strings.Contains(out.String(), "the key was removed") {
			t.Errorf("after %v: %v, %q", took, cmd.ProcessState, out.String())
		}
		if out, status := s.says("boss", "mine", "true"); status != 255 || !strings.Contains(out, "Permission denied") {
			t.Errorf("with a removed key: %d, %q", status, out)
		}
		os.Remove(filepath.Join(s.dir, "boss"))
		os.Remove(filepath.Join(s.dir, "boss.pub"))
		s.key("boss")
	})
	t.Run("ItOutlivesTheConsole", func(t *testing.T) {
		if out, _ := s.says("boss", "mine", "nohup sleep 987654 >/dev/null 2>&1 & echo $! > pid; cat pid"); out == "" {
			t.Fatal("no work was started")
		}
		cmd := s.ssh("boss", "mine", "echo in; sleep 1000")
		var out output
		cmd.Stdout = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		await(t, "the session is open", func() bool { return strings.Contains(out.String(), "in\n") })
		s.kill9()
		_ = cmd.Wait()
		s.start()
		// StrictHostKeyChecking refuses another host key.
		if out, status := s.says("boss", "mine", "kill -0 $(cat pid) && echo works on"); out != "works on\n" || status != 0 {
			t.Errorf("after kill -9 of the console: %d, %q", status, out)
		}
	})
	t.Run("AStopEndsItWithWords", func(t *testing.T) {
		cmd := s.ssh("boss", "other", "echo in; sleep 1000")
		var out output
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		await(t, "the session is open", func() bool { return strings.Contains(out.String(), "in\n") })
		s.cli("", "stop", other, "--wait")
		_ = cmd.Wait()
		if !strings.Contains(out.String(), "is being stopped") {
			t.Errorf("it said %q", out.String())
		}
	})
}

func must(path string, err error) string {
	if err != nil {
		panic(err)
	}
	return path
}

func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited for: %s", what)
		}
	}
}

func (s *sshSite) files(t *testing.T) {
	there := filepath.Join(s.dir, "sent")
	data := make([]byte, 20<<20)
	for i := range data {
		data[i] = byte(i * i >> 7)
	}
	if err := os.WriteFile(there, data, 0o600); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%x", sha256.Sum256(data))
	at := "mine@" + s.host + ":"
	batch := func(text string) func(string) *exec.Cmd {
		return func(string) *exec.Cmd {
			cmd := exec.Command("sftp", append(s.flags("boss"), "-b", "-", "mine@"+s.host)...)
			cmd.Stdin = strings.NewReader(text)
			return cmd
		}
	}
	back := filepath.Join(s.dir, "back")
	shell := "ssh " + strings.Join(s.flags("boss"), " ")
	for name, way := range map[string][2]func(string) *exec.Cmd{
		"scp": {
			func(f string) *exec.Cmd { return exec.Command("scp", append(s.flags("boss"), there, at+f)...) },
			func(f string) *exec.Cmd { return exec.Command("scp", append(s.flags("boss"), at+f, back)...) },
		},
		"scp -O": {
			func(f string) *exec.Cmd { return exec.Command("scp", append(s.flags("boss"), "-O", there, at+f)...) },
			func(f string) *exec.Cmd { return exec.Command("scp", append(s.flags("boss"), "-O", at+f, back)...) },
		},
		"sftp": {batch("put " + there + " sftp\n"), batch("get sftp " + back + "\n")},
		"rsync": {
			func(f string) *exec.Cmd { return exec.Command("rsync", "-e", shell, there, at+f) },
			func(f string) *exec.Cmd { return exec.Command("rsync", "-e", shell, at+f, back) },
		},
	} {
		file := strings.ReplaceAll(name, " ", "")
		if out, err := way[0](file).CombinedOutput(); err != nil {
			t.Errorf("%s there: %v: %s", name, err, out)
			continue
		}
		if out, _ := s.says("boss", "mine", "sha256sum < "+file); !strings.HasPrefix(out, want) {
			t.Errorf("%s there: %s, not %s", name, out, want)
		}
		os.Remove(back)
		if out, err := way[1](file).CombinedOutput(); err != nil {
			t.Errorf("%s back: %v: %s", name, err, out)
			continue
		}
		if got, err := os.ReadFile(back); err != nil || fmt.Sprintf("%x", sha256.Sum256(got)) != want {
			t.Errorf("%s back: %d bytes, %v", name, len(got), err)
		}
	}
	// It sees what the instance's user sees.
	cmd := batch("ls " + s.data + "/instances\n")("")
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Errorf("sftp lists the console's data: %s", out)
	}
}

func (s *sshSite) ports(t *testing.T, other string) {
	if _, err := exec.LookPath("busybox"); err != nil {
		t.Skip("needs busybox's nc")
	}
	_, own, _ := net.SplitHostPort(freePort(t))
	_, foreign, _ := net.SplitHostPort(freePort(t))
	for instance, port := range map[string]string{"mine": own, other: foreign} {
		if out, status := s.says("boss", instance, "busybox nc -ll -p "+port+" -e cat >/dev/null 2>&1 &"); status != 0 {
			t.Fatalf("%s: %d, %s", instance, status, out)
		}
	}
	_, console, _ := net.SplitHostPort(s.listen)
	pass := func(target string) (string, error) { // ssh -W is a direct-tcpip channel, as -L and -D are
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, "ssh", append(s.flags("boss"), "-W", target, "mine@"+s.host)...)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		var out output
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(in, "hello")
		for deadline := time.Now().Add(10 * time.Second); out.String() == "" && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		}
		in.Close()
		err = cmd.Wait()
		return out.String(), err
	}
	await(t, "the server listens", func() bool { out, _ := pass("127.0.0.1:" + own); return out == "hello\n" })
	if out, _ := pass("localhost:" + own); out != "hello\n" {
		t.Errorf("by its name: %q", out)
	}
	for what, target := range map[string]string{"the console": "127.0.0.1:" + console, "the gateway": "127.0.0.1:" + s.port, "another instance": "127.0.0.1:" + foreign,
		"an address elsewhere": "192.0.2.1:80", "any address": "0.0.0.0:" + own} {
		if out, err := pass(target); err == nil || strings.Contains(out, "hello") {
			t.Errorf("%s is reached: %q", what, out)
		}
	}
	if out, err := exec.Command("ssh", append(s.flags("boss", "ExitOnForwardFailure=yes"), "-R", "0:127.0.0.1:"+console, "mine@"+s.host, "true")...).CombinedOutput(); err == nil {
		t.Errorf("-R is granted: %s", out)
	}
	for _, flag := range []string{"-A", "-X"} {
		if out, _ := s.says("boss", "mine", flag, "echo agent=$SSH_AUTH_SOCK display=$DISPLAY"); !strings.Contains(out, "agent= display=\n") {
			t.Errorf("%s: %q", flag, out)
		}
	}
}
