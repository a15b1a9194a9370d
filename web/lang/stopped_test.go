package lang

import (
	"strings"
	"testing"
)

// A notice knows neither who stopped an instance nor with what status it ended; no sentence may have a hole there.
func TestWhyItStoppedHasNoHoleWhereWhoAndStatusAreUnknown(t *testing.T) {
	for _, tag := range []string{"en", "zh"} {
		for _, reason := range []string{"person", "admin", "hours", "budget", "reservation", "reservation_ends", "maintenance", "drain", "exited", "failed", "lost"} {
			text := Match(tag).MailStoppedWhy(reason, "", "")
			if strings.HasPrefix(text, " ") || strings.HasPrefix(text, "由 ") || strings.Contains(text, " .") || strings.Contains(text, " 。") {
				t.Errorf("%s %s: %q", tag, reason, text)
			}
		}
	}
}

func TestARefusedOriginNamesTheFlagThatSetsIt(t *testing.T) {
	for _, tag := range []string{"en", "zh"} {
		if text := Match(tag).Error("origin_wrong", nil); !strings.Contains(text, "--public-url") {
			t.Errorf("%s: %q", tag, text)
		}
	}
}
