// Package uitest holds the tests in which a real browser does what a person does: it starts the real console on a throw-away
// data directory, with a real SMTP server beside it, and clicks and types. It has no code of its own outside its tests, and
// speaks to the product only by its pages, its API, its command line and its mail. A tab fails its test on any error in the
// browser's console and on any request to another host.
package uitest
