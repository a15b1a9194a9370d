package views

import (
	"strings"
	"time"
)

// ImagesPage is /images; ?delete=ID asks before one is removed. Its forms: POST /images with reference (pull); POST /images/build
// with reference, dockerfile and team ("1": seen by the own team alone); POST /images/rule with members_pull ("1"), registries
// (one a line) and keep_days; POST /images/{id}/delete.
type ImagesPage struct {
	Page
	Rows                       []ImageRow
	Spaces                     []ImageSpaceRow
	Delete                     *ImageRow
	Pull, Build, Rule          Form
	CanPull, CanBuild, CanRule bool
	From                       []string // what members may pull from; nil: who looks may pull from anywhere
	KeepDays                   int
}

// ImageRow is one image, or one that is being made.
type ImageRow struct {
	ID, Reference string
	Digest        string // "sha256:…", "" where it has none
	Status        string // "queued", "pulling", "building", "saving", "ready", "failed", "removing"
	Step          string // in the engine's words
	Done, Total   int64  // steps; Total 0: not known
	Error         string // in the engine's words
	Bytes         int64
	Found         []ImagePart
	FoundWhy      string // why Found is not known; "": it is
	Origin, Who   string
	Team          string // who sees it; "": everybody
	UsedAt        time.Time
	Instances     int
	CanRemove     bool
	CanRent       bool
	OS            string
}

// ImagePart is a thing that an image contains and its version.
type ImagePart struct{ Name, Version string }

// ImageSpaceRow is what the images of a node take.
type ImageSpaceRow struct {
	Node             string
	Bytes, FreeBytes int64
	Known            bool
}

// open reports whether something is waited for.
func (r ImageRow) open() bool {
	return r.Status != "ready" && r.Status != "failed"
}

// short is a digest as people compare it.
func short(digest string) string {
	name, sum, found := strings.Cut(digest, ":")
	if !found {
		return digest
	}
	return name + ":" + sum[:min(len(sum), 12)]
}

// imagesEvery is how often the list is looked at again.
func imagesEvery(v ImagesPage) string {
	for _, r := range v.Rows {
		if r.open() {
			return "every 2s"
		}
	}
	return "every 30s"
}
