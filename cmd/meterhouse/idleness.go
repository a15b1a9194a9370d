package main

import "time"

// idleness is what the API says of an instance that is idle.
type idleness struct {
	Since     *time.Time `json:"since"`
	StopsAt   *time.Time `json:"stops_at"`
	KeptUntil *time.Time `json:"kept_until"`
}

// show adds what there is to say to an instance's table.
func (i *idleness) show(t *table) {
	if i == nil {
		return
	}
	if i.Since != nil {
		t.add("idle since", at(i.Since))
	}
	if i.StopsAt != nil {
		t.add("stops", at(i.StopsAt)+" for being idle; meterhouse keep keeps it")
	}
	if i.KeptUntil != nil {
		t.add("kept until", at(i.KeptUntil))
	}
}
