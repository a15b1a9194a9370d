package contents

import (
	"encoding/json"
	"path"
	"regexp"
	"strings"
)

// Shared libraries carry their version in their file's name: lib.so.X is a link to lib.so.X.Y.Z (NVIDIA's packages, ld.so(8)).
var (
	cudart   = regexp.MustCompile(`^libcudart\.so\.([0-9]+\.[0-9]+(?:\.[0-9]+)?)$`)
	cudnn    = regexp.MustCompile(`^libcudnn\.so\.([0-9]+\.[0-9]+\.[0-9]+)$`)
	nccl     = regexp.MustCompile(`^libnccl\.so\.([0-9]+\.[0-9]+\.[0-9]+)$`)
	python   = regexp.MustCompile(`^python(3\.[0-9]+)$`)
	distInfo = regexp.MustCompile(`^([A-Za-z0-9_.]+)-([^-/]+)\.dist-info$`)
	torchCu  = regexp.MustCompile(`\+cu([0-9]{2})([0-9])$`)
	assigned = regexp.MustCompile(`(?m)^\s*(?:cuda|__cuda__)(?::\s*[^=\n]+)?\s*=\s*['"]([0-9]+\.[0-9]+)['"]`)
	archs    = regexp.MustCompile(`(?:sm|compute)_([0-9]{1,2})([0-9])`)
)

// look takes what one file or directory says by its name or, for a few, by its text.
func (f *finding) look(name string, dir bool) {
	base := path.Base(name)
	if dir {
		f.distribution(name, base)
		return
	}
	for _, l := range []struct {
		re *regexp.Regexp
		to *string
	}{{cudart, &f.found.CUDA}, {cudnn, &f.found.CuDNN}, {nccl, &f.found.NCCL}} {
		if m := l.re.FindStringSubmatch(base); m != nil {
			set(l.to, cudaVersion(l.to == &f.found.CUDA, m[1]))
		}
	}
	switch {
	case base == "version.json" && strings.Contains(name, "/cuda"):
		f.toolkit(name)
	case strings.HasSuffix(name, "/torch/version.py"):
		if m := assigned.FindStringSubmatch(f.text(name)); m != nil {
			set(&f.found.PyTorchCUDA, m[1])
		}
	case path.Base(path.Dir(name)) == "bin" && python.MatchString(base):
		set(&f.found.Python, python.FindStringSubmatch(base)[1])
	}
}

// cudaVersion brings a version of the runtime library to CUDA's own: libcudart.so.12.4.127 is of CUDA 12.4. Build numbers have
// three digits; a third part of one is a release's update.
func cudaVersion(is bool, v string) string {
	parts := strings.Split(v, ".")
	if is && len(parts) == 3 && len(parts[2]) > 1 {
		return parts[0] + "." + parts[1]
	}
	return v
}

// toolkit reads version.json, which each CUDA toolkit since 11.1 has in its directory.
func (f *finding) toolkit(name string) {
	var parts map[string]struct {
		Version string `json:"version"`
	}
	if json.Unmarshal([]byte(f.text(name)), &parts) != nil {
		return
	}
	for key, to := range map[string]*string{"cuda": &f.found.CUDA, "libcudnn": &f.found.CuDNN, "nccl": &f.found.NCCL} {
		set(to, plain(parts[key].Version))
	}
}

// distribution takes what a Python package's directory says: NAME-VERSION.dist-info, as pip leaves it (PEP 376).
func (f *finding) distribution(name, base string) {
	m := distInfo.FindStringSubmatch(base)
	if m == nil {
		return
	}
	project := strings.ToLower(strings.ReplaceAll(m[1], "_", "-"))
	release := plain(m[2])
	switch {
	case project == "torch":
		set(&f.found.PyTorch, release)
		if cu := torchCu.FindStringSubmatch(m[2]); cu != nil {
			set(&f.found.PyTorchCUDA, cu[1]+"."+cu[2])
		}
		f.capabilities(name)
	case project == "tensorflow" || project == "tensorflow-cpu":
		set(&f.found.TensorFlow, release)
	case project == "jax":
		set(&f.found.JAX, release)
	case strings.HasPrefix(project, "nvidia-cuda-runtime"):
		set(&f.found.CUDA, cudaVersion(true, release))
	case strings.HasPrefix(project, "nvidia-cudnn"):
		set(&f.found.CuDNN, firstThree(release))
	case strings.HasPrefix(project, "nvidia-nccl"):
		set(&f.found.NCCL, release)
	}
}

// capabilities reads which devices a build of PyTorch says that it has code for; wheels that say nothing leave it open.
func (f *finding) capabilities(dist string) {
	for _, m := range archs.FindAllStringSubmatch(f.text(path.Join(dist, "METADATA")), 64) {
		f.found.Capabilities = append(f.found.Capabilities, m[1]+"."+m[2])
	}
}

// firstThree brings a wheel's version of cuDNN, "9.1.0.70", to the library's.
func firstThree(v string) string {
	parts := strings.Split(v, ".")
	return strings.Join(parts[:min(len(parts), 3)], ".")
}
