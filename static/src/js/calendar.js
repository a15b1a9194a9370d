// The calendar: a time that is chosen by dragging, or by keys, fills the form; and each time is shown in the browser's zone
// too where that differs from the site's. The form works without any of it.
const lanes = document.querySelector("[data-calendar]");
const form = document.getElementById("reserve");

const lang = document.documentElement.lang;
const own = Intl.DateTimeFormat().resolvedOptions().timeZone;

function parts(ms, zone) {
  const f = new Intl.DateTimeFormat("en-CA", {
    timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", hourCycle: "h23",
  });
  return Object.fromEntries(f.formatToParts(ms).map((p) => [p.type, p.value]));
}

// wall is a moment as a field for a date and time has it.
function wall(ms, zone) {
  const p = parts(ms, zone);
  return `${p.year}-${p.month}-${p.day}T${p.hour}:${p.minute}`;
}

const spoken = (ms, zone, more) =>
  new Intl.DateTimeFormat(lang, { timeZone: zone, weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23", ...more }).format(ms);

function bothZones() {
  for (const at of document.querySelectorAll("[data-zones]:not([data-done])")) {
    at.dataset.done = "";
    const ms = Date.parse(at.querySelector("time").dateTime);
    if (wall(ms, own) === wall(ms, at.dataset.zones)) continue;
    const text = document.createElement("span");
    text.className = "soft small";
    text.textContent = at.dataset.says.replace("{}", spoken(ms, own, { timeZoneName: "short" }));
    at.append(" ", text);
  }
}
bothZones();
for (const f of document.querySelectorAll("#reserve, #extend")) new MutationObserver(bothZones).observe(f, { childList: true, subtree: true });

function choosing() {
  const { zone, keys, begun, chosen, free } = lanes.dataset;
  const from = Date.parse(lanes.dataset.from), to = Date.parse(lanes.dataset.to);
  const step = Number(lanes.dataset.step) * 60000, day = 86400000;
  const cells = [...lanes.querySelectorAll("td[data-lane]")];
  if (!cells.length) return;

  const make = (name, attributes) => lanes.insertBefore(Object.assign(document.createElement("div"), { className: name, ...attributes }), lanes.firstChild);
  const said = make("hidden-text", { role: "status" });
  const pick = make("pick", { hidden: true });
  const cursor = make("cursor", { role: "slider", tabIndex: 0, ariaLabel: keys, ariaValueMin: "0", ariaValueMax: String((to - from) / step) });

  let at = Math.min(Math.max(from, Math.ceil(Date.now() / step) * step), to - step), lane = 0, begin = null;

  const clamp = (ms) => Math.min(Math.max(ms, from), to);
  const moment = (cell, x) => {
    const r = cell.getBoundingClientRect();
    return from + ((x - r.left) / r.width) * (to - from);
  };
  const snap = (ms, round) => clamp(from + round((ms - from) / step) * step);

  function put(element, cell, a, b) {
    const r = cell.getBoundingClientRect(), box = lanes.getBoundingClientRect();
    const x = (ms) => ((ms - from) / (to - from)) * r.width;
    Object.assign(element.style, {
      left: `${r.left - box.left + lanes.scrollLeft + x(a)}px`, top: `${r.top - box.top}px`, width: `${Math.max(2, x(b) - x(a))}px`, height: `${r.height}px`,
    });
  }

  function fill(cell, a, b) {
    const { start, end, plan } = form.elements;
    if ([...plan.options].some((o) => o.value === cell.dataset.plan)) plan.value = cell.dataset.plan;
    start.value = wall(a, zone);
    end.value = wall(b, zone);
    end.dispatchEvent(new Event("change", { bubbles: true }));
    pick.hidden = false;
    put(pick, cell, a, b);
    said.textContent = chosen.replace("{}", `${spoken(a, zone)} – ${spoken(b, zone)}`);
  }

  // What is at a moment in a lane, in the words of the drawing.
  function what(cell) {
    const r = cell.getBoundingClientRect(), x = r.left + ((at - from) / (to - from)) * r.width + 1;
    const span = [...cell.querySelectorAll(".span")].find((s) => {
      const b = s.getBoundingClientRect();
      return b.left <= x && x < b.right;
    });
    return span ? span.title : free;
  }

  function show() {
    const cell = cells[lane];
    put(cursor, cell, at, Math.min(at + step, to));
    cursor.ariaValueNow = String(Math.round((at - from) / step));
    cursor.ariaValueText = `${cell.dataset.lane}, ${spoken(at, zone)}, ${what(cell)}`;
    if (begin === null) return;
    pick.hidden = false;
    put(pick, cell, Math.min(begin, at), Math.max(begin, at));
  }

  cursor.addEventListener("focus", show);
  cursor.addEventListener("keydown", (event) => {
    const by = event.shiftKey || event.key.startsWith("Page") ? day : step;
    switch (event.key) {
      case "ArrowRight": case "PageDown": at = clamp(at + by); break;
      case "ArrowLeft": case "PageUp": at = clamp(at - by); break;
      case "ArrowDown": lane = Math.min(lane + 1, cells.length - 1); break;
      case "ArrowUp": lane = Math.max(lane - 1, 0); break;
      case "Home": at = from; break;
      case "End": at = to - step; break;
      case "Escape": begin = null; pick.hidden = true; said.textContent = ""; break;
      case "Enter": case " ":
        if (begin === null) {
          begin = at;
          said.textContent = begun.replace("{}", spoken(at, zone));
        } else if (at !== begin) {
          fill(cells[lane], Math.min(begin, at), Math.max(begin, at));
          begin = null;
        }
        break;
      default: return;
    }
    event.preventDefault();
    show();
  });

  for (const cell of cells) {
    cell.addEventListener("pointerdown", (down) => {
      if (down.button !== 0 || down.pointerType === "touch" || down.target.closest("a")) return;
      down.preventDefault();
      cell.setPointerCapture(down.pointerId);
      const start = moment(cell, down.clientX);
      const ends = (x) => {
        const now = moment(cell, x);
        return [snap(Math.min(start, now), Math.floor), snap(Math.max(start, now), Math.ceil)];
      };
      const move = (event) => {
        pick.hidden = false;
        put(pick, cell, ...ends(event.clientX));
      };
      const up = (event) => {
        cell.removeEventListener("pointermove", move);
        const [a, b] = ends(event.clientX);
        if (Math.abs(event.clientX - down.clientX) < 4) pick.hidden = true;
        else if (a < b) fill(cell, a, b);
      };
      cell.addEventListener("pointermove", move);
      cell.addEventListener("pointerup", up, { once: true });
      cell.addEventListener("pointercancel", () => cell.removeEventListener("pointermove", move), { once: true });
    });
  }
  addEventListener("resize", () => { pick.hidden = true; });
  show();
}
if (lanes && form) choosing();
