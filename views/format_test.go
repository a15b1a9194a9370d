package views

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/web/lang"
)

// plain turns the blanks that don't break into blanks.
func plain(s string) string { return strings.ReplaceAll(s, nbsp, " ") }

func TestMoneyIsWrittenToItsPlacesAndRoundedHalfAway(t *testing.T) {
	usd, chf := Format{Currency: "USD"}, Format{Currency: "CHF"}
	cases := []struct{ got, want string }{
		{usd.Rate(2_500_000), "$2.5000"},
		{usd.Cost(7_427_380), "$7.4274"},
		{usd.Cost(7_427_350), "$7.4274"},
		{usd.Cost(7_427_349), "$7.4273"},
		{usd.Cost(-7_427_350), "−$7.4274"},
		{usd.Amount(412_600_000), "$412.60"},
		{usd.Amount(1_857_500_000), "$1,857.50"},
		{usd.Amount(412_604_200), "$412.60"},
		{usd.Amount(0), "$0.00"},
		{usd.Amount(250_000), "$0.25"},
		{usd.Amount(14_200), "$0.0142"},
		{usd.Amount(14_201), "$0.0142"},
		{usd.Amount(4_200), "$0.0042"},
		{usd.Amount(-4_999), "−$0.004999"},
		{usd.Amount(1), "$0.000001"},
		{usd.Exact(7_427_380), "$7.427380"},
		{usd.Exact(math.MaxInt64), "$9,223,372,036,854.775807"},
		{usd.Exact(math.MinInt64), "−$9,223,372,036,854.775808"},
		{usd.Amount(math.MinInt64), "−$9,223,372,036,854.78"},
		{chf.Rate(2_500_000), "CHF 2.5000"},
		{Format{}.Rate(1), "$0.0000"},
		{Plain(3_199_760), "3.199760"},
		{PlainRate(2_664_000), "2.6640"},
	}
	for _, c := range cases {
		if plain(c.got) != c.want {
			t.Errorf("got %q, want %q", plain(c.got), c.want)
		}
	}
}

func TestSizesAndSharesAreWritten(t *testing.T) {
	cases := []struct{ got, want string }{
		{Bytes(80 << 30), "80 GiB"}, {Bytes(65_712_000_000), "61.2 GiB"}, {Bytes(0), "0 GiB"}, {Bytes(1), "1 MiB"}, {Bytes(512 << 20), "512 MiB"},
		{Bytes(1 << 60), "1,073,741,824 GiB"}, {Bytes(-1), Dash}, {Bytes(math.MaxInt64), "8,589,934,591 GiB"},
		{Percent(970), "97 %"}, {Percent(974), "97 %"}, {Percent(975), "98 %"}, {Percent(0), "0 %"}, {Percent(4), "0.4 %"}, {Percent(1210), "121 %"}, {SharePercent(Share(math.MaxInt64, 1)), "> 999 %"},
		{Watts(352_499), "352 W"}, {Watts(1_500_000), "1,500 W"}, {Celsius(64), "64 °C"},
		{Number(1_234_567), "1,234,567"}, {Number(-1234), "−1,234"}, {Number(math.MinInt64), "−9,223,372,036,854,775,808"},
		{Figure(11.844), "11.84"}, {Figure(1790.4), "1,790"}, {Figure(261.96), "262.0"}, {Figure(0), "0"}, {Figure(0.01234), "0.0123"},
		{Figure(math.NaN()), Dash}, {Figure(math.Inf(1)), Dash}, {Quantity(281, "TFLOPS"), "281.0 TFLOPS"}, {Spread(0.0412), "4.1 %"},
	}
	for _, c := range cases {
		if plain(c.got) != c.want {
			t.Errorf("got %q, want %q", plain(c.got), c.want)
		}
	}
}

func TestShareFitsABar(t *testing.T) {
	cases := []struct{ part, whole, want int64 }{{1, 2, 500}, {0, 5, 0}, {5, 0, 0}, {-5, 10, 0}, {12, 10, 1200}, {math.MaxInt64, 1, 9999}, {math.MaxInt64, math.MaxInt64, 1000}}
	for _, c := range cases {
		if got := Share(c.part, c.whole); got != c.want {
			t.Errorf("Share(%d, %d) = %d, want %d", c.part, c.whole, got, c.want)
		}
	}
}

func TestDurationsLeaveOutWhatIsZeroInFront(t *testing.T) {
	en, zh := Format{}, Format{T: lang.Chinese}
	cases := []struct{ got, want string }{
		{en.Duration(4324 * time.Second), "1 h 12 m 04 s"}, {en.Duration(570 * time.Second), "9 m 30 s"}, {en.Duration(4 * time.Second), "4 s"},
		{en.Duration(0), "0 s"}, {en.Duration(-time.Hour), "0 s"}, {en.Duration(50 * time.Hour), "2 d 2 h 00 m"}, {zh.Duration(4324 * time.Second), "1 小时 12 分 04 秒"},
		{en.Seconds(59), "59 s"},
		{en.Precisely(41904 * time.Millisecond), "41.904 s"}, {en.Precisely(4324123456 * time.Microsecond), "1 h 12 m 04.123 s"}, {en.Precisely(time.Hour), "1 h 00 m 00 s"},
		{en.Precisely(50*time.Hour + 500*time.Millisecond), "50 h 00 m 00.500 s"}, {en.Precisely(500 * time.Millisecond), "0.500 s"}, {zh.Precisely(61500 * time.Millisecond), "1 分 01.500 秒"},
	}
	for _, c := range cases {
		if plain(c.got) != c.want {
			t.Errorf("got %q, want %q", plain(c.got), c.want)
		}
	}
}

func TestTimesAreInTheSitesZone(t *testing.T) {
	f, zh := Format{Zone: berlin}, Format{T: lang.Chinese, Zone: berlin}
	summer := time.Date(2026, 7, 31, 22, 30, 5, 0, time.UTC) // already August there
	cases := []struct{ got, want string }{
		{f.Clock(summer), "00:30"}, {f.ClockSeconds(summer), "00:30:05"}, {f.Day(summer), "Sat 1 Aug"}, {f.Date(summer), "1 Aug 2026"}, {f.Month(summer), "August 2026"},
		{zh.Day(summer), "8月1日 周六"}, {zh.Date(summer), "2026年8月1日"}, {zh.Month(summer), "2026年8月"},
		{f.ZoneName(summer), "Europe/Berlin (CEST)"}, {f.ZoneName(sampleNow), "Europe/Berlin (CET)"}, {Format{}.ZoneName(summer), "UTC"}, {ISO(summer), "2026-07-31T22:30:05Z"},
		{f.Near(at(18, 0, 0), sampleNow), "18:00"}, {f.Near(at(18, 0, 0).AddDate(0, 0, 2), sampleNow), "Thu 3 Dec 18:00"}, {f.Near(summer.AddDate(1, 0, 0), sampleNow), "1 Aug 2027 00:30"},
		{f.Day(f.periodEnd(time.Date(2027, 1, 1, 0, 0, 0, 0, berlin))), "Thu 31 Dec"},
	}
	for _, c := range cases {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestMailTextCanNotBeForged(t *testing.T) {
	m := BudgetMail{MailBase: MailBase{To: "A\r\nBcc: everybody"}, Budget: "x\r\nSubject: y", Team: "t\u2028z"}.Letter()
	if strings.ContainsAny(m.Subject(), "\r\n\u2028") {
		t.Errorf("the subject has more than one line: %q", m.Subject())
	}
	for line := range strings.SplitSeq(m.Text(), "\n") {
		if strings.HasPrefix(line, "Bcc:") || strings.HasPrefix(line, "Subject:") {
			t.Errorf("a name became a line of its own: %q", line)
		}
	}
}
