package uitest

import "testing"

// drawn are the charts in which a line is to be seen: points of the colour that the first line of the key has.
const drawn = `[...document.querySelectorAll("[data-chart]")].filter(box => {
	const canvas = box.querySelector("canvas");
	if (!canvas?.width) return false;
	const colour = getComputedStyle(box.parentElement.querySelector(".key line")).stroke.match(/\d+/g).map(Number);
	const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
	for (let i = 0; i < data.length; i += 4) {
		if (data[i + 3] > 100 && colour.every((c, j) => Math.abs(c - data[i + j]) < 40)) return true;
	}
	return false;
}).map(box => box.dataset.chart).join(" ")`

func TestALaptopShowsChartsAndTerminalOnOneScreenFromTheFirstSecondOn(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	admin := c.asAdmin()
	id := c.rent(admin, "fresh", "sleep 600")
	b := newTab(t, c, admin, screen{width: 1280, height: 757})
	b.visit("/instances/" + id)
	b.until("live figures", says("live"))
	b.until("lines in all charts", drawn+` === "utilization memory_used power cost"`)
	if n := eval[int](b, `document.querySelectorAll(".u-over").length`); n != 4 {
		t.Errorf("%d charts, want 4", n)
	}
	b.see(".xterm-rows")
	for what, selector := range map[string]string{"the charts": ".charts", "the terminal's first lines": ".xterm-rows > div:nth-child(5)"} {
		if below := eval[int](b, `Math.ceil(document.querySelector(`+quote(selector)+`).getBoundingClientRect().bottom + scrollY - innerHeight)`); below > 0 {
			t.Errorf("%s: %d px are below the screen", what, below)
		}
	}
}
