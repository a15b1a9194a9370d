package web

import "github.com/meterhouse/meterhouse/web/lang"

// bookWords says what was done to the ledger and the prices.
func (f flash) bookWords(t lang.T) string {
	switch f.Key {
	case "entry_booked":
		return t.LedgerBooked(f.Name)
	}
	return f.quotaWords(t)
}
