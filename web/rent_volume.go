package web

import (
	"cmp"
	"net/url"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
)

// attachable are the volumes that the person's team pays for and that they may attach; nothing where there are none.
func (s *Server) attachable(c *call) ([]views.Option, error) {
	all, err := s.store.Volumes(c.Request().Context(), c.who.TeamID)
	var options []views.Option
	for k := range all {
		v := &all[k]
		if v.State != store.VolumeReady || !v.MayUse(c.who.RoleIn(v.TeamID), c.who.ID) {
			continue
		}
		if options == nil {
			options = []views.Option{{Value: "", Label: c.t.RentVolumeNone()}}
		}
		options = append(options, views.Option{Value: v.ID, Label: v.Name + " · " + views.GiB(v.GiB<<30)})
	}
	return options, err
}

// volumePlace is where a volume is in an instance of a person who does not say where.
const volumePlace = "/data"

func rentVolumes(f url.Values) []store.VolumeWish {
	id := trimmed(f, "volumes")
	if id == "" {
		return nil
	}
	return []store.VolumeWish{{Volume: id, Path: cmp.Or(trimmed(f, "volume_path"), volumePlace), ReadOnly: f.Get("volume_read_only") == "1"}}
}
