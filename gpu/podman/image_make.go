package podman

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/meterhouse/meterhouse/gpu"
	"github.com/meterhouse/meterhouse/gpu/process"
)

// report is a line of what the engine says while it works.
type report struct {
	Stream string `json:"stream"`
	Error  string `json:"error"`
	ID     string `json:"id"`
}

// Pull leaves certificates unchecked for a registry on this machine itself, as Docker does: it has none.
func (i *Images) Pull(ctx context.Context, reference string, progress func(gpu.Progress)) (gpu.Image, error) {
	query := url.Values{"reference": {reference}, "policy": {"always"}}
	if loopback(reference) {
		query.Set("tlsVerify", "false")
	}
	answer, err := i.engine.send(ctx, http.MethodPost, api+"/images/pull", query, "", nil)
	if err != nil {
		return gpu.Image{}, fmt.Errorf("pulling %s: %w", reference, noEngine(err))
	}
	defer func() { _ = answer.Close() }()
	id := ""
	if err := reports(answer, func(r report) {
		if r.ID != "" {
			id = r.ID
		}
		if line := oneLine(r.Stream); line != "" {
			progress(gpu.Progress{Step: line})
		}
	}); err != nil {
		return gpu.Image{}, fmt.Errorf("pulling %s: %w", reference, err)
	}
	if id == "" {
		return gpu.Image{}, fmt.Errorf("pulling %s: the engine's answer was cut", reference)
	}
	return i.described(ctx, id)
}

// loopback reports whether a reference names a registry on this machine by its address.
func loopback(reference string) bool {
	host, _, _ := strings.Cut(reference, "/")
	if name, _, found := strings.Cut(host, ":"); found {
		host = name
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

// maxReport is more than any line of an engine is long.
const maxReport = 1 << 20

// reports reads what the engine says, to its end; what it calls an error is one.
func reports(from io.Reader, each func(report)) error {
	d := json.NewDecoder(from)
	for last := int64(0); ; last = d.InputOffset() {
		var r report
		err := d.Decode(&r)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("the engine's answer: %w", err)
		case r.Error != "":
			return errors.New(oneLine(r.Error))
		case d.InputOffset()-last > maxReport:
			return errors.New("the engine's answer is too long")
		}
		each(r)
	}
}

const maxLine = 200 // bytes of a step that are shown

// oneLine is the last line of what a program said, without what steers a terminal.
func oneLine(text string) string {
	text = strings.TrimSpace(text)
	text = text[strings.LastIndexAny(text, "\r\n")+1:]
	text = strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, text), "")
	for len(text) > maxLine {
		text = strings.ToValidUTF8(text[:maxLine], "")
	}
	return text
}

// The limits of a build: what it runs is a person's, and no plan's.
const (
	buildMemory   = 8 << 30 // bytes
	buildCPUQuota = 4 * process.CPUPeriod
	dockerfile    = ".meterhouse.Dockerfile"
)

var buildStep = regexp.MustCompile(`^STEP ([0-9]{1,4})/([0-9]{1,4}): (.*)`)

// Build sends the engine a tar, in which the Dockerfile stands under a name of ours.
func (i *Images) Build(ctx context.Context, r gpu.Recipe, progress func(gpu.Progress)) (gpu.Image, error) {
	limits, err := json.Marshal(rlimitTexts())
	if err != nil {
		return gpu.Image{}, err
	}
	query := url.Values{"t": {r.Reference}, "dockerfile": {dockerfile}, "rm": {"true"}, "forcerm": {"true"}, "layers": {"true"}, "ulimits": {string(limits)},
		"memory": {strconv.FormatInt(buildMemory, 10)}, "cpuquota": {strconv.Itoa(buildCPUQuota)}, "cpuperiod": {strconv.Itoa(process.CPUPeriod)},
		"dropcaps": {`["CAP_MKNOD","CAP_NET_RAW","CAP_AUDIT_WRITE"]`}}
	in, out := io.Pipe()
	packed := make(chan struct{})
	go func() { // ended by its reader's closing
		defer close(packed)
		_ = out.CloseWithError(packContext(out, r))
	}()
	defer func() { _ = in.Close(); <-packed }()
	answer, err := i.engine.send(ctx, http.MethodPost, api+"/build", query, "application/x-tar", in)
	if err != nil {
		return gpu.Image{}, fmt.Errorf("building %s: %w", r.Reference, noEngine(err))
	}
	defer func() { _ = answer.Close() }()
	var at gpu.Progress
	if err := reports(answer, func(s report) {
		at.Step = oneLine(s.Stream)
		if m := buildStep.FindStringSubmatch(at.Step); m != nil {
			done, _ := strconv.ParseInt(m[1], 10, 64) // of digits
			all, _ := strconv.ParseInt(m[2], 10, 64)
			at.Done, at.Total = done-1, all
		}
		if at.Step != "" {
			progress(at)
		}
	}); err != nil {
		if at.Step != "" {
			err = fmt.Errorf("%w (after: %s)", err, at.Step)
		}
		return gpu.Image{}, fmt.Errorf("building %s: %w", r.Reference, err)
	}
	return i.described(ctx, r.Reference)
}

// packContext writes the Dockerfile and the files of the context. What is no file, directory or link is left out.
func packContext(to io.Writer, r gpu.Recipe) error {
	w := tar.NewWriter(to)
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: dockerfile, Mode: 0o644, Size: int64(len(r.Dockerfile))}); err != nil {
		return err
	}
	if _, err := io.WriteString(w, r.Dockerfile); err != nil {
		return err
	}
	if r.Context != nil {
		if err := copyTar(w, tar.NewReader(r.Context)); err != nil {
			return fmt.Errorf("the build's files: %w", err)
		}
	}
	return w.Close()
}

func copyTar(w *tar.Writer, r *tar.Reader) error {
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := path.Clean(h.Name)
		if !fs.ValidPath(name) || name == dockerfile {
			return fmt.Errorf("%q is no file of a build", h.Name)
		}
		switch h.Typeflag {
		case tar.TypeReg, tar.TypeDir, tar.TypeSymlink:
		default:
			continue
		}
		h.Name = name
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if _, err := io.Copy(w, r); err != nil {
			return err
		}
	}
}

// rlimitTexts are the rlimits as the command line has them.
func rlimitTexts() (all []string) {
	for _, l := range rlimits() {
		all = append(all, fmt.Sprintf("%s=%d:%d", l.Type, l.Soft, l.Hard))
	}
	return all
}
