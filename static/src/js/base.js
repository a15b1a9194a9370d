// What every page has: partial refresh by htmx, dialogs, copying, undo and ages. Every page works without any of it.
import htmx from "../../third_party/htmx/htmx.esm.min.js";
import { agePattern, duration, words } from "./words.js";

htmx.config.morphSkip = "[data-skip]"; // what scripts write themselves
htmx.config.history = false;
htmx.config.includeIndicatorCSS = false;
htmx.config.defaultTimeout = 20000;

// A page that nobody looks at asks for nothing.
document.addEventListener("htmx:config:request", (event) => {
  const { ctx } = event.detail;
  if (document.hidden && ctx.sourceEvent?.type === "every") event.preventDefault();
});

// Only a page that has the wanted part replaces it; a sign-in page means that the session is over.
document.addEventListener("htmx:after:request", (event) => {
  const { ctx } = event.detail;
  const { raw, status } = ctx.response;
  if (raw.redirected && new URL(raw.url).pathname === "/login") {
    event.preventDefault();
    location.reload();
  } else if (status >= 400 && status !== 422) {
    event.preventDefault();
  }
});

function openDialog(id) {
  const dialog = document.getElementById(id);
  if (!dialog?.showModal) return false;
  dialog.showModal();
  return true;
}

document.addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target : null;
  const opener = target?.closest("[data-dialog]");
  if (opener && openDialog(opener.dataset.dialog)) event.preventDefault();
  const closer = target?.closest("dialog [data-close]");
  if (closer) {
    event.preventDefault();
    closer.closest("dialog").close();
  }
  const copier = target?.closest("[data-copy]");
  if (copier) copy(copier);
});

// The menu of small screens closes as a person expects.
document.addEventListener("keydown", (event) => {
  const menu = document.querySelector(".top details[open]");
  if (event.key !== "Escape" || !menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});
document.querySelector(".top details")?.addEventListener("focusout", (event) => {
  const to = event.relatedTarget; // null where the whole window lost the focus, or nothing took it
  if (to && !event.currentTarget.contains(to)) event.currentTarget.open = false;
});

async function copy(button) {
  await navigator.clipboard?.writeText(button.dataset.copy);
  const label = button.querySelector(".hidden-text");
  const before = label.textContent;
  label.classList.remove("hidden-text");
  label.textContent = words.copied;
  setTimeout(() => {
    label.classList.add("hidden-text");
    label.textContent = before;
  }, 1500);
}

// A form is sent once, however often its button is pressed.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "1";
});
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

// Undo is offered for 10 s.
const undo = document.querySelector("[data-undo]");
if (undo) setTimeout(() => undo.remove(), 10000);

document.querySelector("[data-focus]")?.focus();

// Ages grow by the clock of the page's answer, not by this machine's, which may be wrong.
const made = Date.parse(words.now);
const start = performance.now();
function grow() {
  const now = made + performance.now() - start;
  for (const time of document.querySelectorAll("time[data-age]")) {
    time.textContent = agePattern(duration(Math.max(0, now - Date.parse(time.dateTime)) / 1000));
  }
  for (const time of document.querySelectorAll("time[data-until]")) {
    time.textContent = duration(Math.max(0, Date.parse(time.dateTime) - now) / 1000);
  }
}
if (Number.isFinite(made)) setInterval(grow, 1000);
