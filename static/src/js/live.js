// Live figures: one websocket a page, resumed where it broke. What is old is never shown as new.
import { decode } from "./frames.js";
import { metrics, money } from "./metrics.js";
import { make } from "./plot.js";
import { Series } from "./series.js";

const SUBPROTOCOL = "meterhouse.live.v1";
const OLD = 3000, LOST = 10000; // ms: from when on the age is shown, and from when on the value is not
const FIRST_WAIT = 500, LONGEST_WAIT = 15000; // ms between tries

const root = document.querySelector("[data-live]");
const words = root?.dataset ?? {};
const series = new Series();
let state = null, status = words.status, heard = 0, open = false, ended = false, wait = FIRST_WAIT;
const charts = new Map(); // by the box that each is drawn in

function connect() {
  const url = new URL(words.live, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  if (state) url.searchParams.set("after", state.seq);
  const socket = new WebSocket(url, SUBPROTOCOL);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => { open = true; };
  socket.onmessage = (event) => {
    if (typeof event.data === "string") return finish(JSON.parse(event.data));
    try {
      take(decode(event.data, state));
      wait = FIRST_WAIT;
    } catch {
      state = null; // a gap in the frames: begin with a keyframe
      socket.close();
    }
  };
  socket.onclose = () => {
    open = false;
    showAge();
    if (ended) return;
    setTimeout(connect, wait * (0.75 + Math.random() / 2));
    wait = Math.min(wait * 2, LONGEST_WAIT);
  };
}

function finish(message) {
  if (message.type !== "end") return;
  ended = true;
  refresh();
}

// refresh fetches the page's words anew, and charts and a terminal where there are some now. Whoever is signed out comes to
// sign in.
const refresh = () => document.body.dispatchEvent(new Event("refresh"));

function take(frame) {
  if (frame.kind === "backfill") {
    series.merge(frame.points);
  } else {
    if (state && state.gpus.map((g) => g.uuid).join() !== frame.gpus.map((g) => g.uuid).join()) series.clear();
    state = frame;
    heard = performance.now();
    series.add(frame);
    follow(frame.instance);
  }
  show();
}

// follow notices that the instance's state has changed: the page's words about it are fetched anew.
function follow(instance) {
  if (!instance || instance.status === status) return;
  status = instance.status;
  refresh();
}

// keep takes from what is put in place what must stay as it is: the last charts and screen of what ends, and the log in
// which somebody has marked something.
function keep({ detail: { tasks } }) {
  const marked = getSelection();
  const reads = !marked.isCollapsed && document.getElementById("log")?.contains(marked.anchorNode);
  const stays = (part) => part?.dataset.status === "stopping" || (reads && part?.id === "log");
  tasks.splice(0, tasks.length, ...tasks.filter((task) => !stays(task.fragment.firstElementChild)));
}

function show() {
  if (!state) return;
  for (const gpu of state.gpus) {
    for (const tile of document.querySelectorAll(`[data-gpu="${CSS.escape(gpu.uuid)}"]`)) {
      if (tile.dataset.now) showValue(tile, gpu, tile.dataset.now);
      for (const part of tile.querySelectorAll("[data-now]")) showValue(part, gpu, part.dataset.now);
      for (const bar of tile.querySelectorAll("[data-bar]")) showBar(bar, gpu);
      const read = tile.querySelector("[data-read]");
      if (read) read.textContent = gpu.age < OLD ? words.textNow : ageText(gpu.age);
    }
  }
  if (state.instance) {
    for (const cost of document.querySelectorAll("[data-live-cost]")) cost.textContent = money(words.sign, state.instance.cost, 4);
  }
  for (const chart of charts.values()) chart.show();
  showAge();
}

function showValue(element, gpu, name) {
  const metric = metrics[name];
  if (!metric) return;
  const value = gpu.age > LOST ? undefined : gpu.values[metric.number];
  if (value !== undefined) {
    element.textContent = metric.write(value);
    element.removeAttribute("title");
    return;
  }
  const why = gpu.age > LOST ? ageText(gpu.age) : words["why-" + (gpu.why[metric.number] ?? 0)];
  const dash = document.createElement("span"), said = document.createElement("span");
  dash.textContent = "–";
  dash.setAttribute("aria-hidden", "true");
  said.className = "hidden-text";
  said.textContent = words.textUnknown + why;
  element.title = why;
  element.replaceChildren(dash, said);
}

function showBar(bar, gpu) {
  const value = gpu.values[metrics[bar.dataset.bar].number];
  const full = bar.dataset.bar === "utilization" ? 1000 : gpu.values[4];
  bar.setAttribute("width", value === undefined || !full || gpu.age > LOST ? 0 : Math.min(1000, Math.round((value / full) * 1000)));
}

const clock = new Intl.DateTimeFormat(words.lang || "en", { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23", timeZone: words.zone || "UTC" });

function ageText(age) {
  if (age < LOST) return words.textOld.replace("{}", Math.floor(age / 1000));
  return words.textLost.replace("{}", clock.format((state?.at ?? Date.now()) - age));
}

// showAge says how new all of it is; the oldest reading and the silence of the socket count alike.
function showAge() {
  const silence = state ? performance.now() - heard : 0;
  const age = silence + Math.max(0, ...(state?.gpus ?? []).map((g) => g.age));
  let text = words.textLive, old = false;
  if (ended) text = words.textEnded;
  else if (!open || !state) [text, old] = [words.textAgain, true];
  else if (age >= OLD) [text, old] = [ageText(age), true];
  for (const element of document.querySelectorAll("[data-live-state]:not([data-hover])")) {
    if (element.textContent !== text) element.textContent = text;
    element.classList.toggle("old", old);
  }
}

// setUp makes one chart under its key.
function setUp(box) {
  const name = box.dataset.chart, metric = metrics[name];
  const key = box.parentElement.querySelector(".key");
  const lines = [...key.querySelectorAll("line")];
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", box.dataset.title);
  const plot = make(box, { lines, top: metric?.top?.(root), zone: words.zone, lang: words.lang, now: words.textNow, onHover });
  const said = metric?.said ?? ((value) => money(words.sign, value, 6));
  const age = key.querySelector("[data-live-state]");
  let columns = [[]], hover = null;

  // onHover shows the values of the moment under the pointer, with its time, instead of those of now.
  function onHover(index) {
    if (index === hover) return;
    hover = index;
    age.toggleAttribute("data-hover", hover !== null);
    if (hover === null) show();
    else point();
  }

  function point() {
    key.querySelectorAll("[data-now]").forEach((element, i) => {
      const value = columns[i + 1]?.[hover];
      element.textContent = value === undefined || value === null ? "–" : said(value);
    });
    age.textContent = clock.format(columns[0][hover] * 1000);
  }

  return {
    show() {
      columns = metric ? series.columns(lines.length, metric.number, metric.draw) : series.cost();
      plot.draw(columns, ...series.span);
      const last = columns[1]?.at(-1);
      if (hover !== null && columns[0][hover] !== undefined) point();
      else if (!metric && last !== undefined && last !== null) key.querySelector("[data-now]").textContent = said(last);
    },
    end: plot.end,
  };
}

// draw makes the charts that the page has and are not there yet, and ends those that it has no more.
function draw() {
  for (const [box, chart] of charts) if (!box.isConnected) end(box, chart);
  for (const box of document.querySelectorAll("[data-chart]")) if (!charts.has(box)) charts.set(box, setUp(box));
  show();
}

function end(box, chart) {
  chart.end();
  charts.delete(box);
}

function drawAnew() {
  for (const [box, chart] of charts) end(box, chart);
  draw();
}

if (root) {
  draw();
  document.addEventListener("htmx:before:swap", keep);
  document.addEventListener("htmx:after:swap", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAnew);
  setInterval(showAge, 1000);
  connect();
}
