package web

import (
	"encoding/json"
	"maps"

	"github.com/meterhouse/meterhouse/store"
)

// keyField is what a form that makes something carries its key in.
const keyField = "idempotency_key"

// request is what a form asks for, under the key that its page gave it. A key is good for the address that the form is
// sent to: all forms of a page may carry the same.
func (c *call) request() store.Request {
	key := c.text(keyField)
	if key == "" {
		return store.Request{}
	}
	sent := maps.Clone(c.Request().PostForm)
	delete(sent, csrfField) // another session of the person may send it again
	delete(sent, keyField)
	path := c.Request().URL.Path
	return store.NewRequest("form "+path+" "+key, post, path, sent.Encode())
}

// bodyRequest is what a body of the API asks for, under its key, which is taken out of it: key points into body.
func (c *call) bodyRequest(key *string, body any) (store.Request, error) {
	own := *key
	if own == "" {
		return store.Request{}, nil
	}
	*key = ""
	text, err := json.Marshal(body)
	return store.NewRequest(own, c.Request().Method, c.Request().URL.Path, string(text)), err
}

// sentBefore says of a form whose key was used for other content that it may simply be sent once more: the page that comes
// back gives it another key.
func sentBefore(err error) error {
	if e := explain(err); e.Message == "idempotency_key_reused" {
		return &store.Error{Kind: store.Conflict, Message: "form_sent_before", Err: err}
	}
	return err
}
