package store_test

import (
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

// volume makes one that the node has made.
func volume(t *testing.T, s *store.Store, clock *storetest.Clock, by string, n store.NewVolume) store.Volume {
	t.Helper()
	v, _, err := s.CreateVolume(ctx, by, n)
	if err == nil {
		err = s.MarkVolumeReady(ctx, v.ID, n.GiB, clock.Now())
	}
	if err == nil {
		v, err = s.Volume(ctx, v.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func rightBooks(t *testing.T, s *store.Store) {
	t.Helper()
	if check, err := s.CheckLedger(ctx); err != nil || !check.OK {
		t.Errorf("ledger: %+v, %v", check, err)
	}
	if sum, err := s.LedgerSum(ctx); err != nil || sum != 0 {
		t.Errorf("the ledger sums to %d, %v", sum, err)
	}
}

func TestAVolumeIsBilledByItsSizeFromCreationToDeletion(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	v := volume(t, s, clock, seed.Member.ID, store.NewVolume{Name: "data", GiB: 200})
	if err := s.SetStoragePrice(ctx, seed.Admin.ID, 900_000, clock.Now(), store.Request{}); err != nil { // of others to come
		t.Fatal(err)
	}
	clock.Advance(5 * time.Hour)
	for range 2 {
		if err := s.DeleteVolume(ctx, seed.Member.ID, v.ID); err != nil {
			t.Fatal(err)
		}
	}
	clock.Advance(time.Hour)
	if err := s.MarkVolumeDeleted(ctx, v.ID); err != nil {
		t.Fatal(err)
	}
	bill, err := s.VolumeBill(ctx, v.ID)
	if err != nil || bill.TotalMicros != 136_986 || bill.BookedMicros != 136_986 {
		t.Errorf("%+v, %v", bill, err)
	}
	for _, group := range []string{"team", "member", "kind", "day", "instance", "gpu_model"} {
		rows, err := s.Usage(ctx, store.UsageQuery{GroupBy: group})
		if err != nil || len(rows) != 1 || rows[0].CostMicros != 136_986 {
			t.Errorf("by %s: %+v, %v", group, rows, err)
		}
		folded, err := s.UsageFolded(ctx, store.UsageQuery{GroupBy: group})
		if err != nil || len(folded) != 1 || folded[0].CostMicros != 136_986 {
			t.Errorf("folded by %s: %+v, %v", group, folded, err)
		}
	}
	rightBooks(t, s)
}

func TestAVolumesBillIsSplitAtMidnightsAndMonths(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	v := volume(t, s, clock, seed.Member.ID, store.NewVolume{Name: "data", GiB: 7})
	snap, _, err := s.SnapshotVolume(ctx, seed.Member.ID, v.ID, "before", store.Request{})
	if err != nil {
		t.Fatal(err)
	}
	clock.Advance(31 * time.Hour)
	if err := s.MarkSnapshotReady(ctx, snap.ID, 3*store.GiB+1, clock.Now()); err != nil {
		t.Fatal(err)
	}
	size := int64(11)
	if _, err := s.ChangeVolume(ctx, seed.Member.ID, v.ID, store.VolumeChange{GiB: &size}); err != nil {
		t.Fatal(err)
	}
	clock.Advance(20 * 24 * time.Hour)
	if err := s.MarkVolumeReady(ctx, v.ID, size, clock.Now()); err != nil {
		t.Fatal(err)
	}
	clock.Advance(20*24*time.Hour + 1234567*time.Microsecond)
	if _, err := s.PostDue(ctx); err != nil {
		t.Fatal(err)
	}
	rightBooks(t, s)
	if n, err := s.IssueInvoices(ctx); err != nil || n == 0 {
		t.Fatalf("%d invoices, %v", n, err)
	}
	if err := s.DeleteVolume(ctx, seed.Admin.ID, v.ID); err != nil {
		t.Fatal(err)
	}
	bill, err := s.VolumeBill(ctx, v.ID)
	if err != nil || bill.BookedMicros != bill.TotalMicros || len(bill.Lines) != 3 {
		t.Errorf("%+v, %v", bill, err)
	}
	rows, err := s.Usage(ctx, store.UsageQuery{GroupBy: "day"})
	if err != nil || costs(rows) != bill.TotalMicros || len(rows) < 40 {
		t.Errorf("%d days of %d, the bill is %d, %v", len(rows), costs(rows), bill.TotalMicros, err)
	}
	rightBooks(t, s)
}

func TestAVolumeHasOneWriterOrSeveralReaders(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	v := volume(t, s, clock, seed.Member.ID, store.NewVolume{Name: "data", GiB: 1})
	rent := func(readOnly bool) (store.Instance, error) {
		i, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, CPUOnly: true, Volumes: []store.VolumeWish{{Volume: "data", Path: "/data", ReadOnly: readOnly}}})
		return i, err
	}
	writer, err := rent(false)
	if err != nil {
		t.Fatal(err)
	}
	for _, readOnly := range []bool{true, false} {
		if _, err := rent(readOnly); store.KindOf(err) != store.Conflict {
			t.Errorf("beside a writer, read only %v: %v", readOnly, err)
		}
	}
	if err := s.DeleteVolume(ctx, seed.Admin.ID, v.ID); store.KindOf(err) != store.Conflict {
		t.Errorf("deleted under an instance: %v", err)
	}
	if has, err := s.Attachments(ctx, writer.ID); err != nil || len(has) != 1 || has[0].Path != "/data" || has[0].VolumeID != v.ID {
		t.Errorf("%+v, %v", has, err)
	}
	if err := s.MarkStartFailed(ctx, writer.ID, "a test", clock.Now(), store.Proof{Clean: true}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := rent(true); err != nil {
			t.Errorf("several readers: %v", err)
		}
	}
	if _, err := rent(false); store.KindOf(err) != store.Conflict {
		t.Errorf("a writer beside readers: %v", err)
	}
	if v, err = s.Volume(ctx, v.ID); err != nil || v.State != store.VolumeReady || len(v.Attachments) != 2 {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestOneOfManyWhoAttachAtOnceGetsTheVolume(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	volume(t, s, clock, seed.Member.ID, store.NewVolume{Name: "data", GiB: 1})
	const many = 32
	results := make(chan error, many)
	for range many {
		go func() {
			_, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, CPUOnly: true, Volumes: []store.VolumeWish{{Volume: "data", Path: "/data"}}})
			results <- err
		}()
	}
	got := 0
	for range many {
		switch err := <-results; store.KindOf(err) {
		case "":
			got++
		case store.Conflict:
		default:
			t.Error(err)
		}
	}
	if got != 1 {
		t.Errorf("%d instances write it", got)
	}
}

func TestWhereAVolumeMayBeInAnInstance(t *testing.T) {
	s, clock := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	volume(t, s, clock, seed.Member.ID, store.NewVolume{Name: "data", GiB: 1})
	for path, fits := range map[string]bool{"/data": true, "/mnt/deep/er": true, "data": false, "": false, "/": false, "/etc/passwd": false, "/data/../proc/x": false, "/usr": false, "/a\nb": false} {
		i, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, CPUOnly: true, Volumes: []store.VolumeWish{{Volume: "data", Path: path}}})
		if (err == nil) != fits || err != nil && store.KindOf(err) != store.Invalid {
			t.Errorf("%q: %v", path, err)
		}
		if err == nil {
			if err := s.MarkStartFailed(ctx, i.ID, "a test", clock.Now(), store.Proof{Clean: true}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
