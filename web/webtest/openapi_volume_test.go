package webtest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web/webtest"
)

// storedVolume gives the site a volume with a file and a snapshot, and says what the calls that need one are asked with.
func storedVolume(t *testing.T, site *webtest.Site) (id string, queries map[string]string) {
	t.Helper()
	site.Fleet.Volumes = t.TempDir()
	v, _, err := site.Store.CreateVolume(t.Context(), site.Admin.ID, store.NewVolume{Name: "data", GiB: 2})
	if err == nil {
		err = site.Store.MarkVolumeReady(t.Context(), v.ID, 2, site.Clock.Now())
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(site.Fleet.Volumes, v.ID), 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(site.Fleet.Volumes, v.ID, "file"), []byte("content"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	snap, _, err := site.Store.SnapshotVolume(t.Context(), site.Admin.ID, v.ID, "before", store.Request{})
	if err == nil {
		err = site.Store.MarkSnapshotReady(t.Context(), snap.ID, 1, site.Clock.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	return v.ID, map[string]string{"GET /volumes/{id}/content": "?path=file", "PUT /volumes/{id}/files": "?path=file", "POST /volumes/{id}/files": "?path=dir",
		"DELETE /volumes/{id}/files": "?path=dir", "DELETE /volumes/{id}/snapshots": "?snapshot=" + snap.ID}
}
