package store

import (
	"time"

	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/spot"
)

// reclaim begins the reclaim of a spot instance: its last two minutes are billed as what they are. forID is the instance
// or reservation that needs its GPUs, and why says in a word what that is: "on_demand", "reserved" or "reservation"; or the
// window or node that is to be empty: "maintenance" or "drain".
func (t *tx) reclaim(id, forID, why string) error {
	i, err := t.instance(id)
	if err != nil || i.NoticeAt != nil {
		return err
	}
	closed, err := t.closeSegment(id, t.now, false)
	if err != nil {
		return err
	}
	if err := t.book(&i, closed); err != nil {
		return err
	}
	if err := t.openSegment(&i, life.Reclaiming, closed); err != nil {
		return err
	}
	if _, err := t.exec("UPDATE instance SET notice_at = ?, reclaimed_for = ?, stop_reason = 'reclaimed' WHERE id = ?", micros(t.now), forID, id); err != nil {
		return err
	}
	if err := t.step(&i, life.Reclaiming); err != nil {
		return err
	}
	ends := t.now.Add(spot.Notice).Format(time.RFC3339)
	if err := t.instanceEvent(id, "reclaim_notice", "", map[string]string{"for": why, "until": ends}); err != nil {
		return err
	}
	if err := t.audit(AuditRecord{Action: "instance_reclaim", Target: id, Detail: forID}); err != nil {
		return err
	}
	p, err := t.person(i.PersonID)
	if err != nil {
		return err
	}
	yes := ""
	if i.Requeue {
		yes = "1"
	}
	return t.mail(Mail{MessageID: "spot-notice." + id + "@meterhouse", To: p.Email, Template: "spot_notice", Data: map[string]string{
		"instance": id, "name": i.Name, "at": ends, "requeue": yes}})
}

// noticeForPromised gives notice to those who hold promised GPUs, as soon as they can be given one.
func (t *tx) noticeForPromised() error {
	type due struct{ victim, for_, kind string }
	all, err := list(t, func(r scanner) (d due, err error) { return d, r.Scan(&d.victim, &d.for_, &d.kind) },
		`SELECT DISTINCT v.id, w.id, w.kind FROM promise p JOIN instance w ON w.id = p.instance_id JOIN instance_gpu h ON h.gpu_uuid = p.gpu_uuid AND h.released_at IS NULL
		JOIN instance v ON v.id = h.instance_id WHERE v.kind = 'spot' AND v.state IN ('running', 'suspended') AND v.notice_at IS NULL AND v.started_at <= ? ORDER BY v.seq, w.seq`,
		micros(t.now.Add(-spot.Safe)))
	for _, d := range all {
		if err := t.reclaim(d.victim, d.for_, d.kind); err != nil {
			return err
		}
	}
	return err
}

// noticeForReservations gives notice to who holds GPUs as spot of which a reservation is about to begin.
func (t *tx) noticeForReservations() error {
	type due struct{ victim, reservation string }
	all, err := list(t, func(r scanner) (d due, err error) { return d, r.Scan(&d.victim, &d.reservation) },
		`SELECT DISTINCT v.id, r.reservation_id FROM reservation_gpu r JOIN instance_gpu h ON h.gpu_uuid = r.gpu_uuid AND h.released_at IS NULL
		JOIN instance v ON v.id = h.instance_id WHERE v.kind = 'spot' AND v.state IN ('running', 'suspended') AND v.notice_at IS NULL AND v.started_at <= ?
		AND r.from_at > ? AND r.from_at <= ? ORDER BY v.seq, r.reservation_id`,
		micros(t.now.Add(-spot.Safe)), micros(t.now), micros(t.now.Add(reservedSoon)))
	for _, d := range all {
		if err := t.reclaim(d.victim, d.reservation, "reservation"); err != nil {
			return err
		}
	}
	return err
}

// noticeForNodes gives notice to what is rented as spot on a node that is to be empty soon.
func (t *tx) noticeForNodes() error {
	type due struct{ victim, by, why string }
	all, err := list(t, func(r scanner) (d due, err error) { return d, r.Scan(&d.victim, &d.by, &d.why) },
		`SELECT v.id, coalesce(m.id, n.id), CASE WHEN m.id IS NULL THEN 'drain' ELSE 'maintenance' END FROM instance v JOIN node n ON n.id = v.node_id
		LEFT JOIN maintenance m ON m.node_id = n.id AND m.cancelled_at IS NULL AND m.start_at <= ?3 AND m.end_at > ?2
		WHERE v.kind = 'spot' AND v.state IN ('running', 'suspended') AND v.notice_at IS NULL AND v.started_at <= ?1 AND (m.id IS NOT NULL OR n.drain_by <= ?3) ORDER BY v.seq`,
		micros(t.now.Add(-spot.Safe)), micros(t.now), micros(t.now.Add(reservedSoon)))
	for _, d := range all {
		if err := t.reclaim(d.victim, d.by, d.why); err != nil {
			return err
		}
	}
	return err
}
