// One live chart: a line a GPU, gaps where nothing is known, the scale on the right as in a ledger.
import uPlot from "../../third_party/uplot/uPlot.esm.js";

const HEIGHT = 156;
const DASHES = [[], [6, 3], [2, 2], [8, 2, 2, 2]];

function styleOf(element, name, fallback) {
  return element ? getComputedStyle(element)[name] : fallback;
}

// make draws a chart into box. lines are the key's samples, whose colours it takes; onHover is told the index under the
// pointer, null where there is none.
export function make(box, { lines, top, zone, lang, onHover }) {
  const soft = styleOf(box.closest(".sheet").querySelector(".age"), "color", "gray");
  const rule = styleOf(box.closest(".sheet"), "borderTopColor", "gray");
  const font = "10px " + styleOf(document.body, "fontFamily", "sans-serif");
  const clock = new Intl.DateTimeFormat(lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: zone });
  const options = {
    width: Math.max(120, box.clientWidth), height: HEIGHT, legend: { show: false }, padding: [6, 0, 0, 4],
    cursor: { drag: { x: false, y: false }, points: { size: 6 }, y: false },
    scales: {
      x: { time: true },
      y: { range: (_, low, high) => [0, top ?? (high > 0 ? high * 1.15 : 1)] },
    },
    axes: [
      { stroke: soft, font, size: 22, gap: 2, grid: { show: false }, ticks: { show: false }, space: 70, incrs: [60, 300, 900],
        values: (_, splits) => splits.map((x) => clock.format(x * 1000)) },
      { side: 1, stroke: soft, font, size: 44, gap: 4, grid: { stroke: rule, width: 1 }, ticks: { show: false }, space: 44 },
    ],
    series: [{}, ...lines.map((line, i) => ({
      stroke: styleOf(line, "stroke", soft), width: 1.5, dash: DASHES[Math.floor(i / 4) % DASHES.length], spanGaps: false, points: { show: false },
    }))],
    hooks: { setCursor: [(u) => onHover(u.cursor.idx ?? null)] },
  };
  const chart = new uPlot(options, [[], ...lines.map(() => [])], box);
  const resize = new ResizeObserver(() => {
    const width = Math.max(120, box.clientWidth);
    if (width !== chart.width) chart.setSize({ width, height: HEIGHT });
  });
  resize.observe(box);
  return {
    draw(columns, from, to) {
      chart.batch(() => {
        chart.setData(columns, false);
        chart.setScale("x", { min: from, max: to });
        chart.setScale("y", {});
      });
    },
    end() {
      resize.disconnect();
      chart.destroy();
    },
  };
}
