package web

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/money"
)

// invoice is the one that the path names, if the person may see it.
func (s *Server) invoice(c *call) (store.Invoice, error) {
	number, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil || number < 1 {
		return store.Invoice{}, notFound("invoice")
	}
	v, err := s.store.Invoice(c.Request().Context(), number)
	if err == nil && !c.sees(v.TeamID) {
		err = notFound("invoice")
	}
	return v, err
}

// invoiceCSV is the invoice as a file: what it says, and nothing that changes later.
func (s *Server) invoiceCSV(c *call) error {
	v, err := s.invoice(c)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := writeInvoice(&b, v); err != nil {
		return err
	}
	return sendCSV(c, "invoice-"+strconv.FormatInt(v.Number, 10)+".csv", &b)
}

var invoiceColumns = []string{"Invoice", "Issued", "Team", "Currency", "TimeZone", "PeriodStart", "PeriodEnd", "Line", "Month", "Member", "Item", "GPUModel", "Kind",
	"Entry", "Corrects", "Note", "GPUHours", "Exact", "Amount"}

func writeInvoice(b *bytes.Buffer, v store.Invoice) error {
	t := newCSV(b)
	t.plain(invoiceColumns...)
	if err := t.end(); err != nil {
		return err
	}
	number := strconv.FormatInt(v.Number, 10)
	for k, l := range v.Lines {
		t.plain(number, v.IssuedAt.Format(time.RFC3339))
		t.text(v.TeamName, v.Currency, v.TimeZone)
		t.plain(v.From.Format(time.RFC3339), v.To.Format(time.RFC3339), strconv.Itoa(k+1), l.Month)
		t.text(l.PersonName, string(l.Item), l.GPUModel, l.Kind)
		t.plain(numberOrNone(l.EntryID), numberOrNone(l.CorrectsID))
		t.text(l.Note)
		t.plain(gpuHours(l.GPUTime))
		t.micros(l.AmountMicros)
		t.plain(minorText(l.AmountMinor, v.Currency))
		if err := t.end(); err != nil {
			return err
		}
	}
	t.plain(number, v.IssuedAt.Format(time.RFC3339))
	t.text(v.TeamName, v.Currency, v.TimeZone)
	t.plain(v.From.Format(time.RFC3339), v.To.Format(time.RFC3339), "", "", "", "", "", "total", "", "", "", "")
	t.micros(v.AmountMicros)
	t.plain(minorText(v.AmountMinor, v.Currency))
	if err := t.end(); err != nil {
		return err
	}
	return t.flush()
}

func numberOrNone(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// gpuHours writes a time in hours with nine places, which tell every microsecond apart.
func gpuHours(d time.Duration) string {
	return nineplaces(money.Product(d.Microseconds(), nano).Over(hourMicros))
}

const (
	nano       = 1_000_000_000
	hourMicros = 3_600_000_000
)

// nineplaces writes billionths as a decimal.
func nineplaces(n int64) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	digits := strconv.FormatInt(n%nano+nano, 10)[1:]
	text := sign + strconv.FormatInt(n/nano, 10)
	if digits = strings.TrimRight(digits, "0"); digits != "" {
		text += "." + digits
	}
	return text
}

// minorText writes what is asked for as the currency is written: 1234 cents are "12.34".
func minorText(minor int64, currency string) string {
	text := money.Format(minor * store.MinorUnit(currency))
	switch minorPlaces(currency) {
	case 0:
		return strings.TrimSuffix(text, ".00")
	case 3:
		whole, fraction, _ := strings.Cut(text, ".")
		return whole + "." + (fraction + "000")[:3]
	}
	return text
}

// minorPlaces is how many decimals a currency is written with.
func minorPlaces(currency string) int {
	switch store.MinorUnit(currency) {
	case money.Unit:
		return 0
	case money.Unit / 1000:
		return 3
	}
	return 2
}
