package gputest

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

var terminalTests = map[string]func(*testing.T, *rig){
	"ATerminalRunsAShell":               terminalRuns,
	"TheShellGoesOnAfterDetach":         terminalSame,
	"ATerminalKnowsItsSize":             terminalSize,
	"SeveralCanWatchOneShell":           terminalShared,
	"AShellThatEndsIsEOFAndANewOneNext": terminalEnds,
	"ATerminalIsBesideTheCommand":       terminalBeside,
	"MuchOutputArrivesWhole":            terminalMuch,
	"TheEndOfTheInstanceIsEOF":          terminalEOF,
}

// typist works at a terminal. Its goroutine ends with the terminal.
type typist struct {
	t    *testing.T
	term gpu.Terminal
	got  chan []byte
	seen strings.Builder
	err  error // how reading ended; valid once got is closed
}

func (r *rig) attach(x gpu.Executor, size gpu.Size) *typist {
	r.t.Helper()
	term, err := x.Attach(r.ctx, r.id, size)
	if err != nil {
		r.t.Fatalf("Attach: %v", err)
	}
	p := &typist{t: r.t, term: term, got: make(chan []byte, 1024)}
	go func() {
		defer close(p.got)
		for {
			buf := make([]byte, 32<<10)
			n, err := term.Read(buf)
			if n > 0 {
				p.got <- buf[:n]
			}
			if err != nil {
				p.err = err
				return
			}
		}
	}()
	return p
}

func (p *typist) types(text string) {
	p.t.Helper()
	if _, err := p.term.Write([]byte(text)); err != nil {
		p.t.Fatalf("typing %q: %v", text, err)
	}
}

// sees waits until a text has come. What is asked for must not be in what was typed, which the terminal echoes.
func (p *typist) sees(text string) {
	p.t.Helper()
	limit := time.After(longWait)
	for !strings.Contains(p.seen.String(), text) {
		select {
		case b, ok := <-p.got:
			if !ok {
				p.t.Fatalf("the terminal ended (%v) before %q; it showed %q", p.err, text, p.tail())
			}
			p.seen.Write(b)
		case <-limit:
			p.t.Fatalf("%q did not come; the terminal showed %q", text, p.tail())
		}
	}
}

func (p *typist) tail() string { s := p.seen.String(); return s[max(0, len(s)-2000):] }

// ends waits for the end and returns how it came.
func (p *typist) ends() error {
	p.t.Helper()
	limit := time.After(longWait)
	for {
		select {
		case _, ok := <-p.got:
			if !ok {
				return p.err
			}
		case <-limit:
			p.t.Fatal("the terminal does not end")
		}
	}
}

func (p *typist) leave() {
	p.t.Helper()
	if err := p.term.Close(); err != nil {
		p.t.Errorf("closing the terminal: %v", err)
	}
	for range p.got {
	}
}

var usual = gpu.Size{Cols: 80, Rows: 24}

func terminalRuns(t *testing.T, r *rig) {
	r.start(gpu.Spec{})
	p := r.attach(r.Executor, usual)
	defer p.leave()
	p.types("echo $((6*7))-ok; tty\n")
	p.sees("42-ok")
	p.sees("/dev/pts/")
	p.types("sleep " + r.mark + "\n")
	r.until("it sleeps", func() bool { return len(runningWith(r.mark)) == 1 })
	p.types("\x03") // job control: an interrupt ends the sleep, not the shell
	p.types("echo $((6*8))-ok\n")
	p.sees("48-ok")
}

func terminalSame(t *testing.T, r *rig) {
	r.start(gpu.Spec{})
	p := r.attach(r.Executor, usual)
	p.types("here=$((300+33)); echo first-$here\n")
	p.sees("first-333")
	p.leave()
	next := r.attach(r.suite.open(t), usual) // as after a restart of the console
	defer next.leave()
	next.sees("first-333") // replayed
	next.types("echo again-$here\n")
	next.sees("again-333")
}

func terminalSize(t *testing.T, r *rig) {
	r.start(gpu.Spec{})
	p := r.attach(r.Executor, gpu.Size{Cols: 101, Rows: 31})
	defer p.leave()
	p.types("stty size\n")
	p.sees("31 101")
	if err := p.term.Resize(gpu.Size{Cols: 132, Rows: 43}); err != nil {
		t.Fatal(err)
	}
	p.types("stty size\n")
	p.sees("43 132")
}

func terminalShared(t *testing.T, r *rig) {
	r.start(gpu.Spec{})
	one, two := r.attach(r.Executor, usual), r.attach(r.Executor, usual)
	defer one.leave()
	one.types("echo from-one-$((1+1))\n")
	two.sees("from-one-2")
	two.types("echo from-two-$((2+2))\n")
	one.sees("from-two-4")
	two.leave()
	one.types("echo alone-$((3+3))\n")
	one.sees("alone-6")
}

func terminalEnds(t *testing.T, r *rig) {
	r.start(gpu.Spec{})
	p := r.attach(r.Executor, usual)
	p.types("gone=1; sleep 1000 & sleep 1000 < /dev/null & exit\n") // what it leaves behind does not keep the terminal
	if err := p.ends(); !errors.Is(err, io.EOF) {
		t.Errorf("the shell's end is %v", err)
	}
	p.leave()
	next := r.attach(r.Executor, usual)
	defer next.leave()
	next.types("echo new${gone}-$((4+4))\n")
	next.sees("new-8")
}

func terminalBeside(t *testing.T, r *rig) {
	r.start(gpu.Spec{Command: "echo started > mark; sleep 1000", Env: []string{"MINE=yes"}})
	p := r.attach(r.Executor, usual)
	defer p.leave()
	p.types("until cat mark; do sleep 0.05; done; echo $MINE-$((1+1))\n")
	p.sees("started")
	p.sees("yes-2")
	if text, _ := r.log(0); text != "" {
		t.Errorf("what the terminal shows is in the log: %q", text)
	}
}

func terminalMuch(t *testing.T, r *rig) {
	r.start(gpu.Spec{})
	p := r.attach(r.Executor, usual)
	defer p.leave()
	p.types("stty -echo; seq 100000; echo end-$((5+5))\n")
	p.sees("end-10")
	want := strings.ReplaceAll(numbered(100000), "\n", "\r\n")
	if !strings.Contains(p.seen.String(), want) {
		t.Errorf("of %d bytes not all came: %d, ending %q", len(want), p.seen.Len(), p.tail())
	}
}

func terminalEOF(t *testing.T, r *rig) {
	r.start(gpu.Spec{})
	p := r.attach(r.Executor, usual)
	defer p.leave()
	if _, err := r.Stop(r.ctx, r.id, time.Second); err != nil {
		t.Fatal(err)
	}
	if err := p.ends(); !errors.Is(err, io.EOF) {
		t.Errorf("the instance's end is %v", err)
	}
}
