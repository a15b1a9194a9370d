package process

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// processID names a process for good: a PID is used again, a PID with its start is not (within one boot).
type processID struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"` // clock ticks since boot, field 22 of /proc/PID/stat
}

// procStat is what we need of /proc/PID/stat (proc_pid_stat(5)).
type procStat struct {
	parent   int
	group    int // process group
	state    byte
	terminal bool  // it has a controlling terminal
	ticks    int64 // user and system time
	reaped   int64 // the same of the children that it has waited for
	threads  int
	start    uint64
	rss      int64 // bytes
}

// readStat returns ok false where there is no such process.
func readStat(pid int) (s procStat, ok bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return s, false
	}
	return parseStat(b)
}

func parseStat(b []byte) (s procStat, ok bool) {
	// The name in parentheses may hold anything, also parentheses: what counts comes after the last one.
	i := bytes.LastIndexByte(b, ')')
	if i < 0 {
		return s, false
	}
	f := strings.Fields(string(b[i+1:]))
	if len(f) < 22 {
		return s, false
	}
	s.state = f[0][0]
	s.parent, _ = strconv.Atoi(f[1])
	s.group, _ = strconv.Atoi(f[2])
	s.terminal = f[4] != "0"
	for i, n := range f[11:15] {
		t, _ := strconv.ParseInt(n, 10, 64)
		if i < 2 {
			s.ticks += t
		} else {
			s.reaped += t
		}
	}
	s.threads, _ = strconv.Atoi(f[17])
	s.start, _ = strconv.ParseUint(f[19], 10, 64)
	pages, _ := strconv.ParseInt(f[21], 10, 64)
	s.rss = pages * int64(os.Getpagesize())
	return s, true
}

func identify(pid int) processID {
	s, _ := readStat(pid)
	return processID{PID: pid, Start: s.start}
}

// alive reports whether exactly this process still runs; one that only waits to be reaped does not.
func (p processID) alive() bool {
	s, ok := readStat(p.PID)
	return p.PID > 0 && ok && s.start == p.Start && s.state != 'Z' && s.state != 'X'
}

// awaitEnd returns when the process has ended.
func (p processID) awaitEnd() {
	fd, err := unix.PidfdOpen(p.PID, 0)
	if err == nil {
		defer func() { _ = unix.Close(fd) }()
	}
	for p.alive() {
		if err != nil { // a kernel before 5.3
			time.Sleep(lookPause)
			continue
		}
		_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 1000)
	}
}

// halted reports whether it was stopped by a signal and does nothing until it is let go on.
func (p processID) halted() bool {
	s, ok := readStat(p.PID)
	return ok && s.start == p.Start && s.state == 'T'
}

// reap collects a process that has ended, where the kernel made it our child: a console that is PID 1 of a container inherits
// every shim, and nobody else would.
func (p processID) reap() {
	if s, ok := readStat(p.PID); ok && s.start == p.Start && s.state == 'Z' && s.parent == os.Getpid() {
		// Waiting is short, but needed: its last threads may still be ending. Another goroutine may have been faster.
		_, _ = syscall.Wait4(p.PID, nil, 0, nil)
	}
}

// allProcesses returns every process that we can see.
func allProcesses() (map[int]procStat, error) {
	pids, err := allPIDs()
	all := make(map[int]procStat, len(pids))
	for _, pid := range pids {
		if s, ok := readStat(pid); ok {
			all[pid] = s
		}
	}
	return all, err
}

// allPIDs is allProcesses for who has nothing else to ask of each: reading what they do is what takes time.
func allPIDs() ([]int, error) {
	d, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	names, err := d.Readdirnames(-1)
	if err = errors.Join(err, d.Close()); err != nil {
		return nil, err
	}
	var pids []int
	for _, n := range names {
		if pid, err := strconv.Atoi(n); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// descendants returns the processes below root, which must be a PID 1 of its namespace or a sub-reaper: then nothing that
// was started below it can get away. Zombies count only with their living children: nobody but their parent can end them.
func descendants(root int) ([]int, error) {
	all, err := allProcesses()
	if err != nil {
		return nil, err
	}
	below := map[int]bool{root: true}
	for grown := true; grown; {
		grown = false
		for pid, s := range all {
			if !below[pid] && below[s.parent] {
				below[pid], grown = true, true
			}
		}
	}
	var pids []int
	for pid := range below {
		if pid != root && all[pid].state != 'Z' {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// owner returns the real user of a process, -1 where it is gone. The owner of its /proc directory would not do: that is
// root for a program that its user may not read.
func owner(pid int) int {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return -1
	}
	_, rest, _ := strings.Cut(string(b), "\nUid:\t")
	first, _, _ := strings.Cut(rest, "\t")
	uid, err := strconv.Atoi(first)
	if err != nil {
		return -1
	}
	return uid
}

// anonymous returns the memory in bytes that a process shares with no file; 0 where that can't be read.
func anonymous(pid int) int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), "\nRssAnon:")
	line, _, _ := strings.Cut(rest, "kB")
	n, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}

// bootID names this boot of the machine.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// clockTick is USER_HZ, which Linux has fixed at 100 for every architecture that Go knows (proc_pid_stat(5)).
const clockTick = time.Second / 100
