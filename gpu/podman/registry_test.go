package podman

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// registry is a small registry of images over plain HTTP, which can only be read from (OCI distribution-spec, "Pull").
type registry struct {
	host  string
	blobs map[string][]byte // by digest
	kinds map[string]string
	tags  map[string]string // "name:tag" → digest of a manifest
}

func newRegistry(t *testing.T) *registry {
	t.Helper()
	r := &registry{blobs: map[string][]byte{}, kinds: map[string]string{}, tags: map[string]string{}}
	server := httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(server.Close)
	r.host = strings.TrimPrefix(server.URL, "http://")
	return r
}

func (r *registry) serve(w http.ResponseWriter, q *http.Request) {
	path := strings.TrimPrefix(q.URL.Path, "/v2/")
	if path == "" {
		return
	}
	name, ref, manifest := strings.Cut(path, "/manifests/")
	if !manifest {
		_, ref, _ = strings.Cut(path, "/blobs/")
	} else if d, ok := r.tags[name+":"+ref]; ok {
		ref = d
	}
	b, ok := r.blobs[ref]
	if !ok {
		http.Error(w, `{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}`, http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", r.kinds[ref])
	w.Header().Set("Docker-Content-Digest", ref)
	w.Header().Set("Content-Length", fmt.Sprint(len(b)))
	if q.Method != http.MethodHead {
		_, _ = w.Write(b)
	}
}

func (r *registry) put(kind string, b []byte) (digest string) {
	digest = fmt.Sprintf("sha256:%x", sha256.Sum256(b))
	r.blobs[digest], r.kinds[digest] = b, kind
	return digest
}

// push puts an image of these files there, name → text, and returns its digest.
func (r *registry) push(t *testing.T, tag string, files map[string]string) (digest string) {
	t.Helper()
	var layer bytes.Buffer
	w := tar.NewWriter(&layer)
	for name, text := range files {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	const layerKind, configKind, manifestKind = "application/vnd.oci.image.layer.v1.tar", "application/vnd.oci.image.config.v1+json", "application/vnd.oci.image.manifest.v1+json"
	layerDigest := r.put(layerKind, layer.Bytes())
	config := marshal(t, map[string]any{"architecture": "amd64", "os": "linux", "config": map[string]any{}, "rootfs": map[string]any{"type": "layers", "diff_ids": []string{layerDigest}}})
	part := func(kind, digest string) map[string]any {
		return map[string]any{"mediaType": kind, "digest": digest, "size": len(r.blobs[digest])}
	}
	manifest := marshal(t, map[string]any{"schemaVersion": 2, "mediaType": manifestKind, "config": part(configKind, r.put(configKind, config)), "layers": []any{part(layerKind, layerDigest)}})
	digest = r.put(manifestKind, manifest)
	r.tags[tag] = digest
	return digest
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
