package store

import (
	"context"
	"database/sql"
	"time"
)

// Taken is a time in which a GPU is or was somebody's: a row for each GPU of a reservation or an instance.
type Taken struct {
	GPU, Model                             string // GPU: its UUID
	Reservation                            bool   // else an instance
	ID, Name                               string
	TeamID, TeamName, PersonID, PersonName string
	Kind                                   InstanceKind
	From                                   time.Time
	To                                     *time.Time // nil: nobody knows
	Because                                string     // of an instance: what sets its hard end, as Instance.EndsBecause
	InUse                                  bool       // of a reservation: an instance uses the GPU now
}

// Occupancy returns who has which GPU in [from, to), reservations before instances, each in the order in which they begin.
// What uses a reservation is not listed beside it.
func (s *Store) Occupancy(ctx context.Context, from, to time.Time) (all []Taken, err error) {
	err = s.read(ctx, func(t *tx) error {
		reserved, err := list(t, func(r scanner) (Taken, error) { return scanTaken(r, true) },
			`SELECT h.gpu_uuid, (SELECT model FROM gpu g WHERE g.uuid = h.gpu_uuid), r.id, r.name, r.team_id, m.name, r.person_id, p.name, 'reserved', h.from_at, h.to_at, '',
			EXISTS (SELECT 1 FROM instance i JOIN instance_gpu u ON u.instance_id = i.id AND u.released_at IS NULL WHERE i.reservation_id = r.id AND u.gpu_uuid = h.gpu_uuid)
			FROM reservation_gpu h JOIN reservation r ON r.id = h.reservation_id JOIN team m ON m.id = r.team_id JOIN person p ON p.id = r.person_id
			WHERE h.from_at < ?2 AND h.to_at > ?1 ORDER BY h.from_at, r.seq`, micros(from), micros(to))
		if err != nil {
			return err
		}
		// One that is to end goes on until it is proven gone, however late.
		used, err := list(t, func(r scanner) (Taken, error) { return scanTaken(r, false) },
			`SELECT * FROM (SELECT h.gpu_uuid, (SELECT model FROM gpu g WHERE g.uuid = h.gpu_uuid), i.id, i.name, i.team_id, m.name, i.person_id, p.name, i.kind, coalesce(i.placed_at, i.requested_at) AS began,
			CASE WHEN h.released_at IS NOT NULL THEN h.released_at WHEN i.ends_at IS NOT NULL THEN max(i.ends_at, ?3) WHEN i.ended_at IS NOT NULL THEN ?3 END AS over, i.ends_because, 0
			FROM instance_gpu h JOIN instance i ON i.id = h.instance_id JOIN team m ON m.id = i.team_id JOIN person p ON p.id = i.person_id
			WHERE i.reservation_id IS NULL AND (h.released_at IS NULL OR h.released_at > ?1) ORDER BY i.seq)
			WHERE began < ?2 AND (over IS NULL OR over > ?1) AND (over IS NULL OR over > began)`, micros(from), micros(to), micros(t.now))
		all = append(reserved, used...)
		return err
	})
	return all, err
}

func scanTaken(r scanner, reservation bool) (Taken, error) {
	k := Taken{Reservation: reservation}
	var from int64
	var to sql.NullInt64
	err := r.Scan(&k.GPU, &k.Model, &k.ID, &k.Name, &k.TeamID, &k.TeamName, &k.PersonID, &k.PersonName, &k.Kind, &from, &to, &k.Because, &k.InUse)
	k.From, k.To = fromMicros(from), timeOrNil(to)
	return k, err
}
