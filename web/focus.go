package web

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/budget"
	"github.com/meterhouse/meterhouse/store/money"
)

// focusColumns are those of FOCUS 1.2 (focus.finops.org) that it demands and that this console knows, by their column IDs;
// what begins with x_ is our own, as it allows.
var focusColumns = []string{
	"BilledCost", "BillingAccountId", "BillingAccountName", "BillingCurrency", "BillingPeriodEnd", "BillingPeriodStart", "CapacityReservationId", "CapacityReservationStatus",
	"ChargeCategory", "ChargeClass", "ChargeDescription", "ChargeFrequency", "ChargePeriodEnd", "ChargePeriodStart", "ConsumedQuantity", "ConsumedUnit", "ContractedCost",
	"ContractedUnitPrice", "EffectiveCost", "InvoiceId", "InvoiceIssuerName", "ListCost", "ListUnitPrice", "PricingCategory", "PricingQuantity", "PricingUnit", "ProviderName",
	"PublisherName", "ResourceId", "ResourceName", "ResourceType", "ServiceCategory", "ServiceName", "ServiceSubcategory", "SkuId", "SkuMeter", "SkuPriceId", "SubAccountId",
	"SubAccountName", "Tags", "x_Day", "x_EntryId", "x_CorrectsEntryId", "x_Note",
}

// focusFlush is after how many rows what was written is sent: a client that takes none of it in time is cut.
const focusFlush = 500

// focusCSV is GET /export/focus.csv?from&to: every entry of the ledger of the days in [from, to) as a charge, streamed.
func (s *Server) focusCSV(c *call) error {
	zone, err := s.zone(c)
	if err != nil {
		return err
	}
	month := monthOf(s.now(), zone)
	from, to, err := s.interval(c, month, month.In(zone).AddDate(0, 1, 0))
	if err != nil {
		return err
	}
	site, err := s.store.Site(c.Request().Context())
	if err != nil {
		return err
	}
	if midnight, _ := budget.Day.Bounds(to, zone); midnight.Before(to) {
		to = budget.NextMidnight(to, zone) // a day is whole
	}
	first, next := from.In(zone).Format(time.DateOnly), to.In(zone).Format(time.DateOnly)
	h := c.Response().Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="focus-`+first+`-`+next+`.csv"`)
	c.Response().WriteHeader(http.StatusOK)
	if c.Request().Method == http.MethodHead {
		return nil
	}
	if err := s.writeFocus(c, site, first, next); err != nil {
		s.log.Warn("an export was cut", "id", c.id, "error", err)
		panic(http.ErrAbortHandler) // the client must see that this is not the end of the file
	}
	return nil
}

func (s *Server) writeFocus(c *call, site store.Site, first, next string) error {
	defer hurryAnswer(c)()
	t := newCSV(c.Response())
	t.plain(focusColumns...)
	if err := t.end(); err != nil {
		return err
	}
	rows := 0
	err := s.store.Charges(c.Request().Context(), c.team(), first, next, func(e store.Charge) error {
		if rows++; rows%focusFlush == 0 {
			if err := t.flush(); err != nil {
				return err
			}
			hurryAnswer(c)
		}
		return focusRow(t, site, e)
	})
	if err != nil {
		return err
	}
	return t.flush()
}

// focusRow writes one charge. What the team pays is agreed with it beforehand, so that billed, effective and contracted cost
// are one.
func focusRow(t *csvTable, site store.Site, e store.Charge) error {
	category := focusCategory(e)
	t.micros(e.AmountMicros)
	t.text(e.TeamID, e.TeamName, site.Currency)
	t.plain(focusTime(e.BillingTo), focusTime(e.BillingFrom))
	t.text(e.ReservationID, reservationStatus(e), category, chargeClass(e), focusDescription(e), focusFrequency(category))
	end := e.To.Add(time.Second - time.Microsecond).Truncate(time.Second)
	start := e.From.Truncate(time.Second)
	if !end.After(start) {
		end = start.Add(time.Second)
	}
	t.plain(focusTime(end), focusTime(start))
	if category == "Usage" && e.Item != store.Storage {
		t.plain(gpuHours(e.GPUTime), "GPU-Hours")
	} else {
		t.plain("", "")
	}
	t.micros(e.AmountMicros)
	priced := category == "Usage" && e.PlanID != "" && e.CorrectsID == 0
	t.plain(amountIf(priced, e.RateMicrosPerHour))
	t.micros(e.AmountMicros)
	t.plain(numberOrNone(e.Invoice))
	t.text(site.Name)
	t.micros(e.ListMicros)
	t.plain(amountIf(priced, e.ListMicrosPerHour))
	if priced {
		t.text(pricingCategory(e))
		t.plain(pricingHours(e), "Hours")
	} else {
		t.plain("", "", "")
	}
	t.text(site.Name, site.Name, e.InstanceID+e.ReservationID+e.VolumeID, e.InstanceName+e.ReservationName+e.VolumeName, resourceType(e))
	t.text(focusService(e)...)
	if e.PlanID != "" {
		t.text(e.PlanID, "Plan-Hours", e.PlanID+"/"+string(e.Item))
	} else {
		t.plain("", "", "")
	}
	t.text(e.PersonID, e.PersonName)
	tags, err := json.Marshal(e.Labels)
	if err != nil {
		return err
	}
	t.text(string(tags))
	t.plain(e.Day, strconv.FormatInt(e.ID, 10), numberOrNone(e.CorrectsID))
	t.text(e.Note)
	return t.end()
}

func focusTime(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05Z") }

// focusCategory is Usage for what was used or put right of it, and what is neither for the rest.
func focusCategory(e store.Charge) string {
	switch e.Kind {
	case "credit":
		return "Credit"
	case "fee", "refund":
		return "Adjustment"
	}
	if e.CorrectsID != 0 {
		return "Adjustment"
	}
	return "Usage"
}

func focusFrequency(category string) string {
	if category == "Usage" {
		return "Usage-Based"
	}
	return "One-Time"
}

func chargeClass(e store.Charge) string {
	if e.AnotherMonth {
		return "Correction"
	}
	return ""
}

func reservationStatus(e store.Charge) string {
	switch {
	case e.ReservationID == "":
		return ""
	case e.Claimed:
		return "Used"
	}
	return "Unused"
}

func pricingCategory(e store.Charge) string {
	if e.Item == store.Spot {
		return "Dynamic"
	}
	return "Standard"
}

func resourceType(e store.Charge) string {
	switch {
	case e.ReservationID != "":
		return "Reservation"
	case e.InstanceID != "":
		return "Instance"
	case e.VolumeID != "":
		return "Volume"
	}
	return ""
}

// focusService is the category of what was used, with its name and subcategory, as FOCUS has them.
func focusService(e store.Charge) []string {
	if e.Item == store.Storage {
		return []string{"Storage", "Volumes", "Block Storage"}
	}
	return []string{"Compute", "GPU rental", "Virtual Machines"}
}

func focusDescription(e store.Charge) string {
	model := e.GPUModel
	if e.Item == store.Storage {
		return e.Kind + ", " + string(e.Item)
	}
	if model == "" {
		model = "CPU only"
	}
	return e.Kind + ", " + string(e.Item) + ", " + model
}

// pricingHours is the time that was charged: what the unit price times it gives is the cost.
func pricingHours(e store.Charge) string {
	if e.RateMicrosPerHour == 0 {
		return gpuHours(e.GPUTime)
	}
	return nineplaces(money.Product(e.AmountMicros, nano).Over(e.RateMicrosPerHour))
}

func amountIf(known bool, micros int64) string {
	if !known {
		return ""
	}
	return money.Format(micros)
}
