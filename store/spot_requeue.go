package store

import (
	"errors"

	"github.com/meterhouse/meterhouse/store/life"
)

// requeue has a reclaimed job go back to the queue: its next run has the same terms at today's price, and goes on in the
// same home.
func (t *tx) requeue(i *Instance) error {
	if i.NoticeAt == nil || !i.Requeue || i.StopReason != "reclaimed" || i.BenchmarkID != "" {
		return nil
	}
	rate, list := i.RateMicrosPerHour, i.ListMicrosPerHour
	if r, onDemand, ok, err := t.spotPrice(i.PlanID); err != nil {
		return err
	} else if ok {
		rate, list = r, onDemand
	}
	id := newID("i-")
	if _, err := t.exec(`INSERT INTO instance (id, name, state, kind, plan_id, pool_id, gpu_model, gpu_count, simulated, team_id, person_id, image, command, argv, labels,
		wanted_gpus, cpu_millis, memory_bytes, pids, disk_bytes, rate, list_rate, duration, requeue, request_hash, requested_at, checkpoint_command, run, earlier_id, wanted_node, port)
		SELECT ?1, name, ?2, kind, plan_id, pool_id, gpu_model, gpu_count, simulated, team_id, person_id, image, command, argv, labels,
		wanted_gpus, cpu_millis, memory_bytes, pids, disk_bytes, ?3, ?4, duration, requeue, request_hash, ?5, checkpoint_command, run + 1, id, wanted_node, port FROM instance WHERE id = ?6`,
		id, string(life.Queued), rate, list, micros(t.now), i.ID); err != nil {
		return err
	}
	if _, err := t.exec("INSERT INTO instance_label (key, value, instance_id) SELECT key, value, ? FROM instance_label WHERE instance_id = ?", id, i.ID); err != nil {
		return err
	}
	if _, err := t.exec("INSERT INTO instance_image (instance_id, engine_id, digest) SELECT ?, engine_id, digest FROM instance_image WHERE instance_id = ?", id, i.ID); err != nil {
		return err
	}
	if err := errors.Join(t.copyEnv(id, i.ID), t.attachAgain(i.ID, id)); err != nil {
		return err
	}
	if err := t.instanceEvent(i.ID, "requeued", "", map[string]string{"instance": id}); err != nil {
		return err
	}
	if err := t.instanceEvent(id, "queued_again", "", map[string]string{"instance": i.ID}); err != nil {
		return err
	}
	t.emit("instance", id)
	return t.audit(AuditRecord{Action: "instance_requeued", Target: id, Detail: i.ID})
}
