package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// settle makes the home and the other directories and returns the user who owns the home: the instance's own where this machine
// allows it, else 0. In an enclosure that is the first of many, user 0 inside.
func (e *Executor) settle(dir string, rec record) (uid int, err error) {
	home := filepath.Join(dir, homeDir)
	made, err := e.ownHome(home, rec.Spec.HomeOf)
	if err != nil {
		return 0, err
	}
	if !made && e.level == levelRoot {
		if uid = ownerOf(home); uid < firstUID {
			uid = 0
		}
	}
	space := singleUsers
	if rec.Enclosure != "" {
		space = manyUsers
	}
	switch {
	case uid != 0 && !space.has(uid):
		return 0, errors.New("its home was that of an instance that started otherwise: from an image, or from none")
	case uid != 0:
		uid = uid / space.each * space.each
	case e.level == levelRoot:
		if uid, err = e.newUID(space); err != nil {
			return 0, fmt.Errorf("choosing a user for the instance: %w", err)
		}
	}
	tmp, run, rc := filepath.Join(dir, tmpDir), filepath.Join(dir, runDir), filepath.Join(home, ".bashrc")
	if err := errors.Join(os.RemoveAll(tmp), os.Mkdir(tmp, 0o700), os.Chmod(tmp, 0o1777),
		os.RemoveAll(run), os.Mkdir(run, 0o700), os.Chmod(run, 0o755)); err != nil {
		return 0, err
	}
	mine := []string{home}
	if made {
		if err := os.WriteFile(rc, []byte(bashrc), 0o644); err != nil {
			return 0, err
		}
		mine = append(mine, rc)
	}
	if e.level != levelRoot {
		return 0, nil
	}
	for _, f := range mine {
		if err := os.Lchown(f, uid, uid); err != nil {
			return 0, err
		}
	}
	if rec.Enclosure != "" {
		return uid, nil
	}
	return uid, writeAccounts(dir, uid, filepath.Join(homeRoot(), workUser))
}

// ownHome makes the home, or takes over that of an ended instance, and reports whether it is new.
func (e *Executor) ownHome(home, of string) (made bool, err error) {
	_, err = os.Stat(home)
	if errors.Is(err, os.ErrNotExist) && of != "" {
		return false, e.inherit(of, home)
	}
	if errors.Is(err, os.ErrNotExist) {
		err, made = os.Mkdir(home, 0o700), true
	}
	if err != nil {
		return false, fmt.Errorf("making the home: %w", err)
	}
	return made, nil
}

func ownerOf(path string) int {
	st, err := os.Stat(path)
	if err != nil {
		return 0
	}
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return 0
}

// userSpace is where the users of instances are taken from.
type userSpace struct {
	file  string // in instances/: whose turn it is
	first int
	each  int // users an instance
	slots int // parts of the space. A data directory has one, so that two consoles on one machine rarely meet
	room  int // instances that a slot has users for; the living are skipped anyway
}

// firstUID and what follows: above what system and people use, below what old tar headers can hold (2097151).
const firstUID = 1_000_000

// usersEach is how many users an instance has that has user numbers of its own inside: what a system needs (login.defs(5)).
const usersEach = 1 << 16

var (
	singleUsers = userSpace{file: ".next-user", first: firstUID, each: 1, slots: 15, room: 1 << 16}
	// Above what /etc/subuid usually hands out, below the highest signed number.
	manyUsers = userSpace{file: ".next-users", first: 1 << 28, each: usersEach, slots: 28, room: 1000}
)

func (s userSpace) has(uid int) bool { return uid >= s.first && uid < s.first+s.slots*s.room*s.each }

// newUID hands out users in turn, so that one is not used again soon after an instance has ended.
func (e *Executor) newUID(s userSpace) (int, error) {
	root := filepath.Join(e.dir, "instances")
	unlock, err := lockDir(root)
	if err != nil {
		return 0, err
	}
	defer unlock()
	file := filepath.Join(root, s.file)
	n, err := readNumber(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	pids, err := allPIDs()
	if err != nil {
		return 0, err
	}
	taken := map[int]bool{}
	for _, pid := range pids {
		taken[owner(pid)/s.each] = true
	}
	base := s.first + int(hash(e.dir)%uint32(s.slots))*s.room*s.each
	for range s.room {
		uid := base + int(n%int64(s.room))*s.each
		n++
		if !taken[uid/s.each] {
			return uid, replaceFile(file, []byte(strconv.FormatInt(n, 10)+"\n"), 0o600)
		}
	}
	return 0, errors.New("all of them are in use")
}
