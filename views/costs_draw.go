package views

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

// dayScale places bars in a plot of 890 × 150 units.
type dayScale struct {
	most int64
	n    int
}

const dayTop, dayHeight, dayWidth = 14.0, 150.0, 890.0

func dayScaleOf(days []CostDay) dayScale {
	s := dayScale{most: 1, n: max(1, len(days))}
	for _, d := range days {
		s.most = max(s.most, d.Micros)
	}
	return s
}

func (s dayScale) step() float64 { return dayWidth / float64(s.n) }
func (s dayScale) width() string { return coordinate(s.step() * 0.72) }
func (s dayScale) x(i int) string {
	return coordinate(s.step() * (float64(i) + 0.14))
}
func (s dayScale) middle(i int) string { return coordinate(s.step() * (float64(i) + 0.5)) }
func (s dayScale) tall(micros int64) float64 {
	return dayHeight * float64(max(0, micros)) / float64(s.most)
}
func (s dayScale) height(micros int64) string { return coordinate(s.tall(micros)) }
func (s dayScale) y(micros int64) string      { return coordinate(dayTop + dayHeight - s.tall(micros)) }

func (s dayScale) grid(f Format) []gridLine {
	lines := make([]gridLine, 0, 3)
	for i := range int64(3) {
		y := dayTop + dayHeight*(1-float64(i)/2)
		lines = append(lines, gridLine{y: coordinate(y), textY: coordinate(y + 4), text: f.Amount(s.most * i / 2)})
	}
	return lines
}
