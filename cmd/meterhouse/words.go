package main

import (
	"strings"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/web/lang"
)

// inWords writes an error for a person at a terminal: what the store names by a key in the catalogue's English, the rest as
// it is.
func inWords(err error) string {
	text := err.Error()
	for _, e := range storeErrors(err) {
		words := lang.English.Error(string(e.Message), e.Args)
		if e.Field != "" {
			words = e.Field + ": " + words
		}
		if e.Err != nil {
			words += " (" + e.Err.Error() + ")"
		}
		text = strings.Replace(text, e.Error(), words, 1)
	}
	return text
}

// storeErrors finds the store's errors among what an error wraps.
func storeErrors(err error) []*store.Error {
	switch e := err.(type) { //nolint:errorlint // it walks the tree itself, to find them all
	case *store.Error:
		return []*store.Error{e}
	case interface{ Unwrap() error }:
		return storeErrors(e.Unwrap())
	case interface{ Unwrap() []error }:
		var all []*store.Error
		for _, one := range e.Unwrap() {
			all = append(all, storeErrors(one)...)
		}
		return all
	}
	return nil
}
