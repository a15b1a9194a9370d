package main

import (
	"errors"
	"fmt"

	"github.com/meterhouse/meterhouse/store"
)

// inWords is an error as a person at a terminal should read it.
func inWords(err error) string {
	var e *store.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	text := e.Error()
	if e.Field != "" {
		text = fmt.Sprintf("%s: %s", e.Field, text)
	}
	return text
}
