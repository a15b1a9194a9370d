package main

import (
	"strings"
	"testing"
)

// What ends a line could add a header to a mail, or a line to what a script reads.
func TestNoLineBreakGetsIntoANameOrAnAddressAtTheTerminal(t *testing.T) {
	dir := dataWithPeople(t)
	const broken = "a\r\nBcc: x@example.org"
	for _, args := range [][]string{
		{"admin", "user", "add", broken, "--email", "n@example.com", "--team", "t"},
		{"admin", "user", "add", "new", "--email", "n@example.com\nBcc: x@example.org", "--team", "t"},
		{"admin", "user", "add", "new", "--email", "n@example.com", "--team", broken},
		{"admin", "user", "add", "a\u202Eb", "--email", "n@example.com", "--team", "t"},
		{"admin", "token", "create", "--user", "boss", "--name", broken},
	} {
		code, out, errOut := typed(t, nil, "", append(args, "--data", dir)...)
		if code != exitFailed || out != "" || !strings.Contains(errOut, "characters that are not allowed") {
			t.Errorf("%q: status %d, %q, %q", args, code, out, errOut)
		}
	}
	code, _, errOut := typed(t, nil, "", "serve", "--listen", "127.0.0.1:0", "--data", t.TempDir(), "--smtp", "smtp://127.0.0.1:1", "--mail-from", broken)
	if code == exitDone || !strings.Contains(errOut, "mail") {
		t.Errorf("a sender with a line break: status %d, %q", code, errOut)
	}
}
