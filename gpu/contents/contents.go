// Package contents finds out what a file system of an image contains: which CUDA, cuDNN and NCCL, which Python and which
// frameworks. It goes by files that their makers install, never by an image's name, and runs nothing. It may import gpu and the
// standard library. Its rule: the files are somebody else's and may lie; all that is read is bounded in number, depth and size,
// and all that is said is a version of digits, dots and few letters.
package contents

import (
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/meterhouse/meterhouse/gpu"
)

// Bounds of a look: an image of 20 GB with a whole conda distribution has some 400,000 files.
const (
	maxEntries = 1_000_000
	maxDepth   = 24
	maxFile    = 64 << 10 // bytes read of one file
	maxText    = 80       // of a value
)

// unlooked are directories in which nothing is installed: the kernel's, and what changes.
var unlooked = []string{"proc", "sys", "dev", "run", "tmp", "var/tmp", "var/cache", "var/lib/docker", "var/lib/containers", "home/work"}

// finding is a look in progress.
type finding struct {
	fsys    fs.FS
	found   gpu.Contents
	entries int
}

// Inspect looks through a file system. What can't be read is passed over.
func Inspect(fsys fs.FS) gpu.Contents {
	f := &finding{fsys: fsys}
	f.found.OS = f.osRelease()
	f.walk(".", 0)
	slices.SortFunc(f.found.Capabilities, compare)
	f.found.Capabilities = slices.Compact(f.found.Capabilities)
	return f.found
}

// walk goes through a directory itself: fs.WalkDir would read a directory of any length whole before it asks.
func (f *finding) walk(dir string, depth int) {
	if depth > maxDepth || slices.Contains(unlooked, dir) {
		f.found.Incomplete = f.found.Incomplete || depth > maxDepth
		return
	}
	entries := f.read(dir)
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if e.IsDir() {
			f.look(name, true)
			f.walk(name, depth+1)
			continue
		}
		f.look(name, false)
	}
}

// read lists a directory in the order of its names, as far as the bounds allow.
func (f *finding) read(dir string) []fs.DirEntry {
	opened, err := f.fsys.Open(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = opened.Close() }()
	d, ok := opened.(fs.ReadDirFile)
	if !ok {
		return nil
	}
	left := maxEntries - f.entries
	if left <= 0 {
		f.found.Incomplete = true
		return nil
	}
	entries, err := d.ReadDir(left)
	f.entries += len(entries)
	if err == nil && len(entries) == left {
		f.found.Incomplete = true
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries
}

// text reads the beginning of a regular file; "" where there is none. Opening a pipe would wait for its writer.
func (f *finding) text(name string) string {
	if st, err := fs.Stat(f.fsys, name); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	opened, err := f.fsys.Open(name)
	if err != nil {
		return ""
	}
	defer func() { _ = opened.Close() }()
	b, _ := io.ReadAll(io.LimitReader(opened, maxFile)) // what was read up to an error counts
	return string(b)
}

// set keeps the newest of several versions of one thing: the newest library is what a program of the image is linked to.
func set(to *string, version string) {
	if compare(version, *to) > 0 {
		*to = version
	}
}

// osRelease reads PRETTY_NAME (os-release(5)).
func (f *finding) osRelease() string {
	for _, name := range []string{"etc/os-release", "usr/lib/os-release"} {
		for line := range strings.Lines(f.text(name)) {
			if value, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
				return printable(strings.Trim(value, `"'`))
			}
		}
	}
	return ""
}

// printable keeps what can stand on a page and in a log.
func printable(text string) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, text)
	return clean[:min(len(clean), maxText)]
}

var version = regexp.MustCompile(`^[0-9]{1,6}(\.[0-9]{1,6}){0,3}((a|b|rc|\.dev|\.post)[0-9]{1,10})?$`)

// plain returns a version without what follows "+", "" where it is none.
func plain(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "+")
	if !version.MatchString(text) {
		return ""
	}
	return text
}
