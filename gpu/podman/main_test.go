package podman

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/process"
)

// station is what the tests share: a real engine with a store of its own, an image in it, and meterhouse-init.
var station struct {
	why    string // why there is none
	dir    string
	socket string
	init   string
}

// image is what the tests start from: busybox, without a library.
const testImage = "localhost/meterhouse-test:1"

// TestMain lets the test binary be the shim of its own instances, as the console is of its, and runs an engine for all tests.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "shim" {
		os.Exit(process.Shim(os.Args[2:], InShim()))
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "meterhouse-podman-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	station.dir, station.socket, station.init = dir, filepath.Join(dir, "podman.sock"), filepath.Join(dir, "meterhouse-init")
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if err := openStation(ctx); err != nil {
		station.why = err.Error()
		if !errors.Is(err, errNoEngine) {
			fmt.Fprintln(os.Stderr, "the engine for the tests:", err)
			return 1
		}
	}
	code := m.Run()
	if station.why == "" {
		closeStation()
	}
	return code
}

// errNoEngine is a machine on which these tests can't run; CI's can.
var errNoEngine = errors.New("needs root, podman and busybox-static")

func podmanCommand(args ...string) *exec.Cmd {
	global := []string{"--root", filepath.Join(station.dir, "store"), "--runroot", filepath.Join(station.dir, "run"), "--runtime", "runc", "--cgroup-manager", "cgroupfs"}
	return exec.Command("podman", append(global, args...)...)
}

func openStation(ctx context.Context) error {
	for _, program := range []string{"podman", "runc", "/bin/busybox"} {
		if _, err := exec.LookPath(program); err != nil || os.Geteuid() != 0 {
			return fmt.Errorf("%w: %s", errNoEngine, program)
		}
	}
	build := exec.Command("go", "build", "-o", station.init, "../../cmd/meterhouse-init")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building meterhouse-init: %w: %s", err, out)
	}
	if err := importImage(); err != nil {
		return err
	}
	_, err := startService(ctx, station.socket)
	return err
}

// startService starts podman's service, and returns when it answers.
func startService(ctx context.Context, socket string) (*exec.Cmd, error) {
	service := podmanCommand("system", "service", "--time=0", "unix://"+socket)
	service.Stderr = os.Stderr
	if err := service.Start(); err != nil {
		return nil, err
	}
	go func() {
		<-ctx.Done()
		_ = service.Process.Kill()
	}()
	for range 500 {
		if _, err := dialEngine(socket).info(ctx); err == nil {
			return service, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return service, errors.New("podman's service does not answer")
}

// importImage makes an image of busybox and nothing else.
func importImage() error {
	root := filepath.Join(station.dir, "image")
	script := `set -e; mkdir -p $0/bin $0/etc $0/tmp $0/var/tmp $0/root $0/usr/bin; cp /bin/busybox $0/bin/; chmod 1777 $0/tmp $0/var/tmp
		for a in $(/bin/busybox --list); do [ $a = busybox ] || ln -s busybox $0/bin/$a; done
		printf 'root:x:0:0:root:/root:/bin/sh\nworker:x:1000:1000::/home/work:/bin/sh\n' > $0/etc/passwd; printf 'root:x:0:\nworker:x:1000:\n' > $0/etc/group
		tar -C $0 -cf $0.tar .`
	if out, err := exec.Command("/bin/sh", "-c", script, root).CombinedOutput(); err != nil {
		return fmt.Errorf("a root file system: %w: %s", err, out)
	}
	if out, err := podmanCommand("import", root+".tar", testImage).CombinedOutput(); err != nil {
		return fmt.Errorf("podman import: %w: %s", err, out)
	}
	return nil
}

// closeStation leaves no container and no mount.
func closeStation() {
	_ = podmanCommand("rm", "--all", "--force", "--time", "0").Run()
	_ = podmanCommand("unmount", "--all", "--force").Run()
	b, _ := os.ReadFile("/proc/self/mountinfo")
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 4 && strings.HasPrefix(f[4], station.dir) {
			_ = exec.Command("umount", "--lazy", f[4]).Run()
		}
	}
}

// need skips a test where there is no engine.
func need(t *testing.T) {
	t.Helper()
	if station.why != "" {
		t.Skip(station.why)
	}
}

// open is an executor of containers on a directory.
func open(t *testing.T, dir string) gpu.Executor {
	t.Helper()
	return openAt(t, dir, station.socket)
}

// openAt is open with an engine of the test's own.
func openAt(t *testing.T, dir, socket string) gpu.Executor {
	t.Helper()
	need(t)
	enclosure, err := New(Config{Socket: socket, Init: station.init})
	if err != nil {
		t.Fatal(err)
	}
	e, err := process.New(process.Config{Dir: dir, Images: enclosure})
	if err != nil {
		t.Fatal(err)
	}
	return fromImage{e}
}

// fromImage starts everything from the tests' image.
type fromImage struct{ gpu.Executor }

func (f fromImage) Start(ctx context.Context, s gpu.Spec) (gpu.State, error) {
	if s.Image == "" {
		s.Image = testImage
	}
	return f.Executor.Start(ctx, s)
}
