package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// workUser is the name of an instance's own user, and of its home.
const workUser = "work"

// bindings are the files that an instance gets from outside, held open while the paths to them are being covered.
type bindings struct {
	home, tmp, run, passwd, groups *os.File
	tools                          []*os.File
	volumes                        []*os.File // as Spec.Mounts
	program                        *os.File   // Argv[0]; nil where there is none
	wanted                         string
}

func openBindings(rec record, here string) (b *bindings, err error) {
	b = &bindings{}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	open := func(path string) (f *os.File) {
		if err == nil {
			var fd int
			if fd, err = unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0); err == nil {
				return os.NewFile(uintptr(fd), path)
			}
			err = fmt.Errorf("%s: %w", path, err)
		}
		return nil
	}
	b.home, b.tmp, b.run = open(filepath.Join(here, homeDir)), open(filepath.Join(here, tmpDir)), open(filepath.Join(here, runDir))
	if rec.UID != 0 {
		b.passwd, b.groups = open(filepath.Join(here, "passwd")), open(filepath.Join(here, "group"))
	}
	for _, t := range rec.Tools {
		b.tools = append(b.tools, open(t))
	}
	for _, m := range rec.Spec.Mounts {
		b.volumes = append(b.volumes, open(m.Source))
	}
	if len(rec.Spec.Argv) > 0 {
		b.wanted = rec.Spec.Argv[0]
		if fd, err := unix.Open(b.wanted, unix.O_PATH|unix.O_CLOEXEC, 0); err == nil {
			b.program = os.NewFile(uintptr(fd), b.wanted)
		}
	}
	return b, err
}

func (b *bindings) close() {
	for _, f := range append(slices.Concat(b.tools, b.volumes), b.home, b.tmp, b.run, b.passwd, b.groups, b.program) {
		if f != nil {
			_ = f.Close()
		}
	}
}

func (b *bindings) bind(f *os.File, path string) error {
	if err := unix.Mount("/proc/self/fd/"+strconv.Itoa(int(f.Fd())), path, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("binding %s: %w", path, err)
	}
	return nil
}

// homeRoot is the directory that is covered to hold the instance's home; "" where the machine has none of these.
func homeRoot() string {
	for _, d := range []string{"/home", "/mnt", "/srv"} {
		if st, err := os.Stat(d); err == nil && st.IsDir() {
			return d
		}
	}
	return ""
}

// mountHome covers root by an empty file system with the instance's home and the tools in it, and closes that to changes.
func (b *bindings) mountHome(root string) error {
	if err := unix.Mount("tmpfs", root, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=64k"); err != nil {
		return fmt.Errorf("covering %s: %w", root, err)
	}
	home, bin := filepath.Join(root, workUser), filepath.Join(root, "meterhouse", "bin")
	if err := errors.Join(os.Mkdir(home, 0o755), os.MkdirAll(bin, 0o755)); err != nil {
		return err
	}
	if err := b.bind(b.home, home); err != nil {
		return err
	}
	tools := b.tools
	if b.program != nil {
		tools = append(tools, b.program)
	}
	for _, t := range tools {
		path := filepath.Join(bin, filepath.Base(t.Name()))
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			return err
		}
		if err := b.bind(t, path); err != nil {
			return err
		}
	}
	return remount(root, unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV)
}

// reachable returns where Argv[0] can be started: at its own path or, where a directory on the way is closed to the
// instance's user or covered, where it was bound to.
func (b *bindings) reachable(p place, uid int) string {
	if b.program == nil {
		return b.wanted
	}
	bound := filepath.Join(p.tools, filepath.Base(b.wanted))
	if uid == 0 {
		if unix.Access(b.wanted, unix.X_OK) == nil {
			return b.wanted
		}
		return bound
	}
	for d := filepath.Dir(b.wanted); ; d = filepath.Dir(d) {
		st, err := os.Stat(d)
		if err != nil || st.Mode().Perm()&0o001 == 0 {
			return bound
		}
		if d == "/" {
			break
		}
	}
	if _, err := os.Stat(b.wanted); err != nil {
		return bound
	}
	return b.wanted
}

// writeAccounts writes the instance's own passwd and group: the machine's, and the user that it runs as.
func writeAccounts(dir string, uid int, home string) error {
	for _, a := range []struct{ from, name, line string }{
		{"/etc/passwd", "passwd", fmt.Sprintf("%s:x:%d:%d::%s:%s\n", workUser, uid, uid, home, shell())},
		{"/etc/group", "group", fmt.Sprintf("%s:x:%d:\n", workUser, uid)},
	} {
		b, err := os.ReadFile(a.from)
		if err != nil {
			return err
		}
		text := string(b)
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		path := filepath.Join(dir, a.name)
		if err := os.WriteFile(path, []byte(text+a.line), 0o644); err != nil {
			return err
		}
		if err := os.Chmod(path, 0o644); err != nil { // whatever the console's umask is
			return err
		}
	}
	return nil
}
