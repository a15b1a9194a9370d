package process

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"github.com/meterhouse/meterhouse/gpu"
	"golang.org/x/sys/unix"
)

// refusedEgress is where no instance may connect to: link-local addresses, at which clouds tell a node its credentials
// (169.254.169.254, RFC 3927 and RFC 4291), and the same service of EC2 over IPv6.
var refusedEgress = []netip.Prefix{
	netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("fe80::/10"), netip.MustParsePrefix("fd00:ec2::254/128"),
}

// egressPriority is that of our rules among those of the node (ip-rule(8)): before the tables of routes, after its own addresses.
const egressPriority = 100

// userRange are the users that a rule is about; the zero one is everybody.
type userRange struct{ first, last uint32 }

// RefuseEgress has the network namespace of a process refuse to send to what no instance may reach, and to more. Only who has
// CAP_NET_ADMIN over that namespace can undo it. It may be called again.
func RefuseEgress(pid int, more ...netip.Prefix) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread is of no other use afterwards, and ends
		done <- func() error {
			ns, err := os.Open("/proc/" + strconv.Itoa(pid) + "/ns/net")
			if err != nil {
				return err
			}
			err = unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET)
			if err = errors.Join(err, ns.Close()); err != nil {
				return fmt.Errorf("the instance's network: %w", err)
			}
			return refuseEgress(userRange{}, more...)
		}()
	}()
	return <-done
}

// refuseEgress adds the rules to this thread's network namespace.
func refuseEgress(users userRange, more ...netip.Prefix) error {
	s, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	var errs []error
	for _, to := range append(more, refusedEgress...) {
		err := addRule(s, egressRule(to, users))
		if to.Addr().Is6() && errors.Is(err, unix.EAFNOSUPPORT) {
			continue // a kernel without IPv6
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("refusing %s: %w", to, err))
		}
	}
	return errors.Join(append(errs, unix.Close(s))...)
}

// egressRule is the message that adds a rule (rtnetlink(7), linux/fib_rules.h).
func egressRule(to netip.Prefix, users userRange) []byte {
	order := binary.NativeEndian
	family := byte(unix.AF_INET)
	if to.Addr().Is6() {
		family = unix.AF_INET6
	}
	m := make([]byte, unix.SizeofNlMsghdr, 128)
	// struct fib_rule_hdr: family, length of the destination, …, action in byte 7.
	m = append(m, family, byte(to.Bits()), 0, 0, 0, 0, 0, unix.FR_ACT_PROHIBIT, 0, 0, 0, 0)
	attribute := func(kind uint16, value []byte) {
		m = order.AppendUint16(m, uint16(4+len(value)))
		m = append(order.AppendUint16(m, kind), value...)
	}
	attribute(unix.FRA_DST, to.Masked().Addr().AsSlice())
	attribute(unix.FRA_PRIORITY, order.AppendUint32(nil, egressPriority))
	if users != (userRange{}) {
		attribute(unix.FRA_UID_RANGE, order.AppendUint32(order.AppendUint32(nil, users.first), users.last))
	}
	order.PutUint32(m[0:], uint32(len(m)))
	order.PutUint16(m[4:], unix.RTM_NEWRULE)
	order.PutUint16(m[6:], unix.NLM_F_REQUEST|unix.NLM_F_ACK|unix.NLM_F_CREATE|unix.NLM_F_EXCL)
	return m
}

// addRule sends a message and reads its answer. That the rule is there already is no error.
func addRule(socket int, message []byte) error {
	if err := unix.Sendto(socket, message, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	answer := make([]byte, 4096)
	n, _, err := unix.Recvfrom(socket, answer, 0)
	if err != nil {
		return err
	}
	if n < unix.SizeofNlMsghdr+4 {
		return errors.New("the kernel's answer is too short")
	}
	code := -int32(binary.NativeEndian.Uint32(answer[unix.SizeofNlMsghdr:]))
	if code == 0 || syscall.Errno(code) == unix.EEXIST {
		return nil
	}
	return syscall.Errno(code)
}

// instanceUsers are all users that instances without an image may have: nobody else of the node is refused anything.
func instanceUsers() userRange {
	s := singleUsers
	return userRange{uint32(s.first), uint32(s.first + s.slots*s.room*s.each - 1)}
}

// guardEgress refuses at the node what no instance may reach. It is done again at each start, since whoever manages the
// node's network may drop rules that it does not know.
func (e *Executor) guardEgress() error {
	if e.level != levelRoot {
		return errors.New("instances run as the console's own user, who can't be refused an address alone")
	}
	return refuseEgress(instanceUsers())
}

func (e *Executor) egressLimit() gpu.Limit {
	if err := e.guardEgress(); err != nil {
		return gpu.Limit{Name: "egress", Detail: "instances can reach the metadata service of this machine: " + err.Error() + "; run the console as root with CAP_NET_ADMIN"}
	}
	return gpu.Limit{Name: "egress", Enforced: true, Detail: "link-local addresses, the machine's metadata service among them, are refused to users of instances by a routing rule"}
}
