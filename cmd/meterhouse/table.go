package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/meterhouse/meterhouse/store/money"
)

// table is rows of text under a head, in columns.
type table struct {
	head []string
	rows [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) print(to io.Writer) error {
	w := tabwriter.NewWriter(to, 0, 8, 2, ' ', 0)
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, cell := range row {
			if row[i] = plain(cell); cell == "" {
				row[i] = "–"
			}
		}
		fmt.Fprintln(w, strings.TrimRight(strings.Join(row, "\t"), "\t"))
	}
	return w.Flush()
}

func (c *call) printJSON(v any) error {
	e := json.NewEncoder(c.out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// amount is money as people write it.
func amount(micros int64) string { return money.Format(micros) }

// at is a moment to the second, in UTC; "" for none.
func at(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}
