// Package image has the rules of images: how one is named, and which driver what it contains needs. It imports the standard
// library alone, without SQL or clock. Its rule: what is not known of an image neither fits nor is refused.
package image

import (
	"regexp"
	"strings"
)

// Reference is the name of an image, whole: where it comes from, what it is called, and which of that name it is.
type Reference struct {
	Registry string // "docker.io", "localhost" for what was made here, "registry.example.com:5000"
	Path     string // "library/busybox"
	Tag      string // "" with a digest alone
	Digest   string // "sha256:…"; "": whatever the tag points at
}

// Grammar of a reference (OCI distribution-spec, "Pulling manifests"; the registry as Docker tells it from a path).
var (
	registry  = regexp.MustCompile(`^(?:localhost|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+|\[[0-9a-f:]+\])(?::[0-9]{1,5})?$|^[A-Za-z0-9-]+:[0-9]{1,5}$`)
	component = regexp.MustCompile(`^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$`)
	tag       = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$`)
	digest    = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
)

const (
	maxPath = 200
	// Local is the registry of what was made on the node itself, as podman calls it.
	Local = "localhost"
	hub   = "docker.io"
)

// Parse reads a name as people write it; named says that it names its registry itself. Without one it is Docker's hub, where
// podman and Docker would look.
func Parse(text string) (r Reference, named, ok bool) {
	rest, sum, pinned := strings.Cut(text, "@")
	if r.Digest = sum; pinned && !digest.MatchString(sum) {
		return r, false, false
	}
	r.Registry = hub
	if first, path, found := strings.Cut(rest, "/"); found && registry.MatchString(first) {
		r.Registry, rest, named = first, path, true
	}
	if k := strings.LastIndex(rest, ":"); k >= 0 {
		if r.Tag = rest[k+1:]; !tag.MatchString(r.Tag) {
			return r, named, false
		}
		rest = rest[:k]
	}
	if r.Tag == "" && !pinned {
		r.Tag = "latest"
	}
	parts := strings.Split(rest, "/")
	for _, p := range parts {
		if !component.MatchString(p) {
			return r, named, false
		}
	}
	if r.Path = rest; r.Registry == hub && len(parts) == 1 {
		r.Path = "library/" + rest
	}
	return r, named, len(rest) <= maxPath
}

// String writes the whole name. With a digest the tag is left out: it would say nothing more.
func (r Reference) String() string {
	if r.Digest != "" {
		return r.Name() + "@" + r.Digest
	}
	return r.Name() + ":" + r.Tag
}

// Name is the reference without what may change: no tag, no digest.
func (r Reference) Name() string { return r.Registry + "/" + r.Path }

// Candidates are the whole names that a text may mean, the likeliest first: what names no registry is looked for among what was
// made here, and then at the hub.
func Candidates(text string) []Reference {
	r, named, ok := Parse(text)
	switch {
	case !ok:
		return nil
	case named:
		return []Reference{r}
	}
	local := r
	local.Registry, local.Path = Local, strings.TrimPrefix(r.Path, "library/")
	return []Reference{local, r}
}
