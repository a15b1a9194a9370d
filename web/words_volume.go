package web

import "github.com/meterhouse/meterhouse/web/lang"

// volumeWords are those of what was done with volumes and the files in them, "" for anything else.
func (f flash) volumeWords(t lang.T) string {
	switch f.Key {
	case "volume_created":
		return t.VolumeCreated(f.Name)
	case "volume_changed":
		return t.VolumeChanged()
	case "volume_deleted":
		return t.VolumeDeleted(f.Name)
	case "snapshot_asked":
		return t.SnapshotAsked()
	case "snapshot_deleted":
		return t.SnapshotDeleted()
	case "file_uploaded":
		return t.FileUploaded(f.Name)
	case "file_removed":
		return t.FileRemoved(f.Name)
	}
	return f.nodeWords(t)
}
