package store

import "github.com/meterhouse/meterhouse/store/money"

// atPriceOfNow is an instance that waits at the price of now, which is locked when it starts. What is reserved is paid for
// already, and what is not offered any more keeps the price of when it was asked for.
func (t *tx) atPriceOfNow(i Instance) (Instance, error) {
	if i.Kind == Reserved {
		return i, nil
	}
	now, offered, err := t.pricedFor(Plan{ID: i.PlanID, poolID: i.poolID}, i.Kind, i.TeamID)
	if err == nil && offered {
		i.RateMicrosPerHour, i.ListMicrosPerHour, i.DiscountPPM = now.rate, now.list, now.discount
	}
	return i, err
}

// lockPrice gives an instance that begins to start the price of now, and says so where it is another than it was asked for at.
func (t *tx) lockPrice(i *Instance) error {
	now, err := t.atPriceOfNow(*i)
	same := now.RateMicrosPerHour == i.RateMicrosPerHour
	if err != nil || same && now.ListMicrosPerHour == i.ListMicrosPerHour && now.DiscountPPM == i.DiscountPPM {
		return err
	}
	if _, err := t.exec("UPDATE instance SET rate = ?, list_rate = nullif(?, 0), discount_ppm = ? WHERE id = ?", now.RateMicrosPerHour, now.ListMicrosPerHour, now.DiscountPPM, i.ID); err != nil || same {
		return err
	}
	site, err := t.site()
	if err != nil {
		return err
	}
	was, is := money.Format(i.RateMicrosPerHour)+" "+site.Currency, money.Format(now.RateMicrosPerHour)+" "+site.Currency
	*i = now
	return t.instanceEvent(i.ID, "price_locked", "", map[string]string{"was": was, "is": is})
}
