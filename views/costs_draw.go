package views

import "strconv"

// costGroups are what costs can be grouped by.
var costGroups = []string{"team", "member", "label", "gpu_model", "instance"}

func ledgerClass(v CostsPage) string {
	if v.TotalMicros == v.LedgerMicros {
		return "good"
	}
	return "bad"
}

// dayAverage is the mean of the days that are not to come.
func dayAverage(days []CostDay) int64 {
	sum, n := int64(0), int64(0)
	for _, d := range days {
		if !d.Future {
			sum, n = sum+d.Micros, n+1
		}
	}
	if n == 0 {
		return 0
	}
	return sum / n
}

// dayScale places bars in a plot of 100 units a day × 100, which stretches.
type dayScale struct {
	most int64
	n    int
}

func dayScaleOf(days []CostDay) dayScale {
	s := dayScale{most: 1, n: max(1, len(days))}
	for _, d := range days {
		s.most = max(s.most, d.Micros)
	}
	return s
}

func monthScaleOf(months []CostMonth) dayScale {
	s := dayScale{most: 1, n: max(1, len(months))}
	for _, m := range months {
		s.most = max(s.most, m.Micros)
	}
	return s
}

// monthOpacity lets the month that the page is about stand out.
func monthOpacity(m CostMonth) string {
	if m.Current {
		return "1"
	}
	return "0.5"
}

// change is how much more this is than last in per cent, and nothing where there is nothing to compare with.
func (f Format) change(this, last int64) string {
	if last <= 0 || this < 0 {
		return Dash
	}
	for last > 1_000_000_000 {
		this, last = this/1000, last/1000
	}
	permille := (min(this, last*100) - last) * 1000 / last
	if permille < 0 {
		return minus + Percent(-permille)
	}
	return "+" + Percent(permille)
}

func (s dayScale) box() string      { return "0 0 " + strconv.Itoa(s.n*100) + " 100" }
func (s dayScale) x(day int) string { return strconv.Itoa(day*100 + 14) }

func (s dayScale) tall(micros int64) float64 {
	return 100 * float64(max(0, micros)) / float64(s.most)
}
func (s dayScale) height(micros int64) string { return coordinate(s.tall(micros)) }
func (s dayScale) y(micros int64) string      { return coordinate(100 - s.tall(micros)) }

func (s dayScale) highest() int64 {
	if s.most == 1 {
		return 0
	}
	return s.most
}

// labels are the amounts beside the plot, the highest first; nothing but zero where there is none.
func (s dayScale) labels(f Format) []string {
	if s.most == 1 {
		return []string{"", "", f.Scaled(0, 0)}
	}
	return []string{f.Scaled(s.most, s.most), f.Scaled(s.most/2, s.most), f.Scaled(0, s.most)}
}

// firstPage leads back to a list's first page, from another one.
func firstPage(path, cursor string, pairs ...string) string {
	if cursor == "" {
		return ""
	}
	return link(path, pairs...)
}

// nextPage leads on, where a list goes on.
func nextPage(path, next string, pairs ...string) string {
	if next == "" {
		return ""
	}
	return link(path, append(pairs, "cursor", next)...)
}
