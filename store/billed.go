package store

import (
	"time"

	"github.com/meterhouse/meterhouse/store/meter"
)

// billed is something with a bill of its own: an instance, a reservation, or a volume.
type billed struct {
	instanceID, reservationID string // one of them,
	volumeID                  string // or this
	name                      string
	teamID, teamName          string
	personID, personName      string
	item                      InstanceKind
	gpuModel                  string
	gpuCount                  int
	share                     int // thousandths of each GPU; 0: the whole
	labels                    map[string]string
	terms                     meter.Terms
	bookedMicros              int64
	bookedThrough             time.Time // zero: nothing can be booked yet
}

// billed is the instance as the ledger sees it.
func (i *Instance) billed() *billed {
	b := &billed{instanceID: i.ID, name: i.Name, teamID: i.TeamID, teamName: i.TeamName, personID: i.PersonID, personName: i.PersonName,
		item: i.Kind, gpuModel: i.GPUModel, gpuCount: i.GPUCount, share: i.share, labels: i.Labels, terms: i.terms(), bookedMicros: i.bookedMicros}
	if i.bookedThrough != nil {
		b.bookedThrough = *i.bookedThrough
	}
	if i.ReservationID != "" {
		b.gpuCount = 0 // the reservation's own bill counts them
	}
	return b
}

// gpuMilli is how much of GPUs it has, in thousandths of one.
func (b *billed) gpuMilli() int64 {
	if b.share == 0 {
		return int64(b.gpuCount) * 1000
	}
	return int64(b.gpuCount) * int64(b.share)
}

// id is what its entries' keys begin with.
func (b *billed) id() string { return b.instanceID + b.reservationID + b.volumeID }

// column is by which its entries are found.
func (b *billed) column() string { return b.table() + "_id" }

// table is where it stands itself, with what is booked of it.
func (b *billed) table() string {
	switch {
	case b.reservationID != "":
		return "reservation"
	case b.volumeID != "":
		return "volume"
	}
	return "instance"
}

// segmentsOfBilled returns what a bill is folded from. What is booked has passed, also where the clock was set back since.
func (t *tx) segmentsOfBilled(b *billed) ([]meter.Segment, error) {
	if b.reservationID != "" {
		parts, err := t.parts(b.reservationID)
		return segmentsOfParts(parts, later(t.now, b.bookedThrough)), err
	}
	if b.volumeID != "" {
		return t.volumeSegments(b.volumeID)
	}
	return t.segments(b.instanceID)
}
