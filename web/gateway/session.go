package gateway

import (
	"context"
	"errors"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/crypto/ssh"
	"golang.org/x/sys/unix"

	"github.com/meterhouse/meterhouse/gpu"
)

const (
	maxSide     = 1000 // columns or rows
	maxEnv      = 32
	maxEnvBytes = 4 << 10
	maxCommand  = 128 << 10 // what one argument of a program may have (execve(2))
)

// session is one program in the instance, with or without a terminal (RFC 4254, 6).
type session struct {
	c       *connection
	ch      ssh.Channel
	resize  chan gpu.Size
	signals chan syscall.Signal
	req     gpu.ExecRequest
	begun   bool
	words   sync.Mutex // one at a time
}

// session serves a channel until its program has ended.
func (c *connection) session(ctx context.Context, n ssh.NewChannel) {
	ch, requests, err := n.Accept()
	if err != nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &session{c: c, ch: ch, resize: make(chan gpu.Size, 1), signals: make(chan syscall.Signal, 8)}
	defer cancel()
	c.mu.Lock()
	c.sessions[s] = true
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.sessions, s)
		c.mu.Unlock()
	}()
	var program sync.WaitGroup
	for r := range requests {
		good := s.request(r)
		if r.WantReply {
			_ = r.Reply(good, nil) // the client may have left
		}
		if good && !s.begun && starts(r.Type) {
			s.begun = true
			program.Go(func() { s.run(ctx) })
		}
	}
	cancel() // the client has closed the channel, or left
	_ = ch.Close()
	program.Wait()
}

func starts(kind string) bool { return kind == "shell" || kind == "exec" || kind == "subsystem" }

// request takes one request and reports whether it is granted. Forwarding of an agent and of X11 is none of them.
func (s *session) request(r *ssh.Request) bool {
	switch r.Type {
	case "pty-req":
		return !s.begun && s.terminal(r.Payload)
	case "env":
		return !s.begun && s.env(r.Payload)
	case "shell":
		if !s.begun {
			s.req.Shell = true
		}
		return !s.begun
	case "exec":
		var m struct{ Command string }
		if s.begun || ssh.Unmarshal(r.Payload, &m) != nil || len(m.Command) >= maxCommand || strings.ContainsRune(m.Command, 0) {
			return false
		}
		s.req.Shell, s.req.Argv = true, []string{"-c", m.Command}
		return true
	case "subsystem":
		var m struct{ Name string }
		if s.begun || ssh.Unmarshal(r.Payload, &m) != nil || m.Name != "sftp" {
			return false
		}
		s.req.SFTP = true
		return true
	case "window-change":
		return s.windowChange(r.Payload)
	case "signal":
		return s.signal(r.Payload)
	}
	return false
}

func (s *session) terminal(payload []byte) bool {
	var m struct {
		Term                      string
		Cols, Rows, Width, Height uint32
		Modes                     string
	}
	if ssh.Unmarshal(payload, &m) != nil {
		return false
	}
	s.req.TTY = &gpu.Size{Cols: 80, Rows: 24}
	if size, ok := sizeOf(m.Cols, m.Rows); ok {
		s.req.TTY = &size
	}
	if plainTerm(m.Term) {
		s.req.Env = append(s.req.Env, "TERM="+m.Term)
	}
	return true
}

// plainTerm reports whether a text can be the name of a terminal: it also becomes part of a path of terminfo.
func plainTerm(term string) bool {
	return term != "" && len(term) <= 64 && !strings.ContainsFunc(term, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_+.", r)
	})
}

func sizeOf(cols, rows uint32) (gpu.Size, bool) {
	if cols < 1 || rows < 1 || cols > maxSide || rows > maxSide {
		return gpu.Size{}, false
	}
	return gpu.Size{Cols: uint16(cols), Rows: uint16(rows)}, true
}

// env takes what says how a person reads and writes, and nothing that could change what programs do.
func (s *session) env(payload []byte) bool {
	var m struct{ Name, Value string }
	if ssh.Unmarshal(payload, &m) != nil || len(s.req.Env) >= maxEnv || len(m.Value) > maxEnvBytes || strings.ContainsRune(m.Value, 0) {
		return false
	}
	category, isLocale := strings.CutPrefix(m.Name, "LC_")
	if m.Name != "LANG" && (!isLocale || !plainTerm(category)) {
		return false
	}
	s.req.Env = append(s.req.Env, m.Name+"="+m.Value)
	return true
}

func (s *session) windowChange(payload []byte) bool {
	var m struct{ Cols, Rows, Width, Height uint32 }
	if ssh.Unmarshal(payload, &m) != nil || s.req.TTY == nil {
		return false
	}
	size, ok := sizeOf(m.Cols, m.Rows)
	if !ok {
		return false
	}
	select { // the latest counts
	case <-s.resize:
	default:
	}
	s.resize <- size
	return true
}

func (s *session) signal(payload []byte) bool {
	var m struct{ Name string }
	if ssh.Unmarshal(payload, &m) != nil {
		return false
	}
	sig := unix.SignalNum("SIG" + m.Name)
	if sig == 0 {
		return false
	}
	select {
	case s.signals <- sig:
		return true
	default:
		return false
	}
}

// run runs the program and says how it ended.
func (s *session) run(ctx context.Context) {
	defer func() { _ = s.ch.Close() }()
	if s.c.refused != nil {
		s.say(s.c.words(s.c.refused))
		s.exit(gpu.Exit{Code: statusRefused})
		return
	}
	s.req.Stdin, s.req.Stdout, s.req.Stderr = s.ch, s.ch, s.ch.Stderr()
	s.req.Resize, s.req.Signals = s.resize, s.signals
	exit, err := s.c.g.Fleet.Exec(ctx, s.c.instance, s.req)
	if err != nil && ctx.Err() == nil {
		s.c.g.Log.Debug("an SSH session was cut", "instance", s.c.instance, "error", err)
		s.say(s.c.words(err))
		exit = gpu.Exit{Code: statusRefused}
		var reason *gpu.NotStarted
		if errors.As(err, &reason) {
			exit.Code = statusNotStarted
		}
	}
	if err == nil || ctx.Err() == nil {
		s.exit(exit)
	}
}

const (
	statusRefused    = 255 // as OpenSSH's client ends where there is no session
	statusNotStarted = 127 // as a shell ends
)

// namedSignals are those that the protocol has names for (RFC 4254, 6.10).
var namedSignals = []string{"ABRT", "ALRM", "FPE", "HUP", "ILL", "INT", "KILL", "PIPE", "QUIT", "SEGV", "TERM", "USR1", "USR2"}

func (s *session) exit(e gpu.Exit) {
	name := strings.TrimPrefix(e.Signal, "SIG")
	for _, known := range namedSignals {
		if name == known {
			m := struct {
				Name          string
				Core          bool
				Message, Lang string
			}{Name: name}
			_, _ = s.ch.SendRequest("exit-signal", false, ssh.Marshal(m)) // the client may have left
			return
		}
	}
	_, _ = s.ch.SendRequest("exit-status", false, ssh.Marshal(struct{ Code uint32 }{uint32(e.Code)}))
}

// say writes a line of ours beside what the program writes.
func (s *session) say(text string) {
	s.words.Lock()
	defer s.words.Unlock()
	_, _ = s.ch.Stderr().Write([]byte("\r\nmeterhouse: " + text + "\r\n"))
}
