package web

import "github.com/meterhouse/meterhouse/web/lang"

// bookWords says what was done to the ledger and the prices.
func (f flash) bookWords(t lang.T) string {
	switch f.Key {
	case "prices_published":
		return t.PricesPublished(f.Name)
	case "discount_saved":
		return t.DiscountSaved()
	case "terms_saved":
		return t.TermsSaved()
	case "spot_minimum_saved":
		return t.SpotMinimumSaved()
	case "entry_booked":
		return t.LedgerBooked(f.Name)
	}
	return f.quotaWords(t)
}
