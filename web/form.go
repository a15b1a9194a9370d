package web

import (
	"mime"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/money"
	"github.com/meterhouse/meterhouse/views"
)

// readForm parses a page's form. Files are not taken anywhere.
func readForm(c *call) error {
	defer hurry(c)()
	r := c.Request()
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.ContentLength == 0:
		err = nil // nothing was sent, and so needs no type
	case err != nil || kind != "application/x-www-form-urlencoded" && kind != "multipart/form-data":
		return &store.Error{Kind: wrongType, Message: "form_wanted"}
	case kind == "multipart/form-data":
		err = r.ParseMultipartForm(maxBody)
	}
	if err == nil {
		err = r.ParseForm()
	}
	if err != nil {
		if big := explain(err); big.Kind == tooLarge {
			return big
		}
		return &store.Error{Kind: malformed, Message: "form_malformed", Err: err}
	}
	for field, values := range r.Form {
		for _, v := range append(values, field) {
			if !utf8.ValidString(v) || strings.ContainsRune(v, 0) {
				return &store.Error{Kind: malformed, Message: "form_malformed"}
			}
		}
	}
	return nil
}

// typedForm is what was typed, to be shown again; secrets are left out.
func (c *call) typedForm(err error) views.Form {
	values := url.Values{}
	for field, v := range c.Request().PostForm {
		if field != csrfField && field != "password" && field != "old_password" {
			values[field] = v
		}
	}
	f := views.Form{Values: values}
	if err != nil {
		f.Errors = c.fields(err)
	}
	return f
}

// text returns a field without the blanks around it.
func (c *call) text(field string) string { return strings.TrimSpace(c.Request().PostForm.Get(field)) }

// maxHours is ten years: more is a slip of the finger.
const maxHours = 10 * 365 * 24

// parseHours reads a decimal number of hours, with a comma as amounts have it; "" is none. A length of time is no money, so that a
// float will do.
func parseHours(text string) (*time.Duration, error) {
	if text == "" {
		return nil, nil
	}
	plain, ok := ungrouped(text)
	h, err := strconv.ParseFloat(plain, 64)
	if !ok || err != nil || !(h > 0) || h > maxHours || len(text) > 30 {
		return nil, invalid("hours", "wrong_hours")
	}
	d := time.Duration(h * float64(time.Hour)).Round(time.Second)
	if d < time.Second {
		return nil, invalid("hours", "wrong_hours")
	}
	return &d, nil
}

// ungrouped takes the commas out of a decimal number as pages write it: one before every three digits. A comma anywhere else is
// refused: it may be meant for a decimal point.
func ungrouped(text string) (plain string, ok bool) {
	whole, fraction, dotted := strings.Cut(text, ".")
	groups := strings.Split(whole, ",")
	if first := len(strings.TrimPrefix(groups[0], "-")); len(groups) > 1 && (first == 0 || first > 3) {
		return "", false
	}
	for _, digits := range groups[1:] {
		if len(digits) != 3 {
			return "", false
		}
	}
	plain = strings.Join(groups, "")
	if dotted {
		plain += "." + fraction
	}
	return plain, !strings.Contains(fraction, ",")
}

// parseMoney reads a decimal amount in the site's currency, exactly, also as pages write it: with "−" and grouped by commas.
func parseMoney(field, text string) (int64, error) {
	if after, minus := strings.CutPrefix(text, "−"); minus {
		text = "-" + after
	}
	plain, ok := ungrouped(text)
	micros, err := money.Parse(plain)
	if !ok || err != nil {
		return 0, invalid(field, "wrong_amount")
	}
	return micros, nil
}

// parseLabels reads "key=value, key=value".
func parseLabels(field, text string) (map[string]string, error) {
	labels := map[string]string{}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		key, value, found := strings.Cut(part, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if _, doubled := labels[key]; !found || key == "" || doubled || strings.ContainsFunc(part, unicode.IsControl) {
			return nil, invalid(field, "wrong_labels")
		}
		labels[key] = value
	}
	return labels, nil
}

// parseCount reads a whole number that is not negative; "" is 0.
func parseCount(field, text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, invalid(field, "wrong_number")
	}
	return n, nil
}
