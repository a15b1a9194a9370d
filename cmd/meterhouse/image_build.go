package main

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/meterhouse/meterhouse/store"
)

// imageBuild sends a directory's files to be built; a file Dockerfile in it says how.
func imageBuild(ctx context.Context, c *call) error {
	f := c.flags()
	flags := f.image()
	name := f.String("name", "", "what the image is called, such as trainer:1")
	file := f.String("file", "Dockerfile", "the Dockerfile, in the directory")
	team := f.Bool("team-only", false, "only the own team sees it")
	args, err := f.parseArgs(1)
	if err != nil {
		return err
	}
	recipe, err := os.ReadFile(filepath.Join(args[0], *file))
	if err != nil {
		return err
	}
	files, err := packed(args[0])
	if err != nil {
		return err
	}
	return c.askImage(ctx, flags, imageRequest{Reference: *name, Dockerfile: string(recipe), Context: files, TeamOnly: *team})
}

// packed is a tar of the files, directories and links below a directory.
func packed(dir string) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir || !d.IsDir() && !d.Type().IsRegular() && d.Type() != fs.ModeSymlink {
			return err
		}
		info, err := d.Info()
		if err == nil && int64(b.Len())+info.Size() > store.BuildContextMax {
			return fmt.Errorf("the files in %s come to more than %d MB: leave out what is not copied, or fetch it in the Dockerfile", dir, store.BuildContextMax>>20)
		}
		if err == nil {
			err = pack(w, dir, path)
		}
		return err
	})
	if err == nil {
		err = w.Close()
	}
	return b.Bytes(), err
}

func pack(w *tar.Writer, dir, path string) error {
	st, err := os.Lstat(path)
	if err != nil {
		return err
	}
	link := ""
	if st.Mode().Type() == fs.ModeSymlink {
		if link, err = os.Readlink(path); err != nil {
			return err
		}
	}
	h, err := tar.FileInfoHeader(st, link)
	if err != nil {
		return err
	}
	if h.Name, err = filepath.Rel(dir, path); err != nil {
		return err
	}
	h.Name, h.Uid, h.Gid, h.Uname, h.Gname = filepath.ToSlash(h.Name), 0, 0, "", ""
	if err := w.WriteHeader(h); err != nil || !st.Mode().IsRegular() {
		return err
	}
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // only read from
	_, err = io.CopyN(w, in, h.Size)
	return err
}
