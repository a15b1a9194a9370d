package web

import "github.com/meterhouse/meterhouse/store"

// volumePages are the table's rows of storage.
var volumePages = []route{
	{get, "/volumes", store.Viewer, page, (*Server).volumesPage, nil},
	{post, "/volumes", store.Member, page, (*Server).volumeForm, nil},
	{get, "/volumes/:id", store.Viewer, page, (*Server).volumePage, nil},
	{post, "/volumes/:id/change", store.Member, page, (*Server).volumeChangeForm, nil},
	{post, "/volumes/:id/delete", store.Member, page, (*Server).volumeDeleteForm, nil},
	{post, "/volumes/:id/snapshots", store.Member, page, (*Server).snapshotForm, nil},
	{post, "/volumes/:id/snapshots/delete", store.Member, page, (*Server).snapshotDeleteForm, nil},
	{get, "/volumes/:id/download", store.Viewer, page, (*Server).download, nil},
	{post, "/volumes/:id/upload", store.Member, upload, (*Server).uploadForm, nil},
	{post, "/volumes/:id/directory", store.Member, page, (*Server).directoryForm, nil},
	{post, "/volumes/:id/remove", store.Member, page, (*Server).removeForm, nil},
}

var filePath = parameter{name: "path", says: "In the volume; without one, its root."}

// volumeCalls are the API's.
var volumeCalls = []route{
	{get, apiRoot + "/volumes", store.Viewer, api, (*Server).listVolumes, &operation{says: "Volumes that the person sees, by name.", out: Volumes{}}},
	{post, apiRoot + "/volumes", store.Member, api, (*Server).createVolume, &operation{says: "Makes a volume; it is ready, and billed, when its node has made it. A retry with the same idempotency_key within a day has one effect.", in: VolumeBody{}, out: Volume{}, made: true}},
	{get, apiRoot + "/volumes/:id", store.Viewer, api, (*Server).getVolume, &operation{says: "One volume, also one that is deleted.", out: Volume{}}},
	{put, apiRoot + "/volumes/:id", store.Member, api, (*Server).changeVolume, &operation{says: "Makes a volume larger, or shares it with the team; what is left out stays.", in: VolumeChangeBody{}, out: Volume{}}},
	{del, apiRoot + "/volumes/:id", store.Member, api, (*Server).deleteVolume, &operation{says: "Deletes a volume with its snapshots for good. Refused while an instance has it."}},
	{post, apiRoot + "/volumes/:id/snapshots", store.Member, api, (*Server).createSnapshot, &operation{says: "Keeps what a volume holds now.", in: SnapshotBody{}, out: VolumeSnapshot{}, made: true}},
	{del, apiRoot + "/volumes/:id/snapshots", store.Member, api, (*Server).deleteSnapshot, &operation{says: "Deletes a snapshot for good.", query: []parameter{{name: "snapshot", says: "Its id."}}}},
	{get, apiRoot + "/volumes/:id/files", store.Viewer, api, (*Server).listFiles, &operation{says: "What a directory of a volume holds, directories first.", query: []parameter{filePath}, out: Files{}}},
	{post, apiRoot + "/volumes/:id/files", store.Member, api, (*Server).makeDirectory, &operation{says: "Makes a directory.", query: []parameter{filePath}, out: File{}, made: true}},
	{put, apiRoot + "/volumes/:id/files", store.Member, upload, (*Server).putFile, &operation{says: "Writes a file, the body as it is, of any length that fits; in one step, so that who reads meanwhile sees the old or the new one.", query: []parameter{filePath}, out: File{}}},
	{del, apiRoot + "/volumes/:id/files", store.Member, api, (*Server).removeFile, &operation{says: "Deletes a file, or a directory with all that is in it.", query: []parameter{filePath}}},
	{get, apiRoot + "/volumes/:id/content", store.Viewer, api, (*Server).getFile, &operation{says: "A file's content, as it is.", query: []parameter{filePath}, raw: true}},
}
