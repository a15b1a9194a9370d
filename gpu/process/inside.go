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
	"sync"
	"syscall"

	"github.com/meterhouse/meterhouse/gpu"
)

const (
	// InitThreads and InitBytes are what RunInside takes of the limits of an instance: an Enclosure that counts it with the work
	// adds them to what a plan allows. It makes its threads at once, so that a person's programs can't take their room.
	InitThreads = 12
	InitBytes   = 16 << 20
)

// RunInside is the init of an instance in an Enclosure: PID 1 there. It is all that a program must do that is built to be
// shown to images of any kind, without a library. It connects to its shim, which tells it how to furnish the place.
func RunInside() error {
	runtime.LockOSThread() // see runInit
	takeThreads(InitThreads - threadsNow())
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

// takeThreads makes threads that stay, idle, until they are needed.
func takeThreads(n int) {
	var made, done sync.WaitGroup
	enough := make(chan struct{})
	for range n {
		made.Add(1)
		done.Add(1)
		go func() {
			defer done.Done()
			runtime.LockOSThread() // so that each goroutine has one of its own
			made.Done()
			<-enough
			runtime.UnlockOSThread()
		}()
	}
	made.Wait()
	close(enough)
	done.Wait()
}

func threadsNow() int {
	s, _ := readStat(os.Getpid())
	return s.threads
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
	a, err := findAccount(f.User)
	if err != nil {
		return err
	}
	for _, e := range []string{"SHELL=" + shell(), "USER=" + a.name, "LOGNAME=" + a.name} {
		name, _, _ := strings.Cut(e, "=")
		if !slices.ContainsFunc(n.env, func(e string) bool { return strings.HasPrefix(e, name+"=") }) {
			n.env = append(n.env, e)
		}
	}
	if a.uid != 0 || a.gid != 0 {
		n.user = &syscall.Credential{Uid: a.uid, Gid: a.gid, Groups: a.groups}
		if err := os.Chown(f.Dir, int(a.uid), int(a.gid)); err != nil {
			return fmt.Errorf("giving %s to the image's user: %w", f.Dir, err)
		}
	}
	return dropPrivileges()
}
