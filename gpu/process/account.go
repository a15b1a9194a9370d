package process

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// account is a user of an image.
type account struct {
	name     string
	uid, gid uint32
	groups   []uint32
}

// findAccount reads the image's own /etc/passwd and /etc/group (passwd(5), group(5)) for what its configuration names: a user
// by name or number, and perhaps a group behind a colon. "" is root. A number needs no entry.
func findAccount(user string) (account, error) {
	name, group, _ := strings.Cut(user, ":")
	if name == "" {
		name = "0"
	}
	a := account{name: name}
	known := false
	for _, f := range entries("/etc/passwd", 4) {
		if f[0] != name && f[2] != name {
			continue
		}
		uid, uidErr := strconv.ParseUint(f[2], 10, 32)
		gid, gidErr := strconv.ParseUint(f[3], 10, 32)
		if errors.Join(uidErr, gidErr) == nil {
			a.name, a.uid, a.gid, known = f[0], uint32(uid), uint32(gid), true
			break
		}
	}
	if !known {
		uid, err := strconv.ParseUint(name, 10, 32)
		if err != nil {
			return a, fmt.Errorf("the image's user %q is not in its /etc/passwd", name)
		}
		a.uid = uint32(uid)
		if uid == 0 {
			a.name = "root"
		}
	}
	for _, f := range entries("/etc/group", 3) {
		gid, err := strconv.ParseUint(f[2], 10, 32)
		if err != nil {
			continue
		}
		if group != "" && (f[0] == group || f[2] == group) {
			a.gid, group = uint32(gid), ""
		}
		if known && len(f) > 3 && slices.Contains(strings.Split(f[3], ","), a.name) {
			a.groups = append(a.groups, uint32(gid))
		}
	}
	if group != "" {
		gid, err := strconv.ParseUint(group, 10, 32)
		if err != nil {
			return a, fmt.Errorf("the image's group %q is not in its /etc/group", group)
		}
		a.gid = uint32(gid)
	}
	return a, nil
}

// entries returns the lines of a file that have at least so many fields between colons; none where there is no such file.
func entries(file string, fields int) (all [][]string) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Split(strings.TrimSpace(line), ":"); len(f) >= fields {
			all = append(all, f)
		}
	}
	return all
}
