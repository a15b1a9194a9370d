package web

import (
	"net/http"
	"time"
)

const (
	// bodyTime is how long a request's body may take to arrive, answerTime how long an answer may take to be taken. Websockets
	// and followed logs have deadlines of their own.
	bodyTime   = 30 * time.Second
	answerTime = 30 * time.Second
)

// hurry bounds how long a slow client may hold a request while its body is read; the returned function lifts it again. A
// connection that knows no deadlines has none.
func hurry(c *call) (relax func()) {
	r := http.NewResponseController(c.Response())
	_ = r.SetReadDeadline(time.Now().Add(bodyTime))
	return func() { _ = r.SetReadDeadline(time.Time{}) }
}

// hurryAnswer is the same for a client that does not take its answer.
func hurryAnswer(c *call) (relax func()) {
	r := http.NewResponseController(c.Response())
	_ = r.SetWriteDeadline(time.Now().Add(answerTime))
	return func() { _ = r.SetWriteDeadline(time.Time{}) }
}
