package volume

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// copySparse copies a file: its blocks are shared where the file system can, else what it really holds is copied and its holes
// stay holes.
func copySparse(from, to string) (err error) {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return err
	}
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dst.Close()) }()
	if unix.IoctlFileClone(int(dst.Fd()), int(src.Fd())) == nil {
		return dst.Sync()
	}
	if err := dst.Truncate(info.Size()); err != nil {
		return err
	}
	for at := int64(0); at < info.Size(); {
		data, err := unix.Seek(int(src.Fd()), at, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) {
			break // nothing but a hole up to the end
		}
		if err != nil {
			return fmt.Errorf("look for data in %s: %w", from, err)
		}
		hole, err := unix.Seek(int(src.Fd()), data, unix.SEEK_HOLE)
		if err != nil {
			return fmt.Errorf("look for holes in %s: %w", from, err)
		}
		if err := copyPart(dst, src, data, hole); err != nil {
			return err
		}
		at = hole
	}
	return dst.Sync()
}

func copyPart(dst, src *os.File, from, to int64) error {
	if _, err := src.Seek(from, io.SeekStart); err != nil {
		return err
	}
	if _, err := dst.Seek(from, io.SeekStart); err != nil {
		return err
	}
	n, err := io.CopyN(dst, src, to-from)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%d of %d bytes are there: %w", n, to-from, io.ErrUnexpectedEOF)
	}
	return err
}
