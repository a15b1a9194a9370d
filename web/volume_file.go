package web

import (
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/gpu/volume"
	"github.com/meterhouse/meterhouse/store"
)

// Files is what a directory of a volume holds.
type Files struct {
	Files     []File `json:"files"`
	More      bool   `json:"more"` // there are others than are listed
	FreeBytes int64  `json:"free_bytes"`
}

// File is an entry of a directory.
type File struct {
	Name      string     `json:"name"`
	Directory bool       `json:"directory"`
	Link      string     `json:"link"` // where it points, of a symbolic link
	Bytes     int64      `json:"bytes"`
	Modified  *time.Time `json:"modified"`
}

// fileFaults are the words for what is wrong with a file of a volume.
var fileFaults = []struct {
	is  error
	err store.Error
}{
	{volume.ErrFull, store.Error{Kind: store.Unavailable, Field: "", Message: "volume_full"}},
	{volume.ErrOutside, store.Error{Kind: store.Invalid, Field: "path", Message: "file_outside"}},
	{volume.ErrNoFile, store.Error{Kind: store.NotFound, Message: "file_not_found"}},
	{volume.ErrNotAFile, store.Error{Kind: store.Invalid, Field: "path", Message: "file_not_plain"}},
	{volume.ErrNotFolder, store.Error{Kind: store.Invalid, Field: "path", Message: "file_not_directory"}},
	{volume.ErrExists, store.Error{Kind: store.Conflict, Field: "path", Message: "file_exists"}},
	{volume.ErrBadName, store.Error{Kind: store.Invalid, Field: "path", Message: "file_name_wrong"}},
	{volume.ErrNoVolume, store.Error{Kind: store.NotFound, Message: "volume_not_found"}},
}

func fileFault(err error) error {
	for _, f := range fileFaults {
		if errors.Is(err, f.is) {
			known := f.err
			known.Err = err
			return &known
		}
	}
	return err
}

// tree opens the files of the address's volume, to be changed or only looked at.
func (s *Server) tree(c *call, change bool) (*volume.Tree, store.Volume, error) {
	v, err := s.volume(c)
	if err != nil {
		return nil, v, err
	}
	switch {
	case v.State != store.VolumeReady:
		return nil, v, &store.Error{Kind: store.Conflict, Message: "volume_not_ready"}
	case change && !v.MayUse(c.who.RoleIn(v.TeamID), c.who.ID):
		return nil, v, forbidden("volume_not_yours")
	}
	t, err := s.fleet.VolumeTree(c.Request().Context(), v.ID)
	return t, v, fileFault(err)
}

// inTree runs something with a file that the address or a form names.
func (s *Server) inTree(c *call, change bool, text string, run func(*volume.Tree, string) error) error {
	t, _, err := s.tree(c, change)
	if err != nil {
		return err
	}
	defer func() { _ = t.Close() }()
	name, err := volume.Name(text)
	if err == nil {
		err = run(t, name)
	}
	return fileFault(err)
}

func (s *Server) listFiles(c *call) error {
	return s.inTree(c, false, c.QueryParam("path"), func(t *volume.Tree, name string) error {
		list, more, err := t.List(name)
		if err != nil {
			return err
		}
		out := Files{Files: make([]File, 0, len(list)), More: more}
		if out.FreeBytes, err = t.Free(); err != nil {
			return err
		}
		for _, f := range list {
			out.Files = append(out.Files, File{Name: strings.ToValidUTF8(f.Name, "\uFFFD"), Directory: f.Directory, Link: strings.ToValidUTF8(f.Link, "\uFFFD"), Bytes: f.Bytes, Modified: &f.Modified})
		}
		return ok(c, out)
	})
}

func (s *Server) makeDirectory(c *call) error {
	return s.inTree(c, true, c.QueryParam("path"), func(t *volume.Tree, name string) error {
		if err := t.Mkdir(name); err != nil {
			return err
		}
		return created(c, c.Request().URL.RequestURI(), File{Name: path.Base(name), Directory: true})
	})
}

func (s *Server) putFile(c *call) error {
	return s.inTree(c, true, c.QueryParam("path"), func(t *volume.Tree, name string) error {
		n, err := s.receive(c, t, name, c.Request().Body, c.Request().ContentLength)
		if err != nil {
			return err
		}
		return ok(c, File{Name: path.Base(name), Bytes: n})
	})
}

func (s *Server) removeFile(c *call) error {
	return s.inTree(c, true, c.QueryParam("path"), func(t *volume.Tree, name string) error {
		if err := t.Remove(name); err != nil {
			return err
		}
		return gone(c)
	})
}

func (s *Server) getFile(c *call) error {
	return s.inTree(c, false, c.QueryParam("path"), func(t *volume.Tree, name string) error { return s.sendFile(c, t, name) })
}

// receive writes what is sent, as fast as it comes: who sends nothing for a while is cut. What is known not to fit is refused
// before it is sent.
func (s *Server) receive(c *call, t *volume.Tree, name string, from io.Reader, length int64) (int64, error) {
	free, err := t.Free()
	if err != nil {
		return 0, err
	}
	if length > free {
		return 0, volume.ErrFull
	}
	n, err := t.Write(name, steady{c, from})
	var net interface{ Timeout() bool }
	if errors.As(err, &net) && net.Timeout() || errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, &store.Error{Kind: malformed, Message: "body_cut", Err: err}
	}
	return n, err
}

// steady gives each piece of a body its own time to arrive.
type steady struct {
	c    *call
	from io.Reader
}

func (s steady) Read(p []byte) (int, error) {
	defer hurry(s.c)()
	return s.from.Read(p)
}

// sendFile streams a file to be kept, never to be shown: what is in a volume is nobody's page.
func (s *Server) sendFile(c *call, t *volume.Tree, name string) error {
	f, info, err := t.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	h := c.Response().Header()
	h.Set("Content-Type", octets)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": fileName(name)}))
	h.Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	c.Response().WriteHeader(http.StatusOK)
	if c.Request().Method == http.MethodHead {
		return nil
	}
	if err := pour(c, f, info); err != nil {
		s.log.Warn("a download was cut", "id", c.id, "error", err)
		panic(http.ErrAbortHandler) // the client must see that this is not the end of the file
	}
	return nil
}

// pour sends as much of a file as it had when it was opened.
func pour(c *call, f *os.File, info fs.FileInfo) error {
	const piece = 1 << 20
	for left := info.Size(); left > 0; {
		relax := hurryAnswer(c)
		n, err := io.CopyN(c.Response(), f, min(left, piece))
		relax()
		if err != nil {
			return err
		}
		left -= n
	}
	return nil
}

// fileName is a name for the browser, without what would be a path or an order there.
func fileName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || strings.ContainsRune(`/\:*?"<>|`, r) || r == '\uFFFD' {
			return '_'
		}
		return r
	}, path.Base(name))
	return strings.TrimSpace(clean)
}
