package web

import (
	"bytes"
	"encoding/csv"
	"io"
	"strings"

	"github.com/meterhouse/meterhouse/store/money"
)

// csvTable writes rows of text, numbers and amounts, so that a spreadsheet takes no text for a formula.
type csvTable struct {
	to  *csv.Writer
	row []string
}

func newCSV(to io.Writer) *csvTable { return &csvTable{to: csv.NewWriter(to)} }

// text adds what people or programs have named.
func (t *csvTable) text(cells ...string) {
	for _, cell := range cells {
		t.row = append(t.row, plainCell(cell))
	}
}

// plain adds what is made of digits, dots and a sign, and must be read as a number, or stands empty.
func (t *csvTable) plain(cells ...string) { t.row = append(t.row, cells...) }

// micros adds an amount with all of its digits.
func (t *csvTable) micros(amount int64) { t.row = append(t.row, money.Format(amount)) }

// end writes the row.
func (t *csvTable) end() error {
	err := t.to.Write(t.row)
	t.row = t.row[:0]
	return err
}

func (t *csvTable) flush() error {
	t.to.Flush()
	return t.to.Error()
}

// plainCell keeps a spreadsheet from running a text: an apostrophe says that it is one.
func plainCell(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}

// sendCSV answers with a file.
func sendCSV(c *call, name string, table *bytes.Buffer) error {
	c.Response().Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	return write(c, 200, "text/csv; charset=utf-8", table.Bytes())
}
