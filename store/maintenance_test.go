package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/life"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// site is a store with two nodes of four GPUs each.
type twoNodes struct {
	*store.Store
	clock *storetest.Clock
	seed  storetest.Seeded
	other store.Node
}

func openTwo(t *testing.T) twoNodes {
	t.Helper()
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	other, err := s.EnsureNode(ctx, "rack-2", false, "process", nil)
	must(t, err)
	found := storetest.SimulatedGPUs(8)[4:]
	must(t, s.SeeGPUs(ctx, other.ID, found, s.Now()))
	return twoNodes{s, clock, seed, other}
}

func (s *twoNodes) rent(t *testing.T, count int, more func(*store.RentRequest)) store.Instance {
	t.Helper()
	r := store.RentRequest{PersonID: s.seed.Member.ID, GPUModel: "a100-sxm4-80gb", GPUCount: count}
	if more != nil {
		more(&r)
	}
	i, _, err := s.Rent(ctx, r)
	must(t, err)
	if i.State == life.Starting {
		must(t, s.MarkRunning(ctx, i.ID, s.clock.Now()))
	}
	i, err = s.Instance(ctx, i.ID)
	must(t, err)
	return i
}

func (s *twoNodes) node(t *testing.T, id string) store.Node {
	t.Helper()
	all, err := s.Nodes(ctx)
	must(t, err)
	return all[slices.IndexFunc(all, func(n store.Node) bool { return n.ID == id })]
}

func in(d time.Duration) func(*store.RentRequest) {
	return func(r *store.RentRequest) { r.Duration = &d }
}

func onNode(name string) func(*store.RentRequest) {
	return func(r *store.RentRequest) { r.Node = name }
}

func TestWhatAnAdminSaidOfANodeOutlastsItsLoss(t *testing.T) {
	s := openTwo(t)
	_, err := s.Cordon(ctx, s.other.ID, s.seed.Admin.ID, "fans")
	must(t, err)
	must(t, s.NodeLost(ctx, s.other.ID, s.clock.Now()))
	if n := s.node(t, s.other.ID); n.State != store.NodeLost || n.Service != store.NodeCordoned {
		t.Fatalf("lost: %s, %s", n.State, n.Service)
	}
	s.clock.Advance(time.Minute)
	must(t, s.NodeSeen(ctx, s.other.ID, s.clock.Now()))
	n := s.node(t, s.other.ID)
	if n.State != store.NodeUp || n.Service != store.NodeCordoned || n.Reason != "fans" || n.ByName != "admin" || n.Since == nil || n.Open() {
		t.Errorf("back: %+v", n)
	}
	must(t, s.NodeLost(ctx, s.other.ID, s.clock.Now().Add(-time.Second)))
	if n := s.node(t, s.other.ID); n.State != store.NodeUp {
		t.Error("it was heard of after the moment at which it is said to be lost")
	}
	n, err = s.Uncordon(ctx, s.other.ID, s.seed.Admin.ID)
	must(t, err)
	if !n.Open() {
		t.Errorf("uncordoned: %+v", n)
	}
}

func TestNothingNewStartsOnACordonedNodeAndWhatRunsGoesOn(t *testing.T) {
	s := openTwo(t)
	runs := s.rent(t, 1, onNode("rack-2"))
	if runs.NodeName != "rack-2" {
		t.Fatalf("it is on %s, not where it was to be", runs.NodeName)
	}
	_, err := s.Cordon(ctx, s.other.ID, s.seed.Admin.ID, "")
	must(t, err)
	for range 4 {
		if i := s.rent(t, 1, nil); i.NodeName != "local" {
			t.Errorf("one starts on %s", i.NodeName)
		}
	}
	_, _, err = s.Rent(ctx, store.RentRequest{PersonID: s.seed.Member.ID, GPUModel: "a100-sxm4-80gb", GPUCount: 1})
	kind(t, err, store.NoCapacity, "")
	if i := again(t, s.Store, runs); i.State != life.Running || i.EndsAt != nil {
		t.Errorf("what runs: %s until %v", i.State, i.EndsAt)
	}
	waits := s.rent(t, 1, func(r *store.RentRequest) { r.Queue, r.Node = true, "rack-2" })
	_, err = s.PlaceQueued(ctx)
	must(t, err)
	if i := again(t, s.Store, waits); i.State != life.Queued {
		t.Fatalf("who waits for the node is %s", i.State)
	}
	_, err = s.Uncordon(ctx, s.other.ID, "")
	must(t, err)
	_, err = s.PlaceQueued(ctx)
	must(t, err)
	if i := again(t, s.Store, waits); i.State != life.Starting || i.NodeName != "rack-2" {
		t.Errorf("who waited for the node is %s on %q", i.State, i.NodeName)
	}
	blocks, err := s.GPUBlocks(ctx)
	must(t, err)
	if len(blocks) != 6 {
		t.Errorf("%d GPUs can't be rented", len(blocks))
	}
}

func TestADrainWithATimeEndsWhatWouldLastLongerAndIsLiftedWhole(t *testing.T) {
	s := openTwo(t)
	open, short, long := s.rent(t, 1, onNode("rack-2")), s.rent(t, 1, func(r *store.RentRequest) { onNode("rack-2")(r); in(time.Hour)(r) }),
		s.rent(t, 1, func(r *store.RentRequest) { onNode("rack-2")(r); in(10 * time.Hour)(r) })
	elsewhere := s.rent(t, 1, onNode("local"))
	by := s.clock.Now().Add(2 * time.Hour)
	n, err := s.Drain(ctx, s.other.ID, s.seed.Admin.ID, "new power supply", &by)
	must(t, err)
	if n.Service != store.NodeDraining || n.Instances != 3 || n.DrainBy == nil {
		t.Errorf("%+v", n)
	}
	for _, c := range []struct {
		i       store.Instance
		end     time.Time
		because string
	}{{open, by, "drain"}, {short, *short.EndsAt, ""}, {long, by, "drain"}, {elsewhere, time.Time{}, ""}} {
		i := again(t, s.Store, c.i)
		if (i.EndsAt == nil) != c.end.IsZero() || i.EndsAt != nil && !i.EndsAt.Equal(c.end) || i.EndsBecause != c.because {
			t.Errorf("ends at %v because of %q, want %v, %q", i.EndsAt, i.EndsBecause, c.end, c.because)
		}
	}
	_, err = s.Extend(ctx, open.ID, s.seed.Member.ID, new(by.Add(time.Hour)), store.Request{})
	kind(t, err, store.Conflict, "until")
	s.clock.Advance(time.Hour + time.Second)
	given, err := s.GiveNotices(ctx)
	must(t, err)
	if given != 2 { // the short one's end is past
		t.Errorf("%d notices an hour before", given)
	}
	_, err = s.Uncordon(ctx, s.other.ID, "")
	must(t, err)
	if i := again(t, s.Store, open); i.EndsAt != nil || i.EndsBecause != "" {
		t.Errorf("lifted: ends at %v because of %q", i.EndsAt, i.EndsBecause)
	}
	if i := again(t, s.Store, long); !i.EndsAt.Equal(*long.EndsAt) || i.EndsBecause != "" {
		t.Errorf("lifted: ends at %v because of %q", i.EndsAt, i.EndsBecause)
	}
}

func TestANodeIsDrainedOnceNothingIsLeftOnIt(t *testing.T) {
	s := openTwo(t)
	i := s.rent(t, 1, onNode("rack-2"))
	_, err := s.Drain(ctx, s.other.ID, "", "", nil)
	must(t, err)
	if n := s.node(t, s.other.ID); n.Service != store.NodeDraining {
		t.Errorf("with one on it: %s", n.Service)
	}
	_, err = s.RequestStop(ctx, i.ID, "", "")
	must(t, err)
	must(t, s.MarkEnded(ctx, i.ID, store.End{}))
	must(t, s.MarkStopped(ctx, i.ID, store.Proof{Clean: true}))
	if n := s.node(t, s.other.ID); n.Service != store.NodeDrained {
		t.Errorf("empty: %s", n.Service)
	}
}

func (s *twoNodes) book(from, to time.Duration, force bool) (store.Maintenance, error) {
	return s.BookMaintenance(ctx, store.NewMaintenance{NodeID: s.seed.Node.ID, PersonID: s.seed.Admin.ID, Start: s.clock.Now().Add(from), End: s.clock.Now().Add(to), Reason: "firmware", Force: force})
}

func TestNothingIsPlannedIntoAMaintenanceWindow(t *testing.T) {
	s := openTwo(t)
	_, err := s.Cordon(ctx, s.other.ID, "", "") // all on one node
	must(t, err)
	m, err := s.book(2*time.Hour, 4*time.Hour, false)
	must(t, err)
	if i := s.rent(t, 1, nil); i.EndsAt == nil || !i.EndsAt.Equal(m.Start) || i.EndsBecause != "maintenance" {
		t.Errorf("on demand it ends at %v because of %q", i.EndsAt, i.EndsBecause)
	} else if _, err := s.Extend(ctx, i.ID, s.seed.Member.ID, nil, store.Request{}); err == nil || !strings.Contains(err.Error(), "node_in_maintenance") {
		t.Errorf("its end can be taken away: %v", err)
	}
	s.rent(t, 1, in(time.Hour))
	_, _, err = s.Rent(ctx, store.RentRequest{PersonID: s.seed.Member.ID, GPUModel: "a100-sxm4-80gb", GPUCount: 1, Duration: new(3 * time.Hour)})
	if e := kind(t, err, store.NoCapacity, ""); e.Message != "maintenance_after" {
		t.Errorf("for longer it is refused as %s", e.Message)
	}
	cpu := s.rent(t, 0, func(r *store.RentRequest) { r.CPUOnly, r.GPUModel = true, "" })
	if cpu.EndsAt == nil || !cpu.EndsAt.Equal(m.Start) || cpu.EndsBecause != "maintenance" {
		t.Errorf("without a GPU it ends at %v because of %q", cpu.EndsAt, cpu.EndsBecause)
	}
	_, err = s.Uncordon(ctx, s.other.ID, "")
	must(t, err)
	if cpu := s.rent(t, 0, func(r *store.RentRequest) { r.CPUOnly, r.GPUModel = true, ""; in(3 * time.Hour)(r) }); cpu.NodeName != "rack-2" {
		t.Errorf("for longer it is on %s", cpu.NodeName)
	}
	_, err = s.Reserve(ctx, store.NewReservation{PersonID: s.seed.Member.ID, GPUs: []string{s.seed.GPUs[3].UUID}, Start: s.clock.Now().Add(3 * time.Hour), End: s.clock.Now().Add(5 * time.Hour)})
	kind(t, err, store.Conflict, "start")
	must1(t)(s.Reserve(ctx, store.NewReservation{PersonID: s.seed.Member.ID, GPUs: []string{s.seed.GPUs[3].UUID}, Start: m.End, End: m.End.Add(time.Hour)}))
	_, err = s.book(3*time.Hour, 5*time.Hour, true)
	kind(t, err, store.Conflict, "start")
}

func must1(t *testing.T) func(store.Reservation, error) {
	return func(_ store.Reservation, err error) { t.Helper(); must(t, err) }
}

func TestDuringAWindowTheNodeIsShutAndAfterItOpenWithoutAnybodysDoing(t *testing.T) {
	s := openTwo(t)
	m, err := s.book(time.Hour, 2*time.Hour, false)
	must(t, err)
	for _, c := range []struct {
		at      time.Duration
		service string
		blocked int
	}{{0, store.NodeOpen, 0}, {time.Hour, store.NodeMaintenance, 4}, {time.Hour, store.NodeOpen, 0}} {
		s.clock.Advance(c.at)
		if n := s.node(t, m.NodeID); n.Service != c.service {
			t.Errorf("%s, want %s", n.Service, c.service)
		}
		blocks, err := s.GPUBlocks(ctx)
		must(t, err)
		if len(blocks) != c.blocked {
			t.Errorf("%s: %v", c.service, blocks)
		}
	}
}

func TestAWindowOverWhatIsThereIsRefusedOrGivesItNotice(t *testing.T) {
	s := openTwo(t)
	runs := s.rent(t, 1, onNode("local"))
	spot := s.rent(t, 1, func(r *store.RentRequest) { r.Kind = store.Spot; onNode("local")(r) })
	must1(t)(s.Reserve(ctx, store.NewReservation{PersonID: s.seed.Member.ID, GPUModel: "a100-sxm4-80gb", GPUCount: 2, Start: s.clock.Now().Add(5 * time.Hour), End: s.clock.Now().Add(6 * time.Hour), GPUs: nil}))
	all, err := s.Reservations(ctx, store.ReservationFilter{})
	must(t, err)
	r := all[0]
	if r.NodeID != s.seed.Node.ID { // the case is made for a reservation on the node
		t.Fatalf("the reservation is on %s", r.NodeID)
	}
	_, err = s.book(4*time.Hour, 8*time.Hour, false)
	kind(t, err, store.Conflict, "start")
	if text := err.Error(); !strings.Contains(text, runs.ID) || !strings.Contains(text, r.ID) || strings.Contains(text, spot.ID) {
		t.Errorf("in the way: %s", text)
	}
	m, err := s.book(4*time.Hour, 8*time.Hour, true)
	must(t, err)
	if i := again(t, s.Store, runs); i.EndsAt == nil || !i.EndsAt.Equal(m.Start) || i.EndsBecause != "maintenance" {
		t.Errorf("what runs ends at %v because of %q", i.EndsAt, i.EndsBecause)
	}
	if r, err = s.Reservation(ctx, r.ID); err != nil || r.NodeID != s.other.ID || r.State != store.ReservationBooked {
		t.Errorf("the reservation is on %s: %v", r.NodeID, err)
	}
	s.clock.Advance(4*time.Hour - 2*time.Minute)
	_, err = s.Reclaim(ctx)
	must(t, err)
	if i := again(t, s.Store, spot); i.State != life.Reclaiming || i.NeededBy != "maintenance" || i.ReclaimsAt().After(m.Start) {
		t.Errorf("spot is %s for %q until %v", i.State, i.NeededBy, i.ReclaimsAt())
	}
	must(t, s.CancelMaintenance(ctx, m.NodeID, m.ID, ""))
	if i := again(t, s.Store, runs); i.EndsAt != nil {
		t.Errorf("after the window is cancelled it ends at %v", i.EndsAt)
	}
	if n := s.node(t, m.NodeID); n.Service != store.NodeOpen || len(n.Windows) != 0 {
		t.Errorf("after the window is cancelled: %+v", n)
	}
	must(t, s.CancelMaintenance(ctx, m.NodeID, m.ID, ""))
	kind(t, s.CancelMaintenance(ctx, s.other.ID, m.ID, ""), store.NotFound, "")
}

func TestAReservationThatNamesItsGPUsStaysInTheWayOfAWindow(t *testing.T) {
	s := openTwo(t)
	must1(t)(s.Reserve(ctx, store.NewReservation{PersonID: s.seed.Member.ID, GPUs: []string{s.seed.GPUs[0].UUID}, Start: s.clock.Now().Add(5 * time.Hour), End: s.clock.Now().Add(6 * time.Hour)}))
	_, err := s.book(4*time.Hour, 8*time.Hour, true)
	if kind(t, err, store.Conflict, "start"); !strings.Contains(err.Error(), "maintenance_reserved") {
		t.Errorf("%v", err)
	}
}

// A lost node's bookings once kept every other booking of their pool from being made.
func TestTheBookingsOfALostNodeAreInNobodysWay(t *testing.T) {
	s := openTwo(t)
	start := s.clock.Now().Add(5 * time.Hour)
	reserve := func() error {
		_, err := s.Reserve(ctx, store.NewReservation{PersonID: s.seed.Member.ID, GPUModel: "a100-sxm4-80gb", GPUCount: 2, Start: start, End: start.Add(time.Hour)})
		return err
	}
	must(t, reserve())
	must(t, s.NodeLost(ctx, s.seed.Node.ID, s.clock.Now()))
	must(t, reserve())
}

func TestWhatIsJoinedByNVLinkIsGivenTogether(t *testing.T) {
	s, _ := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	found := storetest.SimulatedGPUs(4)
	for k, island := range []string{"", "a", "", "a"} {
		found[k].Island, found[k].NUMA = island, "0"
	}
	must(t, s.SeeGPUs(ctx, seed.Node.ID, found, s.Now()))
	for _, c := range []struct {
		count int
		want  []int
		queue bool
	}{{1, []int{0}, false}, {2, []int{1, 3}, false}} {
		i, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUModel: "a100-sxm4-80gb", GPUCount: c.count, Duration: new(time.Hour)})
		must(t, err)
		for k, g := range c.want {
			if i.GPUs[k] != found[g].UUID {
				t.Errorf("%d GPUs: %v", c.count, i.GPUs)
			}
		}
	}
}

func TestAnInstanceRunsWhereItsVolumesAre(t *testing.T) {
	s := openTwo(t)
	v, _, err := s.CreateVolume(ctx, s.seed.Member.ID, store.NewVolume{Name: "data", GiB: 1})
	must(t, err)
	must(t, s.MarkVolumeReady(ctx, v.ID, v.GiB, s.clock.Now()))
	with := func(r *store.RentRequest) {
		r.Volumes = []store.VolumeWish{{Volume: "data", Path: "/data", ReadOnly: true}}
	}
	home := v.NodeID
	for range 4 {
		if i := s.rent(t, 1, with); i.NodeID != home {
			t.Errorf("it is on %s, its volume is not", i.NodeName)
		}
	}
	other := s.other.ID
	if home == other {
		other = s.seed.Node.ID
	}
	_, _, err = s.Rent(ctx, store.RentRequest{PersonID: s.seed.Member.ID, GPUModel: "a100-sxm4-80gb", GPUCount: 1, Node: other, Volumes: []store.VolumeWish{{Volume: "data", Path: "/data", ReadOnly: true}}})
	kind(t, err, store.Conflict, "volumes")
}
