package store

import (
	"context"
	"sync"
	"time"
	_ "time/tzdata" // zones are there on a machine that has none
)

// Site is what holds for the whole console.
type Site struct {
	Name      string
	Currency  string // ISO 4217, such as "USD"
	TimeZone  string // IANA, such as "Europe/Berlin": days and periods end at its midnight
	Lang      string // "en" or "zh": for who has not chosen
	URL       string // where people reach the console, e.g. "https://gpu.example.com"; "" before it first served
	CreatedAt time.Time
	SetUp     bool // an admin exists
}

// ensureSite gives a new database its one site.
func ensureSite(t *tx) error {
	_, err := t.exec(`INSERT INTO site (id, name, currency, time_zone, lang, created_at)
		SELECT 1, 'Meterhouse', 'USD', 'UTC', 'en', ? WHERE NOT EXISTS (SELECT 1 FROM site)`, micros(t.now))
	return err
}

// Site returns the site's settings.
func (s *Store) Site(ctx context.Context) (site Site, err error) {
	err = s.read(ctx, func(t *tx) error {
		site, err = t.site()
		return err
	})
	return site, err
}

func (t *tx) site() (Site, error) {
	var site Site
	var created int64
	err := t.row(`SELECT name, currency, time_zone, lang, url, created_at, EXISTS (SELECT 1 FROM person WHERE admin = 1) FROM site`).
		Scan(&site.Name, &site.Currency, &site.TimeZone, &site.Lang, &site.URL, &created, &site.SetUp)
	site.CreatedAt = fromMicros(created)
	return site, err
}

// UpdateSite changes the site's settings; what is "" stays as it is. Amounts keep their numbers when the currency's name
// changes. What is booked already keeps the days of the zone that held then.
func (s *Store) UpdateSite(ctx context.Context, site Site) error {
	return s.write(ctx, func(t *tx) error { return t.updateSite(site) })
}

func (t *tx) updateSite(change Site) error {
	site, err := t.site()
	if err != nil {
		return err
	}
	if change.Name != "" {
		if site.Name, err = cleanText("site_name", change.Name, 1, nameMax); err != nil {
			return err
		}
	}
	if change.Currency != "" {
		if site.Currency, err = cleanCurrency(change.Currency); err != nil {
			return err
		}
	}
	if change.TimeZone != "" {
		if _, err := location(change.TimeZone); err != nil {
			return err
		}
		site.TimeZone = change.TimeZone
	}
	if site.Lang, err = cleanLang("lang", change.Lang, site.Lang); err != nil {
		return err
	}
	if change.URL != "" {
		if site.URL, err = cleanText("url", change.URL, 1, urlMax); err != nil {
			return err
		}
	}
	_, err = t.exec("UPDATE site SET name = ?, currency = ?, time_zone = ?, lang = ?, url = ?", site.Name, site.Currency, site.TimeZone, site.Lang, site.URL)
	t.zone = nil
	t.emit("site", "")
	return err
}

func cleanCurrency(code string) (string, error) {
	if len(code) != 3 {
		return "", invalid("currency", "currency_unknown")
	}
	for _, r := range code {
		if r < 'A' || r > 'Z' {
			return "", invalid("currency", "currency_unknown")
		}
	}
	return code, nil
}

// siteZone returns the site's zone, looked up once in a transaction.
func (t *tx) siteZone() (*time.Location, error) {
	if t.zone != nil {
		return t.zone, nil
	}
	var name string
	if err := t.row("SELECT time_zone FROM site").Scan(&name); err != nil {
		return nil, err
	}
	zone, err := location(name)
	t.zone = zone
	return zone, err
}

var zones sync.Map // name → *time.Location: loading one reads a file

func location(name string) (*time.Location, error) {
	if zone, ok := zones.Load(name); ok {
		return zone.(*time.Location), nil
	}
	if name == "" || name == "Local" { // would depend on the machine
		return nil, invalid("time_zone", "time_zone_unknown")
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, invalid("time_zone", "time_zone_unknown")
	}
	zones.Store(name, zone)
	return zone, nil
}
