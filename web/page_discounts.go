package web

import (
	"strconv"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/term"
	"github.com/meterhouse/meterhouse/views"
)

// pricesAgain ends one of the smaller forms of /admin/prices: with the page again where something was typed wrong.
func (s *Server) pricesAgain(c *call, err error, key string, form func(*views.PricesPage) *views.Form) error {
	if err == nil {
		return s.done(c, "/admin/prices", flash{Key: key})
	}
	if !typed(err) {
		return err
	}
	v, again := s.pricesView(c)
	if again != nil {
		return again
	}
	*form(&v) = c.typedForm(renamed(err, map[string]string{"discount": "percent", "minimum": "percent"}))
	return s.showAgain(c, err, views.Prices(v))
}

// discountForm is POST /admin/prices/discounts.
func (s *Server) discountForm(c *call) error {
	d := store.Discount{TeamID: c.text("team"), PoolID: c.text("pool")}
	var err error
	if text := c.text("percent"); text != "" {
		var ppm int64
		ppm, err = percentField("percent", text)
		d.PPM = &ppm
	}
	if err == nil {
		d.StartsAt, err = s.startsField(c)
	}
	if err == nil {
		err = sentBefore(s.store.SetDiscount(c.Request().Context(), c.who.ID, d, seenField(c, "seen-discounts"), c.request()))
	}
	return s.pricesAgain(c, err, "discount_saved", func(v *views.PricesPage) *views.Form { return &v.DiscountForm })
}

// termsForm is POST /admin/prices/terms: what has no length and no discount is no step.
func (s *Server) termsForm(c *call) error {
	var steps []term.Step
	var err error
	for n := 1; n <= views.TermRows && err == nil; n++ {
		k := "-" + strconv.Itoa(n)
		if c.text("length"+k) == "" && c.text("percent"+k) == "" {
			continue
		}
		var step term.Step
		if step.DiscountPPM, err = percentField("terms", c.text("percent"+k)); err != nil {
			break
		}
		length, wrong := strconv.Atoi(c.text("length" + k))
		if wrong != nil {
			err = invalid("terms", "term_length_wrong")
		}
		step.From.Days = length
		if c.text("unit"+k) == "m" {
			step.From = term.Length{Months: length}
		}
		steps = append(steps, step)
	}
	starts, startsErr := s.startsField(c)
	if err == nil {
		err = startsErr
	}
	if err == nil {
		err = sentBefore(s.store.SetTerms(c.Request().Context(), c.who.ID, steps, starts, seenField(c, "seen"), c.request()))
	}
	return s.pricesAgain(c, err, "terms_saved", func(v *views.PricesPage) *views.Form { return &v.TermsForm })
}

// spotForm is POST /admin/prices/spot.
func (s *Server) spotForm(c *call) error {
	ppm, err := percentField("percent", c.text("percent"))
	if err == nil {
		err = s.store.SetSpotMinimum(c.Request().Context(), c.text("pool"), ppm, c.who.ID)
	}
	return s.pricesAgain(c, err, "spot_minimum_saved", func(v *views.PricesPage) *views.Form { return &v.SpotForm })
}

// seenField is the version that a form was opened on, nil where it says none.
func seenField(c *call, field string) *int64 {
	version, err := strconv.ParseInt(c.text(field), 10, 64)
	if err != nil {
		return nil
	}
	return &version
}
