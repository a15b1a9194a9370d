package meter

import (
	"time"

	"github.com/meterhouse/meterhouse/store/money"
)

// StorageMonth is the month for which a storage price is named: a twelfth of a year of 8,760 hours.
const StorageMonth = 730 * time.Hour

// Storage is what the storage of a stopped instance costs over its whole time, rounded once: a price for the hour would be
// rounded before it is multiplied. Post the differences of what it comes to.
func Storage(gib, microsPerGiBMonth int64, d time.Duration) int64 {
	return money.Product(gib*microsPerGiBMonth, d.Microseconds()).Over(StorageMonth.Microseconds())
}
