package process

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Version 2 of cgroups has no devices controller: a program attached to the group is asked about each opening of a device
// file (BPF_PROG_TYPE_CGROUP_DEVICE, since Linux 4.15). It is small enough to be written down by hand here.

// instruction is struct bpf_insn of linux/bpf.h.
type instruction struct {
	code   uint8
	regs   uint8 // destination in the low half, source in the high one
	offset int16
	value  int32
}

// The instructions that the filter needs (bpf instruction-set.rst).
const (
	loadWord      = 0x61 // r = *(u32 *)(source + offset)
	andValue      = 0x57
	jumpEqual     = 0x15
	jumpUnequal   = 0x55
	moveValue     = 0xb7
	exitProgram   = 0x95
	regContext    = 1 << 4
	kind          = 2 // register: type of the file in the low 16 bits, then the access
	major         = 3
	minor         = 4
	result        = 0
	toDeny        = -1 // offsets that are filled in when the length is known
	toAllow       = -2
	contextKind   = 0 // struct bpf_cgroup_dev_ctx
	contextMajor  = 4
	contextMinor  = 8
	filterLicense = "Dual MIT/GPL\x00" // it calls nothing that would ask for one
)

// deviceProgram denies what is not granted, and every NVIDIA device that is not named at all: one that comes later.
func deviceProgram(rules []deviceRule) []instruction {
	p := []instruction{
		{code: loadWord, regs: kind | regContext, offset: contextKind},
		{code: loadWord, regs: major | regContext, offset: contextMajor},
		{code: loadWord, regs: minor | regContext, offset: contextMinor},
		{code: andValue, regs: kind, value: 0xffff},
		{code: jumpUnequal, regs: kind, offset: toAllow, value: unix.BPF_DEVCG_DEV_CHAR},
	}
	for _, r := range rules {
		to := int16(toDeny)
		if r.allow {
			to = toAllow
		}
		p = append(p,
			instruction{code: jumpUnequal, regs: major, offset: 1, value: int32(r.major)},
			instruction{code: jumpEqual, regs: minor, offset: to, value: int32(r.minor)})
	}
	p = append(p, instruction{code: jumpEqual, regs: major, offset: toDeny, value: nvidiaMajor})
	allow, deny := len(p), len(p)+2
	for i := range p {
		switch p[i].offset {
		case toAllow:
			p[i].offset = int16(allow - i - 1)
		case toDeny:
			p[i].offset = int16(deny - i - 1)
		}
	}
	return append(p,
		instruction{code: moveValue, regs: result, value: 1}, instruction{code: exitProgram},
		instruction{code: moveValue, regs: result, value: 0}, instruction{code: exitProgram})
}

// loadDeviceFilter hands the program to the kernel, which checks it.
func loadDeviceFilter(rules []deviceRule) (*os.File, error) {
	program, license := deviceProgram(rules), []byte(filterLicense)
	attr := struct {
		kind, count                uint32
		instructions, license      uint64
		logLevel, logSize          uint32
		log                        uint64
		kernelVersion, programFlag uint32
	}{
		kind: unix.BPF_PROG_TYPE_CGROUP_DEVICE, count: uint32(len(program)),
		instructions: uint64(uintptr(unsafe.Pointer(&program[0]))), license: uint64(uintptr(unsafe.Pointer(&license[0]))),
	}
	fd, _, errno := unix.Syscall(unix.SYS_BPF, unix.BPF_PROG_LOAD, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr))
	runtime.KeepAlive(program)
	runtime.KeepAlive(license)
	if errno != 0 {
		return nil, fmt.Errorf("loading a device filter: %w", errno)
	}
	return os.NewFile(fd, "device filter"), nil
}

// attachDeviceFilter puts the filter on the group of version 2 in dir; it stays as long as the group does.
func attachDeviceFilter(dir string, rules []deviceRule) error {
	filter, err := loadDeviceFilter(rules)
	if err != nil {
		return err
	}
	defer func() { _ = filter.Close() }()
	group, err := os.Open(dir)
	if err != nil {
		return err
	}
	attr := struct{ target, program, kind, flags uint32 }{
		uint32(group.Fd()), uint32(filter.Fd()), unix.BPF_CGROUP_DEVICE, unix.BPF_F_ALLOW_MULTI,
	}
	_, _, errno := unix.Syscall(unix.SYS_BPF, unix.BPF_PROG_ATTACH, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr))
	if errno != 0 {
		err = fmt.Errorf("attaching a device filter: %w", errno)
	}
	return errors.Join(err, group.Close())
}

// tryDeviceFilter says why this machine takes no filter, nil where it does.
func tryDeviceFilter() error {
	f, err := loadDeviceFilter(nil)
	if err != nil {
		return err
	}
	return f.Close()
}
