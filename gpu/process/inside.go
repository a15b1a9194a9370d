package process

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/meterhouse/meterhouse/gpu"
)

// RunInside is the init of an instance in an Enclosure: PID 1 there. It is all that a program must do that is built to be
// shown to images of any kind, without a library. It connects to its shim, which tells it how to furnish the place.
func RunInside() error {
	runtime.LockOSThread() // see runInit
	conn, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: filepath.Join(filepath.Dir(gpu.NoticeFile), initSocket), Net: "unixpacket"})
	if err != nil {
		return fmt.Errorf("reaching the shim: %w", err)
	}
	n := &nursery{link: &initLink{conn: conn, buf: make([]byte, maxPacket)}, group: &childGroup{}, children: map[int]int{}, pids: map[int]int{}}
	var o order
	if _, err := n.link.receive(&o); err != nil {
		return err
	}
	if o.Furnish == nil {
		return errors.New("the shim's first order was " + o.Op)
	}
	return n.live(n.moveIn(*o.Furnish))
}

func (n *nursery) moveIn(f Furnishing) error {
	syscall.Umask(0o022)
	for _, d := range f.Devices {
		if st, err := os.Stat(d); err != nil || st.Mode()&os.ModeCharDevice == 0 {
			return fmt.Errorf("the device %s that was granted is not there", d)
		}
	}
	if err := os.Chdir(f.Dir); err != nil {
		return err
	}
	n.dir, n.program, n.env = f.Dir, f.Program, f.Env
	if !slices.ContainsFunc(n.env, func(e string) bool { return strings.HasPrefix(e, "SHELL=") }) {
		n.env = append(n.env, "SHELL="+shell())
	}
	if f.UID != 0 || f.GID != 0 {
		n.user = &syscall.Credential{Uid: uint32(f.UID), Gid: uint32(f.GID)}
		for _, g := range f.Groups {
			n.user.Groups = append(n.user.Groups, uint32(g))
		}
	}
	return dropPrivileges()
}
