package store

import "time"

// Site is what holds for the whole console.
type Site struct {
	Name      string
	Currency  string // ISO 4217, such as "USD"
	TimeZone  string // IANA, such as "Europe/Berlin": days and periods end at its midnight
	Lang      string // "en" or "zh": for who has not chosen
	CreatedAt time.Time
	SetUp     bool // an admin exists
}

// SetupRequest is what the first person says about themselves and the site.
type SetupRequest struct {
	Code                              string // from SetupCode
	Site                              Site   // Name, Currency, TimeZone, Lang; what is "" stays as it is
	Name, Email, Password, Team, Lang string
}
