package store

// tellFault tells who has a GPU that something is wrong with it: once an instance, GPU and state. Work that runs on may be
// wrong from then on, and they alone know whether that matters.
func (t *tx) tellFault(uuid, state, reason string) error {
	if state != GPUFenced && state != GPULost {
		return nil
	}
	holders, err := t.instances(instanceQuery+"WHERE i.ended_at IS NULL AND i.id IN (SELECT instance_id FROM instance_gpu WHERE gpu_uuid = ? AND released_at IS NULL)", uuid)
	if err != nil {
		return err
	}
	for _, i := range holders {
		p, err := t.person(i.PersonID)
		if err != nil {
			return err
		}
		if p.DisabledAt != nil || i.BenchmarkID != "" {
			continue
		}
		err = t.mail(Mail{MessageID: "gpu-fault." + i.ID + "." + shortHash(uuid+state) + "@meterhouse", To: p.Email, Template: "gpu_fault",
			Data: map[string]string{"instance": i.ID, "name": i.Name, "gpu": uuid, "gpu_model": i.GPUModel, "node": i.NodeName, "fault": state, "detail": reason}})
		if err != nil {
			return err
		}
	}
	return nil
}
