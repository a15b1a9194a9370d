package main

import (
	"context"
	"encoding/json"
	"strconv"
)

// costInvoices lists invoices, the newest first.
func costInvoices(ctx context.Context, c *call) error {
	f := c.flags()
	flags := f.client()
	if _, err := f.parseArgs(0); err != nil {
		return err
	}
	api, err := flags.client()
	if err != nil {
		return err
	}
	if *flags.json {
		var whole json.RawMessage
		if err := api.get(ctx, "/invoices", nil, &whole); err != nil {
			return err
		}
		return c.printJSON(whole)
	}
	var list struct {
		Invoices []struct {
			Number                int64
			Team, Month, Currency string
			Amount                string
			AmountMicros          int64  `json:"amount_micros"`
			IssuedAt              string `json:"issued_at"`
		}
	}
	if err := api.get(ctx, "/invoices", nil, &list); err != nil {
		return err
	}
	t := table{head: []string{"NUMBER", "TEAM", "MONTH", "ISSUED", "AMOUNT", "EXACT"}}
	for _, v := range list.Invoices {
		t.add(strconv.FormatInt(v.Number, 10), v.Team, v.Month, v.IssuedAt, v.Amount+" "+v.Currency, amount(v.AmountMicros))
	}
	return t.print(c.out)
}
