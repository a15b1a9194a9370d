package web

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/meterhouse/meterhouse/gpu/volume"
	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
)

func volumeRow(v *store.Volume) views.VolumeRow {
	row := views.VolumeRow{ID: v.ID, Name: v.Name, State: string(v.State), Team: v.TeamName, Owner: v.PersonName, Shared: v.Shared, GiB: v.GiB,
		UsedBytes: v.UsedBytes, HeldBytes: v.HeldBytes, MonthMicros: v.MonthMicros(), Snapshots: len(v.Snapshots), Fault: v.Fault}
	for _, a := range v.Attachments {
		row.Attached = append(row.Attached, views.VolumeUse{ID: a.InstanceID, Name: a.InstanceName, Path: a.Path, ReadOnly: a.ReadOnly})
	}
	return row
}

func (s *Server) volumesPage(c *call) error {
	v, err := s.volumesView(c)
	if err != nil {
		return err
	}
	return s.show(c, views.Volumes(v))
}

func (s *Server) volumesView(c *call) (views.VolumesPage, error) {
	v := views.VolumesPage{Page: s.page(c), CanCreate: c.can(store.Member)}
	v.Path = "/volumes"
	seen, err := s.seenVolumes(c)
	if err != nil {
		return v, err
	}
	for k := range seen {
		v.Rows = append(v.Rows, volumeRow(&seen[k]))
	}
	v.PriceMicros, err = s.store.StoragePriceNow(c.Request().Context())
	return v, err
}

func (s *Server) volumeForm(c *call) error {
	n := store.NewVolume{Name: c.text("name"), Shared: c.text("shared") == "1", Request: c.request()}
	gib, err := strconv.ParseInt(c.text("gib"), 10, 64)
	if err != nil {
		err = invalid("gib", "out_of_range")
	} else {
		n.GiB = gib
		_, _, err = s.store.CreateVolume(c.Request().Context(), c.who.ID, n)
	}
	if err != nil && typed(err) {
		v, again := s.volumesView(c)
		if again != nil {
			return again
		}
		v.Form = c.typedForm(sentBefore(err))
		return s.showAgain(c, err, views.Volumes(v))
	}
	if err != nil {
		return err
	}
	return s.done(c, "/volumes", flash{Key: "volume_created", Name: n.Name})
}

func (s *Server) volumePage(c *call) error {
	v, err := s.volumeView(c)
	if err != nil {
		return err
	}
	return s.show(c, views.Volume(v))
}

func (s *Server) volumeView(c *call) (views.VolumePage, error) {
	v := views.VolumePage{Page: s.page(c)}
	known, err := s.volume(c)
	if err != nil {
		return v, err
	}
	role := c.who.RoleIn(known.TeamID)
	v.Row, v.CostMicros = volumeRow(&known), known.CostMicros
	v.CanUse = known.State == store.VolumeReady && known.MayUse(role, c.who.ID)
	v.Owns = known.State == store.VolumeReady && role.Acts(known.PersonID == c.who.ID)
	v.Form.Values = url.Values{"gib": {strconv.FormatInt(known.GiB, 10)}}
	if known.Shared {
		v.Form.Values.Set("shared", "1")
	}
	for _, x := range known.Snapshots {
		v.SnapshotRows = append(v.SnapshotRows, views.SnapshotRow{ID: x.ID, Name: x.Name, State: string(x.State), Fault: x.Fault, GiB: x.GiB, At: x.CreatedAt})
	}
	v.Dir = "."
	err = s.inTree(c, false, c.QueryParam("path"), func(t *volume.Tree, name string) error { return fillFiles(&v, t, name) })
	if err != nil {
		if statusOf(err) >= 500 && explain(err).Kind == store.Internal {
			return v, err
		}
		v.FilesFault = words(c.t, explain(err))
	}
	return v, nil
}

func fillFiles(v *views.VolumePage, t *volume.Tree, name string) error {
	list, more, err := t.List(name)
	if err != nil {
		return err
	}
	free, err := t.Free()
	v.Dir, v.More, v.FreeBytes = name, more, &free
	for _, f := range list {
		v.Files = append(v.Files, views.FileRow{Name: f.Name, Link: f.Link, Directory: f.Directory, Plain: f.Plain, Bytes: f.Bytes, Modified: f.Modified})
	}
	return err
}

// volumeDone ends a form of a volume's page: with what is wrong beside it, or with what was done.
func (s *Server) volumeDone(c *call, err error, path string, f flash) error {
	if err != nil && typed(err) {
		v, again := s.volumeView(c)
		if again != nil {
			return again
		}
		v.Form = c.typedForm(sentBefore(err))
		return s.showAgain(c, err, views.Volume(v))
	}
	if err != nil {
		return err
	}
	return s.done(c, path, f)
}

func volumeAt(c *call, dir string) string {
	if dir == "" || dir == "." {
		return "/volumes/" + c.Param("id")
	}
	return "/volumes/" + c.Param("id") + "?" + url.Values{"path": {dir}}.Encode()
}

func (s *Server) volumeChangeForm(c *call) error {
	v, err := s.volume(c)
	if err != nil {
		return err
	}
	shared := c.text("shared") == "1"
	gib, err := strconv.ParseInt(c.text("gib"), 10, 64)
	if err != nil {
		err = invalid("gib", "out_of_range")
	} else {
		_, err = s.store.ChangeVolume(c.Request().Context(), c.who.ID, v.ID, store.VolumeChange{GiB: &gib, Shared: &shared})
	}
	return s.volumeDone(c, err, volumeAt(c, ""), flash{Key: "volume_changed"})
}

// volumeDeleteForm asks for the name: what is deleted does not come back.
func (s *Server) volumeDeleteForm(c *call) error {
	v, err := s.volume(c)
	if err != nil {
		return err
	}
	if c.text("typed") != v.Name {
		err = invalid("typed", "name_not_typed")
	} else {
		err = s.store.DeleteVolume(c.Request().Context(), c.who.ID, v.ID)
	}
	return s.volumeDone(c, err, "/volumes", flash{Key: "volume_deleted", Name: v.Name})
}

func (s *Server) snapshotForm(c *call) error {
	v, err := s.volume(c)
	if err != nil {
		return err
	}
	_, _, err = s.store.SnapshotVolume(c.Request().Context(), c.who.ID, v.ID, c.text("name"), c.request())
	return s.volumeDone(c, err, volumeAt(c, "")+"#snapshots", flash{Key: "snapshot_asked"})
}

func (s *Server) snapshotDeleteForm(c *call) error {
	v, err := s.volume(c)
	if err == nil && !plainID(c.text("snapshot")) {
		err = notFound("snapshot")
	}
	if err == nil {
		err = s.store.DeleteSnapshot(c.Request().Context(), c.who.ID, v.ID, c.text("snapshot"))
	}
	if err != nil {
		return err
	}
	return s.done(c, volumeAt(c, "")+"#snapshots", flash{Key: "snapshot_deleted"})
}

func (s *Server) download(c *call) error {
	return s.inTree(c, false, c.QueryParam("path"), func(t *volume.Tree, name string) error { return s.sendFile(c, t, name) })
}

// named is a name in the directory that a form was on. A name is no path.
func named(c *call) (string, error) {
	name := c.Request().PostForm.Get("name")
	if name == "" || name == "." || name == ".." || strings.ContainsRune(name, '/') {
		return "", invalid("name", "file_name_wrong")
	}
	return c.Request().PostForm.Get("path") + "/" + name, nil
}

func (s *Server) directoryForm(c *call) error {
	name, err := named(c)
	if err == nil {
		err = s.inTree(c, true, name, (*volume.Tree).Mkdir)
	}
	return s.volumeDone(c, err, volumeAt(c, c.Request().PostForm.Get("path"))+"#files", flash{Key: "volume_changed"})
}

func (s *Server) removeForm(c *call) error {
	name, err := named(c)
	if err == nil {
		err = s.inTree(c, true, name, (*volume.Tree).Remove)
	}
	return s.volumeDone(c, err, volumeAt(c, c.Request().PostForm.Get("path"))+"#files", flash{Key: "file_removed", Name: views.Shown(c.Request().PostForm.Get("name"))})
}
