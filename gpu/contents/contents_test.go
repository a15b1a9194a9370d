package contents

import (
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/meterhouse/meterhouse/gpu"
)

// tree is a file system of these files; a text after "=" is a file's.
func tree(files ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for _, f := range files {
		name, text, _ := strings.Cut(f, "=")
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

const site = "usr/lib/python3/dist-packages/"

func TestWhatAnImageContainsIsFoundInItsFiles(t *testing.T) {
	for name, c := range map[string]struct {
		files []string
		want  gpu.Contents
	}{
		"nothing":      {nil, gpu.Contents{}},
		"an os":        {[]string{"etc/os-release=NAME=x\nPRETTY_NAME=\"Ubuntu 24.04.1 LTS\"\n"}, gpu.Contents{OS: "Ubuntu 24.04.1 LTS"}},
		"an os in usr": {[]string{"usr/lib/os-release=PRETTY_NAME='Debian GNU/Linux 12'"}, gpu.Contents{OS: "Debian GNU/Linux 12"}},
		"a toolkit":    {[]string{`usr/local/cuda-12.4/version.json={"cuda":{"name":"CUDA SDK","version":"12.4.1"},"cuda_nvcc":{"version":"12.4.131"}}`}, gpu.Contents{CUDA: "12.4.1"}},
		"a runtime": {[]string{"usr/local/cuda-11.8/targets/x86_64-linux/lib/libcudart.so.11.0", "usr/local/cuda-11.8/targets/x86_64-linux/lib/libcudart.so.11.8.89"},
			gpu.Contents{CUDA: "11.8"}},
		"libraries": {[]string{"usr/lib/x86_64-linux-gnu/libcudnn.so.9", "usr/lib/x86_64-linux-gnu/libcudnn.so.9.1.0", "usr/lib/x86_64-linux-gnu/libnccl.so.2.21.5"},
			gpu.Contents{CuDNN: "9.1.0", NCCL: "2.21.5"}},
		"wheels": {[]string{site + "torch-2.6.0+cu124.dist-info/METADATA=Name: torch", site + "torch/version.py=__version__ = '2.6.0+cu124'\ncuda: Optional[str] = '12.4'\n",
			site + "nvidia_cuda_runtime_cu12-12.4.127.dist-info/METADATA", site + "nvidia_cudnn_cu12-9.1.0.70.dist-info/METADATA", site + "nvidia_nccl_cu12-2.21.5.dist-info/METADATA",
			site + "jax-0.5.0.dist-info/METADATA", site + "tensorflow-2.18.0.dist-info/METADATA", "usr/bin/python3.12"},
			gpu.Contents{CUDA: "12.4", CuDNN: "9.1.0", NCCL: "2.21.5", Python: "3.12", PyTorch: "2.6.0", PyTorchCUDA: "12.4", TensorFlow: "2.18.0", JAX: "0.5.0"}},
		"a build without CUDA": {[]string{site + "torch-2.6.0+cpu.dist-info/METADATA", site + "torch/version.py=cuda: Optional[str] = None\n"}, gpu.Contents{PyTorch: "2.6.0"}},
		"two of a kind: the newest counts": {[]string{"opt/a/lib/libnccl.so.2.9.9", "opt/b/lib/libnccl.so.2.21.5", "opt/a/torch-2.10.0rc1.dist-info/METADATA", "opt/b/torch-2.9.1.dist-info/METADATA"},
			gpu.Contents{NCCL: "2.21.5", PyTorch: "2.10.0rc1"}},
		"capabilities that its maker names": {[]string{"x/torch-2.6.0.dist-info/METADATA=Built for sm_80 sm_90 compute_90 sm_120"}, gpu.Contents{PyTorch: "2.6.0", Capabilities: []string{"8.0", "9.0", "12.0"}}},
		"names say nothing":                 {[]string{"opt/pytorch/README", "opt/cuda-12.9/README", "srv/libcudart.so", "srv/torch.dist-info"}, gpu.Contents{}},
		"what changes is not looked at":     {[]string{"proc/1/root/libnccl.so.2.21.5", "tmp/libnccl.so.2.21.5"}, gpu.Contents{}},
		"versions that are none": {[]string{`usr/local/cuda/version.json={"cuda":{"version":"<script>12"}}`, site + "torch-2;rm.dist-info/METADATA", site + "jax-99999999999999999999.dist-info/x", "usr/local/cuda-1/version.json=[",
			"etc/os-release=PRETTY_NAME=\"\x1b]0;x\x07" + strings.Repeat("y", 500) + "\""}, gpu.Contents{OS: "]0;x" + strings.Repeat("y", 76)}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Inspect(tree(c.files...)); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestATreeThatIsTooDeepIsLeftAndSaidSo(t *testing.T) {
	got := Inspect(tree(strings.Repeat("d/", maxDepth+2)+"libnccl.so.2.1.1", "a/libcudnn.so.9.1.0"))
	if !got.Incomplete || got.NCCL != "" || got.CuDNN != "9.1.0" {
		t.Errorf("%+v", got)
	}
}

func TestVersionsAreInTheirOrder(t *testing.T) {
	order := []string{"", "2", "2.0.0.dev1", "2.0.0a1", "2.0.0b2", "2.0.0rc1", "2.0.0", "2.0.0.post1", "2.9.1", "2.10", "2.10.1", "11.8"}
	for i, a := range order {
		for j, b := range order {
			if got := compare(a, b); got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("%q and %q: %d", a, b, got)
			}
		}
	}
}
