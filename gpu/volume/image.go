package volume

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/meterhouse/meterhouse/gpu"
)

// image holds a volume to its size by a file system of its own: ext4 in a sparse file, mounted by a loop device. The node's
// disk gives what is really used; what is deleted in the volume is given back.
type image struct{}

const (
	imageFile = "image"
	quiet     = unix.MS_NOSUID | unix.MS_NODEV
)

// cannotMount says why images can't be used here; "" if they can.
func cannotMount() string {
	if os.Geteuid() != 0 {
		return "the console does not run as root"
	}
	for _, program := range []string{"mkfs.ext4", "e2fsck", "resize2fs"} {
		if _, err := exec.LookPath(program); err != nil {
			return program + " is not here: install e2fsprogs"
		}
	}
	if _, err := os.Stat(loopControl); err != nil {
		return "this kernel has no loop devices"
	}
	return ""
}

func (image) name() string { return "image" }

func (image) limit() gpu.Limit {
	return gpu.Limit{Name: "volumes", Enforced: true, Detail: "each volume is a file system of its own in a file of its size"}
}

func (image) create(ctx context.Context, dir string, bytes int64) error {
	path := filepath.Join(dir, imageFile)
	if err := sparse(path, bytes); err != nil {
		return err
	}
	// -m 0: nothing is kept for root, who is nobody special in a volume. The user of the volume is its root: see Present.
	if err := command(ctx, "mkfs.ext4", "-q", "-F", "-m", "0", "-E", "root_owner=0:0,nodiscard", path); err != nil {
		return err
	}
	return syncFile(path)
}

func (image) size(dir string) (int64, error) {
	info, err := os.Stat(filepath.Join(dir, imageFile))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (image) taken(dir string) (int64, error) {
	var st unix.Stat_t
	if err := unix.Stat(filepath.Join(dir, imageFile), &st); err != nil {
		return 0, err
	}
	return st.Blocks * 512, nil // the unit of stat(2), whatever the file system's
}

func (i image) mount(ctx context.Context, dir string) error {
	files, path := filepath.Join(dir, filesDir), filepath.Join(dir, imageFile)
	if err := os.Mkdir(files, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	mounted, err := isMounted(files)
	if err != nil || mounted {
		return err
	}
	known, err := findLoop(path)
	if err != nil {
		return err
	}
	if known == "" {
		if err := fit(ctx, path, path); err != nil {
			return err
		}
	}
	loop, err := attachLoop(path)
	if err != nil {
		return fmt.Errorf("give %s a loop device: %w", path, err)
	}
	defer loop.Close()
	if err := unix.Mount(loop.Name(), files, "ext4", quiet, "errors=remount-ro,discard"); err != nil {
		return fmt.Errorf("mount %s: %w", path, err)
	}
	return nil
}

// fit has the file system be as large as its image, which may have grown alone: on is the image itself while it is not mounted,
// else its loop device.
func fit(ctx context.Context, path, on string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	has, err := ext4Size(path)
	if err != nil || info.Size()-has < 1<<20 { // less than a MiB is what does not fill a block group
		return err
	}
	if on == path { // resize2fs wants what it resizes to be looked through
		var exit *exec.ExitError
		if err := command(ctx, "e2fsck", "-f", "-p", path); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) { // 1: put right
			return err
		}
	}
	return command(ctx, "resize2fs", on)
}

// grow makes the image larger; the next mount makes the file system fit. What is worked in grows at once if the kernel lets this
// process do that, else not at all: ErrInUse.
func (i image) grow(ctx context.Context, dir string, bytes int64) error {
	path := filepath.Join(dir, imageFile)
	err := i.unmount(dir)
	inUse := errors.Is(err, ErrInUse)
	if err != nil && !inUse || inUse && !resizesMounted() {
		return err
	}
	if err := os.Truncate(path, bytes); err != nil {
		return err
	}
	if err := syncFile(path); err != nil || !inUse {
		return err
	}
	loop, err := attachLoop(path)
	if err != nil {
		return err
	}
	defer loop.Close()
	if err := unix.IoctlSetInt(int(loop.Fd()), unix.LOOP_SET_CAPACITY, 0); err != nil {
		return fmt.Errorf("tell the loop device its size: %w", err)
	}
	return fit(ctx, path, loop.Name())
}

// resizesMounted reports whether this process may resize an ext4 that is mounted: the kernel asks for CAP_SYS_RESOURCE.
func resizesMounted() bool {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(status)) {
		if mask, found := strings.CutPrefix(line, "CapEff:"); found {
			has, err := strconv.ParseUint(strings.TrimSpace(mask), 16, 64)
			return err == nil && has&(1<<unix.CAP_SYS_RESOURCE) != 0
		}
	}
	return false
}

func (image) unmount(dir string) error {
	files := filepath.Join(dir, filesDir)
	mounted, err := isMounted(files)
	if err != nil {
		return err
	}
	if mounted {
		switch err := unix.Unmount(files, 0); {
		case errors.Is(err, unix.EBUSY):
			return ErrInUse
		case err != nil:
			return fmt.Errorf("unmount %s: %w", files, err)
		}
	}
	// An instance has a mount of its own: then the loop device is still there. One that is just beginning leaves it at once.
	for waited := time.Duration(0); ; waited += leavePause {
		loop, err := findLoop(filepath.Join(dir, imageFile))
		if err != nil || loop == "" {
			return err
		}
		if waited >= leavePatience {
			return ErrInUse
		}
		time.Sleep(leavePause)
	}
}

// leavePatience is how long who sees a volume by accident, because namespaces are made with all mounts in them, may take to
// leave it.
const (
	leavePatience = time.Second
	leavePause    = 20 * time.Millisecond
)

func (image) usage(_ context.Context, dir string) (Usage, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(filepath.Join(dir, filesDir), &st); err != nil {
		return Usage{}, err
	}
	total, free := int64(st.Blocks)*st.Bsize, int64(st.Bavail)*st.Bsize
	return Usage{Bytes: total, Used: total - free, Free: free, Files: int64(st.Files - st.Ffree), FilesFree: int64(st.Ffree)}, nil
}

// copy of what is mounted nowhere is a copy of its image. What only an instance still sees is not all in the image: it is mounted
// here too, so that it can be held.
func (i image) copy(ctx context.Context, dir, to string) error {
	files := filepath.Join(dir, filesDir)
	loop, err := findLoop(filepath.Join(dir, imageFile))
	if err != nil {
		return err
	}
	if loop != "" {
		if err := i.mount(ctx, dir); err != nil {
			return err
		}
		thaw, err := freeze(files)
		if err != nil {
			return err
		}
		defer thaw()
	}
	return copySparse(filepath.Join(dir, imageFile), filepath.Join(to, imageFile))
}

func (image) recover(dir string) error {
	files := filepath.Join(dir, filesDir)
	if mounted, err := isMounted(files); err != nil || !mounted {
		return err
	}
	f, err := os.Open(files)
	if err != nil {
		return err
	}
	defer f.Close()
	_ = unix.IoctlSetInt(int(f.Fd()), fiThaw, 0) // EINVAL: it was not frozen
	return nil
}

// Values of linux/fs.h that x/sys does not name: _IOWR('X', 119, int) and 120.
const (
	fiFreeze = 0xc0045877
	fiThaw   = 0xc0045878
)

// freeze has all that is written to a file system be on its disk, and lets nothing more be written until thaw.
func freeze(files string) (thaw func(), err error) {
	f, err := os.Open(files)
	if err != nil {
		return nil, err
	}
	if err := unix.IoctlSetInt(int(f.Fd()), fiFreeze, 0); err != nil {
		return nil, errors.Join(fmt.Errorf("hold what is written to %s: %w", files, err), f.Close())
	}
	return func() {
		_ = unix.IoctlSetInt(int(f.Fd()), fiThaw, 0) // it was frozen here
		_ = f.Close()
	}, nil
}

// ext4Size reads how large the file system in an image is: s_blocks_count and s_log_block_size of its superblock, at 1024
// (https://docs.kernel.org/filesystems/ext4/super.html).
func ext4Size(path string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	super := make([]byte, 1024)
	if _, err := f.ReadAt(super, 1024); err != nil {
		return 0, err
	}
	if binary.LittleEndian.Uint16(super[0x38:]) != 0xef53 {
		return 0, fmt.Errorf("%s holds no ext4", path)
	}
	blocks := uint64(binary.LittleEndian.Uint32(super[0x150:]))<<32 | uint64(binary.LittleEndian.Uint32(super[0x4:]))
	return int64(blocks << (10 + binary.LittleEndian.Uint32(super[0x18:]))), nil
}

func sparse(path string, bytes int64) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(bytes), f.Close())
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// command runs a program and returns what it said against it.
func command(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(said.String()))
	}
	return nil
}
