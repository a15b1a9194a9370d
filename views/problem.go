package views

import "time"

// ProblemPage is shown instead of a page that could not be: what happened, what it means for data and money, what to do.
type ProblemPage struct {
	Page
	Status     int           // 400, 401, 402, 403, 404, 405, 409, 413, 422, 429, 500, 503
	Detail     string        // the store's words for people, may be empty
	SaysNext   bool          // they say what to do too
	ID         string        // to quote
	RetryAfter time.Duration // for 429 and 503
}
