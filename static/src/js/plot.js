// One live chart: a line a GPU, gaps where nothing is known, the scale on the right as in a ledger.
import uPlot from "../../third_party/uplot/uPlot.esm.js";

const HEIGHT = 132;
const TICKS = [60, 120, 300]; // s between the times below
const LABEL = 46; // px that a time needs for itself
const DASHES = [[], [6, 3], [2, 2], [8, 2, 2, 2]];
const THIN = 1.5, UNDER = 2.5, UNDERS = 2; // px: a line, what each that lies under it is wider, so that equal values hide none

// roundUp is the next number that a scale may well end at.
function roundUp(x) {
  if (!(x > 0)) return 1;
  const unit = 10 ** Math.floor(Math.log10(x));
  return [1, 2, 2.5, 4, 5, 6, 8, 10].find((n) => n * unit >= x) * unit;
}

// ticks are the times below: whole minutes, as far as there is room, and now at the end.
function ticks(from, to, width) {
  const times = [], room = ((to - from) * LABEL) / Math.max(LABEL, width);
  const step = TICKS.find((t) => t >= Math.max(room, (to - from) / 5)) ?? TICKS.at(-1);
  for (let x = Math.ceil(from / step) * step; x < to - room; x += step) times.push(x);
  return [...times, to];
}

function styleOf(element, name, fallback) {
  return element ? getComputedStyle(element)[name] : fallback;
}

// make draws a chart into box. lines are the key's samples, whose colours it takes; onHover is told the index under the
// pointer, null where there is none.
export function make(box, { lines, top, zone, lang, now, onHover }) {
  const soft = styleOf(box.closest(".sheet").querySelector(".age"), "color", "gray");
  const rule = styleOf(box.closest(".sheet"), "borderTopColor", "gray");
  const font = "10px " + styleOf(document.body, "fontFamily", "sans-serif");
  const clock = new Intl.DateTimeFormat(lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: zone });
  const options = {
    width: Math.max(120, box.clientWidth), height: HEIGHT, legend: { show: false }, padding: [6, 0, 0, 12],
    cursor: { drag: { x: false, y: false }, points: { size: 6 }, y: false },
    scales: {
      x: { time: true },
      y: { range: (_, low, high) => [0, top ?? roundUp(high)] },
    },
    axes: [
      { stroke: soft, font, size: 26, gap: 8, grid: { show: false }, ticks: { show: false }, splits: (u, axis, from, to) => ticks(from, to, u.width - 50),
        values: (_, splits) => splits.map((x, i) => (i === splits.length - 1 ? now : clock.format(x * 1000))) },
      { side: 1, stroke: soft, font, size: 32, gap: 4, splits: (_, axis, low, high) => [0, high / 2, high], grid: { stroke: rule, width: 1 }, ticks: { show: false }, space: 44 },
    ],
    series: [{}, ...lines.map((line, i) => ({
      stroke: styleOf(line, "stroke", soft), width: THIN + UNDER * Math.min(UNDERS, lines.length - 1 - i), dash: DASHES[Math.floor(i / 4) % DASHES.length], spanGaps: false,
      points: { show: (u) => u.data[0].length === 1, size: 4 }, // one alone makes no line
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
