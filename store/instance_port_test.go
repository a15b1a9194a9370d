package store_test

import (
	"errors"
	"testing"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/storetest"
)

func TestThePortOfAnInstanceIsItsPersonsToChooseWhileItLives(t *testing.T) {
	s, _ := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	i, _, err := s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1, Port: 8888})
	if err != nil || i.Port != 8888 {
		t.Fatalf("rented with port %d: %v", i.Port, err)
	}
	for _, wrong := range []int{-1, 65536} {
		_, err := s.SetPort(ctx, i.ID, seed.Member.ID, wrong)
		kind(t, err, store.Invalid, "port")
		_, _, err = s.Rent(ctx, store.RentRequest{PersonID: seed.Member.ID, GPUCount: 1, Port: wrong})
		kind(t, err, store.Invalid, "port")
	}
	for _, port := range []int{6006, 6006, 0, 65535} {
		if i, err = s.SetPort(ctx, i.ID, seed.Member.ID, port); err != nil || i.Port != port {
			t.Errorf("port %d: %d, %v", port, i.Port, err)
		}
	}
	if i, err = s.Instance(ctx, i.ID); err != nil || i.Port != 65535 {
		t.Errorf("kept %d: %v", i.Port, err)
	}
	if _, err := s.RequestStop(ctx, i.ID, seed.Member.ID, ""); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.MarkEnded(ctx, i.ID, store.End{}), s.MarkStopped(ctx, i.ID, store.Proof{})); err != nil {
		t.Fatal(err)
	}
	_, err = s.SetPort(ctx, i.ID, seed.Member.ID, 80)
	kind(t, err, store.Conflict, "")
}
