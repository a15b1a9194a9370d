package views

import (
	"net/url"

	"github.com/meterhouse/meterhouse/web/lang"
)

func sampleImages(t lang.T) ImagesPage {
	sum := "sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"
	rows := []ImageRow{
		{ID: "im-1", Reference: "nvcr.io/nvidia/pytorch:24.12-py3", Status: "pulling", Step: "Copying blob sha256:9f1f…", Origin: "pull", Who: "manager", UsedAt: at(10, 40, 0), FoundWhy: "not_inspected", CanRemove: true},
		{ID: "im-2", Reference: "localhost/trainer:2", Status: "building", Step: "STEP 3/8: RUN pip install <torch>", Done: 2, Total: 8, Origin: "build", Who: "manager", Team: "research", UsedAt: at(10, 30, 0), FoundWhy: "not_inspected", CanRemove: true},
		{ID: "im-3", Reference: "docker.io/nobody/nothing:latest", Status: "failed", Error: "manifest unknown", Origin: "pull", Who: "operator", UsedAt: at(9, 0, 0), FoundWhy: "not_inspected", CanRemove: true},
		{ID: "im-4", Reference: "docker.io/library/busybox:latest", Status: "ready", Digest: sum, Bytes: 4_500_000, Origin: "found", UsedAt: at(9, 0, 0), CanRent: true, CanRemove: true},
		{ID: "im-5", Reference: "nvcr.io/nvidia/pytorch:24.10-py3", Status: "ready", Digest: sum, Bytes: 21_474_836_480, Origin: "pull", Who: "manager", UsedAt: at(10, 0, 0), Instances: 2, OS: "Ubuntu 22.04.5 LTS",
			Found: []ImagePart{{"CUDA", "12.6.2"}, {"cuDNN", "9.5.0"}, {"NCCL", "2.22.3"}, {"PyTorch", "2.5.0"}, {"Python", "3.10"}}, CanRent: true},
		{ID: "im-6", Reference: "localhost/broken:1", Status: "removing", Bytes: 1_000_000, Origin: "save", Who: "operator", Team: "research", UsedAt: at(9, 0, 0), Instances: 1, FoundWhy: "inspect_failed"},
	}
	return ImagesPage{Page: samplePage(t, "/images"), Rows: rows, Spaces: []ImageSpaceRow{{Node: "node-1", Bytes: 34_000_000_000, FreeBytes: 120_000_000_000, Known: true}, {Node: "node-2"}}, Delete: &rows[3],
		CanPull: true, CanBuild: true, CanRule: true, From: []string{"nvcr.io", "docker.io/library"}, KeepDays: 30,
		Pull:  Form{Values: url.Values{"reference": {"Not a name"}}, Errors: []FieldError{{"reference", t.Error("image_name_wrong", nil)}}},
		Build: Form{Values: url.Values{"dockerfile": {"FROM nvcr.io/nvidia/pytorch:24.12-py3\n"}, "team": {"1"}}},
		Rule:  Form{Values: url.Values{"members_pull": {"1"}, "registries": {"nvcr.io\ndocker.io/library"}, "keep_days": {"30"}}}}
}

func sampleImagesEmpty(t lang.T) ImagesPage {
	return ImagesPage{Page: samplePage(t, "/images"), Spaces: []ImageSpaceRow{{Node: "node-1"}}}
}
