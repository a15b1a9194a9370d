package nvidia

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// go-nvml binds the library's functions for the whole process, and a driver may end it: so every test that needs a library
// runs in a process of its own, which is this test binary again. These variables tell it so.
const (
	childEnv   = "METERHOUSE_NVIDIA_TEST_CHILD"   // "1" in the child
	libraryEnv = "METERHOUSE_NVIDIA_TEST_LIBRARY" // the stub that it uses
	scriptEnv  = "METERHOUSE_NVML_STUB"           // the stub's script, see testdata/stub/stub.c
)

// stubs has the libraries built so far, by their flags, in a directory that lives as long as the test binary.
var stubs = struct {
	dir   string
	built map[string]string
}{built: map[string]string{}}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "nvml-stub-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	stubs.dir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// inChild runs the calling test in a process of its own over a stub built with the flags. It reports whether this is that
// process; in the parent, it reports the child's result and the test is over.
func inChild(t *testing.T, flags ...string) bool {
	t.Helper()
	if os.Getenv(childEnv) == "1" {
		return true
	}
	stub, err := os.ReadFile(stubWith(t, flags...))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	library := filepath.Join(dir, "libnvidia-ml.so.1")
	if err := os.WriteFile(library, stub, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=2m")
	cmd.Env = append(os.Environ(), childEnv+"=1", libraryEnv+"="+library, scriptEnv+"="+filepath.Join(dir, "script"),
		"GORACE=atexit_sleep_ms=0") // otherwise each child of a race test lives a second longer than it has to
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Fatalf("in its own process: %v\n%s", err, out)
	}
	return false
}

// stubWith builds the stub, once for each set of flags, and returns its path.
func stubWith(t *testing.T, flags ...string) string {
	t.Helper()
	key := strings.Join(flags, " ")
	if library, ok := stubs.built[key]; ok {
		return library
	}
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "gcc"
	}
	if _, err := exec.LookPath(cc); err != nil {
		t.Skipf("the stub of NVIDIA's library can not be built: there is no C compiler (%v)", err)
	}
	library := filepath.Join(stubs.dir, fmt.Sprintf("stub%d.so", len(stubs.built)))
	args := append([]string{"-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-o", library, "testdata/stub/stub.c"}, flags...)
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("building the stub: %v\n%s", err, out)
	}
	stubs.built[key] = library
	return library
}

// machine is the hardware that the stub plays.
type machine struct {
	t            *testing.T
	init, answer int // what Init and every call answers
	gpus         []*card
	xids         []string
}

// card is one device; the keys are those of the stub's script.
type card struct {
	uuid, bus, name string
	with            map[string]int64
}

// newMachine has an A100, an L4 and a card for the desk, all well.
func newMachine(t *testing.T) *machine {
	m := &machine{t: t, gpus: []*card{
		{"GPU-3e1a0c54-0000-4000-8000-00000000000a", "00000000:17:00.0", "NVIDIA_A100-SXM4-80GB", map[string]int64{
			"memory": 80 << 30, "reserved": 600 << 20, "used": 8 << 20, "power": 61_000, "limit": 400_000, "energy": 5_000, "temperature": 33, "clock": 210}},
		{"GPU-3e1a0c54-0000-4000-8000-00000000000b", "00000000:3B:00.0", "NVIDIA_L4", map[string]int64{
			"memory": 23 << 30, "reserved": 500 << 20, "used": 4 << 20, "power": 17_000, "limit": 72_000, "energy": 900, "temperature": 41, "clock": 210}},
		{"GPU-3e1a0c54-0000-4000-8000-00000000000c", "00000000:5E:00.0", "NVIDIA_GeForce_RTX_4090", map[string]int64{
			"memory": 24 << 30, "reserved": 400 << 20, "used": 4 << 20, "power": 25_000, "limit": 450_000, "energy": 700, "temperature": 39, "clock": 210, "fan": 30}},
	}}
	m.write()
	return m
}

// write puts the machine before the stub, all at once.
func (m *machine) write() {
	var b strings.Builder
	fmt.Fprintf(&b, "init %d\ncall %d\n", m.init, m.answer)
	for _, c := range m.gpus {
		fmt.Fprintf(&b, "gpu uuid=%s bus=%s name=%s", c.uuid, c.bus, c.name)
		for key, n := range c.with {
			fmt.Fprintf(&b, " %s=%d", key, n)
		}
		b.WriteByte('\n')
	}
	for _, x := range m.xids {
		b.WriteString(x + "\n")
	}
	path := os.Getenv(scriptEnv)
	if err := os.WriteFile(path+".new", []byte(b.String()), 0o600); err != nil {
		m.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		m.t.Fatal(err)
	}
}

// set changes one number of one device.
func (m *machine) set(uuid, key string, n int64) {
	for _, c := range m.gpus {
		if c.uuid == uuid {
			c.with[key] = n
		}
	}
	m.write()
}

func (m *machine) xid(uuid string, code int) {
	m.xids = append(m.xids, fmt.Sprintf("xid %d uuid=%s code=%d", len(m.xids)+1, uuid, code))
	m.write()
}

// pass lets the energy counters of what works go on.
func (m *machine) pass() {
	for _, c := range m.gpus {
		c.with["energy"] += c.with["power"]
	}
	m.write()
}

// open opens a Source over the stub, impatient enough for tests.
func (m *machine) open(patience time.Duration) *Source {
	m.t.Helper()
	s, err := Open(Config{Library: os.Getenv(libraryEnv), Now: time.Now, Patience: patience, Retry: 20 * time.Millisecond})
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { s.Close() })
	return s
}

// NVML's answers and the stub's bits that the tests script.
const (
	notLoaded      = 9
	lost           = 15
	mismatch       = 18
	utilizationBit = 1
	powerBit       = 2
)
