package web

import (
	"errors"
	"io"
	"mime/multipart"
	"net/url"
	"path"

	"github.com/meterhouse/meterhouse/gpu/volume"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
)

// fieldMost bounds what a field beside a file may have, in bytes.
const fieldMost = 8 << 10

// beginUpload reads the first field of an upload's form, which is its proof that the person sent it: the file itself is read
// by the handler as it comes.
func beginUpload(c *call) (err error) {
	c.Request().PostForm = url.Values{}
	if c.parts, err = c.Request().MultipartReader(); err != nil {
		return &store.Error{Kind: wrongType, Message: "form_wanted", Err: err}
	}
	part, err := nextPart(c)
	if err != nil {
		return err
	}
	if part.FormName() != csrfField {
		return nil // refused for want of it
	}
	return readField(c, part)
}

func nextPart(c *call) (*multipart.Part, error) {
	defer hurry(c)()
	part, err := c.parts.NextPart()
	if err != nil {
		return nil, &store.Error{Kind: malformed, Message: "form_malformed", Err: err}
	}
	return part, nil
}

func readField(c *call, part *multipart.Part) error {
	defer hurry(c)()
	text, err := io.ReadAll(io.LimitReader(part, fieldMost+1))
	if err != nil || len(text) > fieldMost {
		return &store.Error{Kind: malformed, Message: "form_malformed", Err: err}
	}
	c.Request().PostForm.Set(part.FormName(), string(text))
	return nil
}

// uploadForm is POST /volumes/{id}/upload: the directory's field and then the file.
func (s *Server) uploadForm(c *call) error {
	part, err := nextPart(c)
	if err == nil && part.FormName() == "path" {
		if err = readField(c, part); err == nil {
			part, err = nextPart(c)
		}
	}
	if err == nil && part.FormName() != "file" {
		err = &store.Error{Kind: malformed, Message: "form_malformed"}
	}
	if err != nil {
		return err
	}
	dir, name := c.Request().PostForm.Get("path"), path.Base("/"+part.FileName())
	if name == "/" || name == "." {
		return s.volumeDone(c, invalid("file", "required"), "", flash{})
	}
	err = s.inTree(c, true, dir+"/"+name, func(t *volume.Tree, to string) error {
		_, err := s.receive(c, t, to, part, 0)
		return err
	})
	if errors.Is(err, volume.ErrFull) {
		_, _ = io.CopyN(io.Discard, part, maxBody) // so that a browser which still sends comes to read the answer
	}
	return s.volumeDone(c, err, volumeAt(c, dir)+"#files", flash{Key: "file_uploaded", Name: views.Shown(name)})
}
