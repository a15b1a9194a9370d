package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// keepToken makes the secret of a link with which the reader of a mail, without signing in, says that an instance is needed.
// It holds until a moment, and for the instance of one time of being idle.
func (t *tx) keepToken(spell int64, until time.Time) (string, error) {
	var key []byte
	if err := t.row("SELECT key FROM mail_key").Scan(&key); err != nil {
		return "", err
	}
	said := fmt.Sprintf("%d.%d", spell, until.Unix())
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("keep " + said))
	return said + "." + hex.EncodeToString(mac.Sum(nil)[:16]), nil
}

// InstanceOfKeep returns the instance that a link of a mail keeps. NotFound for any other secret, and when it is past.
func (s *Store) InstanceOfKeep(ctx context.Context, token string) (i Instance, err error) {
	err = s.read(ctx, func(t *tx) error {
		i, err = t.instanceOfKeep(token)
		return err
	})
	return i, err
}

func (t *tx) instanceOfKeep(token string) (Instance, error) {
	unknown := &Error{Kind: NotFound, Message: "keep_link_unknown"}
	first, rest, _ := strings.Cut(token, ".")
	second, _, _ := strings.Cut(rest, ".")
	spell, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		return Instance{}, unknown
	}
	until, err := strconv.ParseInt(second, 10, 64)
	if err != nil {
		return Instance{}, unknown
	}
	want, err := t.keepToken(spell, time.Unix(until, 0))
	switch {
	case err != nil:
		return Instance{}, err
	case !hmac.Equal([]byte(want), []byte(token)):
		return Instance{}, unknown
	case t.now.Unix() >= until:
		return Instance{}, &Error{Kind: NotFound, Message: "keep_link_past"}
	}
	var id string
	if err := t.row("SELECT instance_id FROM idle_spell WHERE id = ?", spell).Scan(&id); err != nil {
		return Instance{}, orNotFound(err, "instance", first)
	}
	return t.instance(id)
}

// KeepByLink is Keep by who has the link of a mail.
func (s *Store) KeepByLink(ctx context.Context, token string) (i Instance, err error) {
	err = s.write(ctx, func(t *tx) error {
		if i, err = t.instanceOfKeep(token); err != nil {
			return err
		}
		return t.keep(&i, "")
	})
	return i, err
}
