package lang

import (
	"fmt"
	"strings"
	"time"
)

// Duration writes a length of time; what is zero in front is left out.
func (t T) Duration(days, hours, minutes, seconds int64) string {
	return t.DurationOf(days, hours, minutes, fmt.Sprintf("%02d", seconds))
}

// DurationOf is Duration with its seconds written already, of two digits before the point.
func (t T) DurationOf(days, hours, minutes int64, seconds string) string {
	d, h, m, s := "d", "h", "m", "s"
	if t.zh {
		d, h, m, s = "天", "小时", "分", "秒"
	}
	const sp = "\u00a0"
	switch {
	case days > 0 && !strings.Contains(seconds, "."):
		return fmt.Sprintf("%d"+sp+"%s"+sp+"%d"+sp+"%s"+sp+"%02d"+sp+"%s", days, d, hours, h, minutes, m)
	case days > 0 || hours > 0:
		return fmt.Sprintf("%d"+sp+"%s"+sp+"%02d"+sp+"%s"+sp+"%s"+sp+"%s", days*24+hours, h, minutes, m, seconds, s)
	case minutes > 0:
		return fmt.Sprintf("%d"+sp+"%s"+sp+"%s"+sp+"%s", minutes, m, seconds, s)
	}
	if len(seconds) > 1 && seconds[0] == '0' && seconds[1] != '.' {
		seconds = seconds[1:]
	}
	return seconds + sp + s
}

var zhWeekdays = [...]string{"周日", "周一", "周二", "周三", "周四", "周五", "周六"}

// Day is a date without its year.
func (t T) Day(w time.Weekday, day int, m time.Month) string {
	return t.pick(fmt.Sprintf("%s %d %s", w.String()[:3], day, m.String()[:3]),
		fmt.Sprintf("%d月%d日 %s", m, day, zhWeekdays[w]))
}

// ShortDay is a date without its weekday.
func (t T) ShortDay(day int, m time.Month) string {
	return t.pick(fmt.Sprintf("%d %s", day, m.String()[:3]), fmt.Sprintf("%d月%d日", m, day))
}

// Date is a date with its year.
func (t T) Date(day int, m time.Month, year int) string {
	return t.pick(fmt.Sprintf("%d %s %d", day, m.String()[:3], year), fmt.Sprintf("%d年%d月%d日", year, m, day))
}

// MonthYear is a month.
func (t T) MonthYear(m time.Month, year int) string {
	return t.pick(fmt.Sprintf("%s %d", m, year), fmt.Sprintf("%d年%d月", year, m))
}

// Units are the units of Duration, for scripts: days, hours, minutes, seconds.
func (t T) Units() string { return t.pick("d,h,m,s", "天,小时,分,秒") }

// SecondsUnit is the unit of a number of seconds.
func (t T) SecondsUnit() string { return t.pick("s", "秒") }
