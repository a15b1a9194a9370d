package store

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
)

// The letters of ids: no i, l, o, u, which are misread.
var idLetters = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

const idLength = 12 // 60 bits: a UNIQUE rule refuses the one collision in an age

// newID returns a fresh id such as "i-4k2m9x0w7h3d".
func newID(prefix string) string { return prefix + randomText(idLength) }

// randomText returns n letters of a secure random source, 5 bits each.
func randomText(n int) string {
	raw := make([]byte, (n*5+7)/8)
	_, _ = rand.Read(raw) // never fails, by its documentation
	return idLetters.EncodeToString(raw)[:n]
}

// secretHash is what is kept of a secret that is random enough to need no salt.
func secretHash(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// shortHash is a fixed short name for something, such as a recipient in a Message-ID.
func shortHash(text string) string { return idLetters.EncodeToString(secretHash(text)[:10]) }
