package process

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
)

func TestSmoke(t *testing.T) {
	e, err := New(Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range e.Limits(t.Context()) {
		t.Logf("%+v", l)
	}
	t0 := time.Now()
	s, err := e.Start(t.Context(), gpu.Spec{ID: "smoke", Name: "My Box", Command: "id; hostname; env; pwd; ls -la; ps ax; mount | tail -20; tty; ls /home /tmp; exit 3", MemoryBytes: 64 << 20, Pids: 20, CPUMillis: 500})
	t.Logf("%v %+v %v", time.Since(t0), s, err)
	if err != nil {
		t.Fatal(err)
	}
	s, err = e.Wait(t.Context(), "smoke")
	t.Logf("%v %+v %v", time.Since(t0), s, err)
	r, at, err := e.Log(t.Context(), "smoke", 0, true)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	t.Logf("%d %v\n%s", at, err, b)
	t0 = time.Now()
	s, err = e.Start(t.Context(), gpu.Spec{ID: "shell", Name: "My Box"})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("start %v", time.Since(t0))
	term, err := e.Attach(t.Context(), "shell", gpu.Size{Cols: 100, Rows: 30})
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 4096)
	n, err := term.Read(buf)
	t.Logf("prompt %v %q %v", time.Since(t0), buf[:n], err)
	term.Write([]byte("stty size; tty; id\n"))
	time.Sleep(300 * time.Millisecond)
	n, err = term.Read(buf)
	t.Logf("%q %v", buf[:n], err)
	n, err = term.Read(buf)
	t.Logf("%q %v", buf[:n], err)
	var out, eb bytes.Buffer
	x, err := e.Exec(t.Context(), "shell", gpu.ExecRequest{Argv: []string{"sh", "-c", "cat; ls -l /proc/1/; cat /proc/self/status | grep -i -E 'cap|newpriv'; exit 4"}, Stdout: &out, Stderr: &eb, Stdin: bytes.NewReader([]byte("hello"))})
	t.Logf("%+v %v %s %s", x, err, &out, &eb)
	u, err := e.Usage(t.Context(), "shell")
	t.Logf("%+v %v", u, err)
	t0 = time.Now()
	s, err = e.Stop(t.Context(), "shell", 5*time.Second)
	t.Logf("stop %v %+v %v", time.Since(t0), s, err)
	c, err := e.Clean(t.Context(), "shell")
	t.Logf("%+v %v", c, err)
	t.Log(e.Remove(t.Context(), "shell"), e.Remove(t.Context(), "smoke"))
}
