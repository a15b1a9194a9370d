package web

import (
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/views"
	"github.com/meterhouse/meterhouse/web/lang"
)

// words says what went wrong in the person's language.
func words(t lang.T, e *store.Error) string { return t.Error(string(e.Message), e.Args) }

// words says in the person's language what was done.
func (f flash) words(format views.Format, now time.Time) string {
	t := format.T
	switch f.Key {
	case "set_up":
		return t.SetupDone()
	case "signed_out":
		return t.SignedOut()
	case "rented":
		return t.Rented(f.Name)
	case "queued":
		return t.Queued(f.Name)
	case "stopping":
		return t.Stopping(f.Name)
	case "suspended":
		return t.Suspended(f.Name)
	case "resumed":
		return t.Resumed(f.Name)
	case "extended":
		return t.Extended(f.Name, format.Near(time.Unix(f.At, 0), now))
	case "reserved":
		return t.Reserved(f.Name)
	case "reservation_given_up":
		return t.ReservationGivenUp(f.Name)
	case "reservation_extended":
		return t.ReservationExtended(f.Name, format.Near(time.Unix(f.At, 0), now))
	case "feed_revoked":
		return t.FeedRevoked()
	case "bench_started":
		return t.BenchStarted(f.Name)
	case "bench_cancelled":
		return t.BenchCancelled()
	case "budget_saved":
		return t.BudgetSaved(f.Name)
	case "budget_deleted":
		return t.BudgetDeleted(f.Name)
	case "mail_test":
		return t.MailTestQueued(f.Name)
	case "mail_retried":
		return t.MailRetried()
	case "mail_dropped":
		return t.MailIsDropped()
	case "saved":
		return t.Saved()
	case "password_saved":
		return t.PasswordSaved()
	case "key_added":
		return t.KeyAdded(f.Name)
	case "deleted":
		return t.Deleted(f.Name)
	case "token_revoked":
		return t.TokenRevoked(f.Name)
	case "session_ended":
		return t.SessionEnded()
	}
	return f.bookWords(t)
}
