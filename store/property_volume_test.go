package store_test

import (
	"strconv"

	"github.com/meterhouse/meterhouse/store"
	"pgregory.net/rapid"
)

// makeVolume is a person's wish for a volume, which the node makes at once or later.
func (m *machine) makeVolume(t *rapid.T) {
	v, _, err := m.s.CreateVolume(ctx, m.seed.Member.ID, store.NewVolume{Name: "v" + strconv.Itoa(len(m.volumes)), GiB: rapid.Int64Range(1, 9999).Draw(t, "gib")})
	expected(t, err)
	if err == nil {
		m.volumes = append(m.volumes, v.ID)
	}
}

// changeVolume is what becomes of a volume: of each step the person's or the node's part.
func (m *machine) changeVolume(t *rapid.T) {
	if len(m.volumes) == 0 {
		t.Skip("nothing is stored yet")
	}
	id := rapid.SampledFrom(m.volumes).Draw(t, "which")
	v, err := m.s.Volume(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	switch rapid.IntRange(0, 6).Draw(t, "what") {
	case 0:
		expected(t, m.s.MarkVolumeReady(ctx, id, v.GiB, m.at(t)))
	case 1:
		gib := v.GiB + rapid.Int64Range(1, 99).Draw(t, "more")
		_, err = m.s.ChangeVolume(ctx, "", id, store.VolumeChange{GiB: &gib})
		expected(t, err)
	case 2:
		_, _, err = m.s.SnapshotVolume(ctx, m.seed.Member.ID, id, "kept", store.Request{})
		expected(t, err)
	case 3:
		for _, snap := range v.Snapshots {
			expected(t, m.s.MarkSnapshotReady(ctx, snap.ID, rapid.Int64Range(0, 1e12).Draw(t, "bytes"), m.at(t)))
		}
	case 4:
		for _, snap := range v.Snapshots {
			expected(t, m.s.DeleteSnapshot(ctx, "", id, snap.ID))
			expected(t, m.s.MarkSnapshotGone(ctx, snap.ID, ""))
		}
	case 5:
		expected(t, m.s.DeleteVolume(ctx, "", id))
	case 6:
		expected(t, m.s.MarkVolumeDeleted(ctx, id))
	}
}
