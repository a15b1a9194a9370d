package web

import "github.com/meterhouse/meterhouse/web/lang"

// quotaWords are those of what was done with limits and the inbox.
func (f flash) quotaWords(t lang.T) string {
	switch f.Key {
	case "quota_saved":
		return t.QuotaSaved()
	case "quota_ended":
		return t.QuotaEnded()
	case "quota_asked":
		return t.QuotaAsked()
	case "quota_taken_back":
		return t.QuotaTakenBack()
	case "quota_granted":
		return t.QuotaGranted(f.Name)
	case "quota_refused":
		return t.QuotaRefused(f.Name)
	case "quota_withdrawn":
		return t.QuotaWithdrawn()
	case "inbox_read":
		return t.InboxRead()
	}
	return f.idleWords(t)
}
