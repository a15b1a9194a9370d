package image

import (
	"strings"
	"testing"
)

var sum = "sha256:" + strings.Repeat("0a", 32)

func TestAnImageIsNamedAsDockerAndPodmanNameIt(t *testing.T) {
	for text, want := range map[string]string{
		"busybox": "docker.io/library/busybox:latest", "nvidia/cuda:12.4.1-base": "docker.io/nvidia/cuda:12.4.1-base", "localhost/own:1": "localhost/own:1",
		"registry.example.com:5000/a/b_c/d--e:x": "registry.example.com:5000/a/b_c/d--e:x", "127.0.0.1:5000/a": "127.0.0.1:5000/a:latest", "host:5000/a": "host:5000/a:latest",
		"nvcr.io/nvidia/pytorch@" + sum: "nvcr.io/nvidia/pytorch@" + sum, "a/b:1@" + sum: "docker.io/a/b@" + sum,
		"": "", "A": "", "a b": "", "a:": "", "a@sha256:12": "", "../a": "", "a//b": "", "https://a/b": "", "a/b:-x": "", "-a": "", "a\n": "", "a;b": "", strings.Repeat("a", 300): "",
	} {
		r, _, ok := Parse(text)
		if ok != (want != "") || ok && r.String() != want {
			t.Errorf("%q: %s %v, want %q", text, r, ok, want)
		}
	}
}

func TestWhatNamesNoRegistryMayHaveBeenMadeHere(t *testing.T) {
	got := Candidates("trainer:2")
	if len(got) != 2 || got[0].String() != "localhost/trainer:2" || got[1].String() != "docker.io/library/trainer:2" {
		t.Errorf("%v", got)
	}
	if got := Candidates("nvcr.io/x"); len(got) != 1 || got[0].String() != "nvcr.io/x:latest" {
		t.Errorf("%v", got)
	}
}

func TestADriverIsOldOnlyWhereThatIsKnown(t *testing.T) {
	for name, c := range map[string]struct {
		contents *Contents
		drivers  []string
		want     Fit
	}{
		"not looked into":                   {nil, []string{"550.54.14"}, Unknown},
		"nothing that uses one":             {&Contents{OS: "Debian"}, []string{"400.1"}, NoNeed},
		"too much to look at":               {&Contents{Incomplete: true}, []string{"550.54.14"}, Unknown},
		"a framework without a CUDA":        {&Contents{PyTorch: "2.6.0"}, []string{"550.54.14"}, Unknown},
		"new enough":                        {&Contents{CUDA: "12.4.1"}, []string{"550.54.14"}, Fits},
		"just new enough":                   {&Contents{CUDA: "12.9"}, []string{"525.60.13"}, Fits},
		"one too old":                       {&Contents{CUDA: "12.0"}, []string{"525.60.12"}, TooOld},
		"11 on an old one":                  {&Contents{CUDA: "11.8"}, []string{"450.80.02"}, Fits},
		"13 on one of 12":                   {&Contents{CUDA: "13.0"}, []string{"575.51.03"}, TooOld},
		"what PyTorch brings along":         {&Contents{CUDA: "11.8", PyTorchCUDA: "13.0"}, []string{"550.54.14"}, TooOld},
		"one of two nodes":                  {&Contents{CUDA: "13.0"}, []string{"550.54.14", "580.65.06"}, Fits},
		"a CUDA that is in no table":        {&Contents{CUDA: "19.0"}, []string{"550.54.14"}, Unknown},
		"no GPU at all":                     {&Contents{CUDA: "12.4"}, nil, Unknown},
		"a driver that nobody knows":        {&Contents{CUDA: "12.4"}, []string{""}, Unknown},
		"a simulated one":                   {&Contents{CUDA: "12.4"}, []string{"simulated"}, Unknown},
		"one too old and one nobody knows":  {&Contents{CUDA: "13.0"}, []string{"550.54.14", ""}, Unknown},
		"a version of letters is no reason": {&Contents{CUDA: "12.4"}, []string{"55x.1"}, Unknown},
	} {
		if got, _, _ := Check(c.contents, c.drivers); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
