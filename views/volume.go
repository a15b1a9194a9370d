package views

import (
	"fmt"
	"path"
	"strings"
	"time"
	"unicode"

	"github.com/a-h/templ"
)

// VolumesPage is /volumes.
type VolumesPage struct {
	Page
	Rows        []VolumeRow
	CanCreate   bool
	PriceMicros int64 // a GiB-month
	Form        Form
}

// VolumeRow is a volume in a list.
type VolumeRow struct {
	ID, Name, State, Team, Owner string
	Shared                       bool
	GiB                          int64
	UsedBytes, HeldBytes         *int64 // nil: not looked at yet
	MonthMicros                  int64
	Attached                     []VolumeUse
	Snapshots                    int
	Fault                        string
}

// VolumeUse is an instance that has a volume.
type VolumeUse struct {
	ID, Name, Path string
	ReadOnly       bool
}

// VolumePage is /volumes/{id}.
type VolumePage struct {
	Page
	Row          VolumeRow
	CostMicros   int64
	CanUse, Owns bool
	Dir          string // that is shown, "." for the root
	Files        []FileRow
	More         bool
	FreeBytes    *int64
	FilesFault   string // why they can't be shown
	SnapshotRows []SnapshotRow
	Form         Form
}

// FileRow is an entry of a directory.
type FileRow struct {
	Name, Link       string
	Directory, Plain bool
	Bytes            int64
	Modified         time.Time
}

// SnapshotRow is a snapshot of a volume.
type SnapshotRow struct {
	ID, Name, State, Fault string
	GiB                    int64
	At                     time.Time
}

// Shown writes a file's name so that it can't hide or forge anything: what can't be seen stands as its number.
func Shown(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r == '\uFFFD':
			b.WriteString(`\?`)
		case unicode.IsPrint(r) && !unicode.Is(unicode.Bidi_Control, r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}

// within is a path in the directory that is shown.
func (v VolumePage) within(name string) string { return path.Join(v.Dir, name) }

func (v VolumePage) at(dir string) templ.SafeURL {
	if dir == "." {
		dir = ""
	}
	return templ.SafeURL(link("/volumes/"+id(v.Row.ID), "path", dir) + "#files")
}

func (v VolumePage) to(verb string) templ.SafeURL {
	return templ.SafeURL("/volumes/" + id(v.Row.ID) + "/" + verb)
}

// crumb is one of the directories above the shown one.
type crumb struct{ Name, Path string }

func (v VolumePage) crumbs() (all []crumb) {
	if v.Dir == "." {
		return nil
	}
	at := ""
	for part := range strings.SplitSeq(v.Dir, "/") {
		at = path.Join(at, part)
		all = append(all, crumb{part, at})
	}
	return all
}
