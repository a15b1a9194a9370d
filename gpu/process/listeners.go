package process

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// listener is one TCP socket that listens.
type listener struct {
	at    netip.AddrPort
	inode string
}

// listeners counts the sockets that a connection to target could reach: those of the instance, and those of anybody else on
// the same network.
func (h *holder) listeners(target netip.AddrPort) (own, foreign int, err error) {
	net := "/proc/" + strconv.Itoa(h.body.init.PID) + "/net/"
	var reached []listener
	for _, name := range []string{"tcp", "tcp6"} {
		table, err := os.ReadFile(net + name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // no IPv6 here
		}
		if err != nil {
			return 0, 0, err
		}
		for _, l := range parseListeners(string(table)) {
			if l.takes(target) {
				reached = append(reached, l)
			}
		}
	}
	if len(reached) == 0 {
		return 0, 0, nil
	}
	held, err := h.sockets()
	if err != nil {
		return 0, 0, err
	}
	for _, l := range reached {
		if held[l.inode] {
			own++
		} else {
			foreign++
		}
	}
	return own, foreign, nil
}

// takes reports whether a connection to target may end at l.
func (l listener) takes(target netip.AddrPort) bool {
	a := l.at.Addr()
	return l.at.Port() == target.Port() && (a.Unmap() == target.Addr() || a.Is6() && a.IsUnspecified() || a.IsUnspecified() && target.Addr().Is4())
}

// sockets are the inodes of all sockets that processes of the instance have open.
func (h *holder) sockets() (map[string]bool, error) {
	pids, err := h.living()
	if err != nil {
		return nil, err
	}
	held := map[string]bool{}
	for _, pid := range pids {
		dir := "/proc/" + strconv.Itoa(pid) + "/fd"
		names, err := os.ReadDir(dir)
		if err != nil {
			continue // it has ended, or is not ours to read: then its ports are not known to be the instance's
		}
		for _, n := range names {
			to, err := os.Readlink(dir + "/" + n.Name())
			if inode, ok := strings.CutPrefix(to, "socket:["); err == nil && ok {
				held[strings.TrimSuffix(inode, "]")] = true
			}
		}
	}
	return held, nil
}

// parseListeners reads /proc/net/tcp or tcp6 (proc_net_tcp(5)). A line that can't be read is none.
func parseListeners(table string) (all []listener) {
	const listening = "0A"
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 10 || f[3] != listening {
			continue
		}
		if at, ok := parseHexAddr(f[1]); ok {
			all = append(all, listener{at: at, inode: f[9]})
		}
	}
	return all
}

// parseHexAddr reads an address in words of the machine's byte order, and a port.
func parseHexAddr(text string) (netip.AddrPort, bool) {
	address, port, _ := strings.Cut(text, ":")
	b, err := hex.DecodeString(address)
	n, portErr := strconv.ParseUint(port, 16, 16)
	if err != nil || portErr != nil || len(b) != 4 && len(b) != 16 {
		return netip.AddrPort{}, false
	}
	for i := 0; i < len(b); i += 4 {
		binary.BigEndian.PutUint32(b[i:], binary.NativeEndian.Uint32(b[i:]))
	}
	a, ok := netip.AddrFromSlice(b)
	return netip.AddrPortFrom(a, uint16(n)), ok
}
