package store

import (
	"context"
	"time"

	"github.com/meterhouse/meterhouse/store/money"
)

// storagePriceMax bounds the price of a GiB-month, in micro-units: a thousand of the currency. The database holds it too.
const storagePriceMax = 1_000_000_000

// StoragePrice is a version of the price of storage: a GiB-month of 730 h costs so much from a moment on.
type StoragePrice struct {
	Version           int64
	MicrosPerGiBMonth int64
	StartsAt          time.Time
	By                string // who set it; "" for the command line and for the first one
}

// StoragePrices returns every version, the newest first.
func (s *Store) StoragePrices(ctx context.Context) (all []StoragePrice, err error) {
	err = s.read(ctx, func(t *tx) error {
		all, err = list(t, func(r scanner) (StoragePrice, error) {
			var p StoragePrice
			var starts int64
			err := r.Scan(&p.Version, &p.MicrosPerGiBMonth, &starts, &p.By)
			p.StartsAt = fromMicros(starts)
			return p, err
		}, "SELECT r.version, r.micros_per_gib_month, r.starts_at, coalesce(p.name, '') FROM storage_price r LEFT JOIN person p ON p.id = r.person_id ORDER BY r.version DESC")
		return err
	})
	return all, err
}

// StoragePriceNow is what a new volume would cost a GiB-month.
func (s *Store) StoragePriceNow(ctx context.Context) (micros int64, err error) {
	err = s.read(ctx, func(t *tx) error {
		micros, err = t.storagePrice()
		return err
	})
	return micros, err
}

// SetStoragePrice adds a new version from starts on (now, if that is past). What there is keeps its locked price.
func (s *Store) SetStoragePrice(ctx context.Context, by string, microsPerGiBMonth int64, starts time.Time, request Request) error {
	if microsPerGiBMonth < 0 || microsPerGiBMonth > storagePriceMax {
		return invalid("price", "out_of_range")
	}
	return s.pricing(ctx, by, request, func(t *tx) error {
		if _, err := t.exec("INSERT INTO storage_price SELECT 1 + max(version), ?, ?, ?, ? FROM storage_price",
			microsPerGiBMonth, micros(later(starts, t.now)), micros(t.now), nullIfEmpty(by)); err != nil {
			return err
		}
		t.emit("price", "storage")
		return t.audit(AuditRecord{PersonID: by, Action: "price_set", Target: "storage", Detail: money.Format(microsPerGiBMonth) + " from " + later(starts, t.now).Format(time.RFC3339)})
	})
}

// storagePrice is the price that holds now.
func (t *tx) storagePrice() (int64, error) {
	return t.number("SELECT micros_per_gib_month FROM storage_price WHERE starts_at <= ? ORDER BY starts_at DESC, version DESC LIMIT 1", micros(t.now))
}
