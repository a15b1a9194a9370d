package image

import (
	"cmp"
	"strconv"
	"strings"
)

// Contents is what an image was found to contain; "" where nothing was found.
type Contents struct {
	OS           string   `json:"os"`
	CUDA         string   `json:"cuda"`
	CuDNN        string   `json:"cudnn"`
	NCCL         string   `json:"nccl"`
	Python       string   `json:"python"`
	PyTorch      string   `json:"pytorch"`
	PyTorchCUDA  string   `json:"pytorch_cuda"`
	TensorFlow   string   `json:"tensorflow"`
	JAX          string   `json:"jax"`
	Capabilities []string `json:"capabilities"`
	Incomplete   bool     `json:"incomplete"`
}

// leastDriver is the oldest driver for Linux on which programs of any CUDA of a major version run: minor-version compatibility,
// as NVIDIA publishes it (CUDA Compatibility, table "CUDA Toolkit and minimum required driver version for minor version
// compatibility"). Code that the driver has to compile, PTX of a newer minor version, may need more.
var leastDriver = map[int]string{11: "450.80.02", 12: "525.60.13", 13: "580.65.06"}

// Fit says whether an image can use GPUs.
type Fit string

// The answers.
const (
	Fits    Fit = "fits"
	TooOld  Fit = "too_old" // the driver, on every GPU that comes into question
	Unknown Fit = "unknown" // what the image contains, what that needs, or which driver there is
	NoNeed  Fit = "no_need" // nothing in it uses a GPU's driver
)

// Check says whether an image of these contents, nil if it was not looked into, can use GPUs with these drivers, and which driver
// it needs at least where that is known. One GPU whose driver is new enough is enough: another is not given out for it, or not
// known.
func Check(c *Contents, drivers []string) (fit Fit, needs, cuda string) {
	if c == nil {
		return Unknown, "", ""
	}
	cuda = c.CUDA
	if older(cuda, c.PyTorchCUDA) {
		cuda = c.PyTorchCUDA
	}
	if cuda == "" {
		if c.Incomplete || c.PyTorch != "" || c.TensorFlow != "" || c.JAX != "" {
			return Unknown, "", "" // frameworks may bring along what no file's name tells
		}
		return NoNeed, "", ""
	}
	major, _, _ := strings.Cut(cuda, ".")
	n, _ := strconv.Atoi(major) // 0 is in no table
	needs, known := leastDriver[n]
	if !known {
		return Unknown, "", cuda
	}
	fit = Unknown
	for _, d := range drivers {
		switch {
		case !isVersion(d):
			return Unknown, needs, cuda
		case !older(d, needs):
			return Fits, needs, cuda
		}
		fit = TooOld
	}
	return fit, needs, cuda
}

// isVersion reports whether a driver's version is one that can be compared: "550.54.14".
func isVersion(v string) bool {
	for part := range strings.SplitSeq(v, ".") {
		if _, err := strconv.ParseUint(part, 10, 32); err != nil {
			return false
		}
	}
	return true
}

// older reports whether a version is before another; "" is before all.
func older(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for k := range max(len(x), len(y)) {
		if c := cmp.Compare(part(x, k), part(y, k)); c != 0 {
			return c < 0
		}
	}
	return false
}

func part(v []string, k int) int {
	if k >= len(v) {
		return 0
	}
	n, err := strconv.Atoi(v[k])
	if err != nil {
		return 0
	}
	return n
}
