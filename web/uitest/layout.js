// Returns what is wrong with how the page is laid out now, as a list of sentences: a page that scrolls sideways, text that is
// cut off or spills out of its box, text over text, controls over controls, pictures that did not load.
(() => {
  const found = [];
  const root = document.documentElement;
  const name = e => {
    let s = e.tagName.toLowerCase();
    if (e.id) s += "#" + e.id;
    else if (typeof e.className === "string" && e.className.trim()) s += "." + e.className.trim().split(/\s+/).join(".");
    const up = e.parentElement;
    if (up && up !== document.body && !e.id) s = up.tagName.toLowerCase() + (up.classList[0] ? "." + up.classList[0] : "") + " > " + s;
    return s;
  };
  const short = s => JSON.stringify(s.trim().replace(/\s+/g, " ").slice(0, 60));
  const px = r => `${Math.round(r.left)}–${Math.round(r.right)} × ${Math.round(r.top)}–${Math.round(r.bottom)}`;

  // An element that is there for screen readers alone is one pixel small or clipped away.
  const forReaders = e => {
    for (; e && e !== root; e = e.parentElement) {
      const s = getComputedStyle(e);
      if (s.clipPath === "inset(50%)" || s.clipPath === "inset(100%)") return true;
      if (s.position === "absolute" && e.offsetWidth <= 1 && e.offsetHeight <= 1) return true;
      if (s.visibility === "hidden" || s.opacity === "0") return true;
    }
    return false;
  };
  // Something fixed or sticky lies over the page on purpose; a skip link waits off the screen.
  const floats = e => {
    for (; e && e !== root; e = e.parentElement) {
      const p = getComputedStyle(e).position;
      if (p === "fixed" || p === "sticky") return e;
    }
    return null;
  };
  const terminal = e => e.closest(".xterm");
  const dialog = document.querySelector("dialog[open]");
  const behind = e => dialog && !dialog.contains(e);

  if (root.scrollWidth > root.clientWidth + 1) {
    const wide = [...document.body.querySelectorAll("*")].filter(e => {
      const r = e.getBoundingClientRect();
      return r.width > 0 && r.right > root.clientWidth + 1 && !terminal(e);
    }).slice(-3).map(name);
    found.push(`the page scrolls sideways: ${root.scrollWidth} px in ${root.clientWidth} px; ${wide.join(", ")}`);
  }

  // Every line of every text, where it is drawn.
  const lines = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    const e = node.parentElement;
    if (!node.data.trim() || !e || ["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "OPTION", "OPTGROUP", "TITLE"].includes(e.tagName)) continue;
    if (terminal(e) || behind(e) || forReaders(e) || !e.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const r of range.getClientRects()) if (r.width > 0.5 && r.height > 0.5) lines.push({ e, r, text: node.data, node });
  }

  const told = new Set();
  const tell = (key, text) => { if (!told.has(key)) { told.add(key); found.push(text); } };
  const shown = [];
  for (const l of lines) {
    let clipped = false, scrolls = false, spills = null;
    for (let a = l.e; a && a !== root; a = a.parentElement) {
      const s = getComputedStyle(a), b = a.getBoundingClientRect();
      if (s.display === "inline" || s.display === "contents" || a instanceof SVGElement && a.tagName !== "svg") continue;
      const x = s.overflowX, y = s.overflowY;
      if (["auto", "scroll"].includes(x) || ["auto", "scroll"].includes(y)) {
        scrolls = true;
        if (l.r.right < b.left || l.r.left > b.right || l.r.bottom < b.top || l.r.top > b.bottom) clipped = true;
        break;
      }
      if (["hidden", "clip"].includes(x) && (l.r.right > b.right + 1.5 || l.r.left < b.left - 1.5)) {
        clipped = true;
        if (s.textOverflow === "ellipsis" && (a.title || l.e.title)) break;
        tell(name(l.e) + "cut", `text is cut off: ${short(l.text)} in ${name(l.e)} at ${px(l.r)}, cut by ${name(a)} at ${px(b)}`);
        break;
      }
      if (["hidden", "clip"].includes(y) && (l.r.bottom > b.bottom + l.r.height / 3 || l.r.top < b.top - l.r.height / 3)) {
        clipped = true;
        tell(name(l.e) + "cuty", `text is cut off below or above: ${short(l.text)} in ${name(l.e)}, cut by ${name(a)}`);
        break;
      }
      if (a === l.e && (l.r.right > b.right + 2 || l.r.left < b.left - 2)) spills = b;
    }
    if (spills && !scrolls && !clipped) {
      tell(name(l.e) + "spill", `text spills out of its box: ${short(l.text)} in ${name(l.e)} at ${px(l.r)}, its box is ${px(spills)}`);
    }
    if (!clipped && !scrolls && !floats(l.e) && (l.r.right > root.clientWidth + 1 || l.r.left < -1)) {
      tell(name(l.e) + "out", `text is outside of the screen: ${short(l.text)} in ${name(l.e)} at ${px(l.r)}`);
    }
    if (!clipped) shown.push(l);
  }

  // Pictures shrink with the screen, and the words in them too.
  for (const l of shown) if (l.r.height < 9) tell(name(l.e) + "tiny", `text is too small to read: ${short(l.text)} in ${name(l.e)}, ${l.r.height.toFixed(1)} px high`);
  // A missing blank between two elements: "since" and "08:40" on one line, with nothing between them.
  for (let i = 0; i + 1 < shown.length; i++) {
    const a = shown[i], b = shown[i + 1];
    if (a.node === b.node || Math.abs(a.r.bottom - b.r.bottom) > 4 || b.r.left - a.r.right > 1.5 || b.r.left < a.r.right - 1.5) continue;
    if (/[\p{L}\p{N}]$/u.test(a.text) && /^[\p{L}\p{N}]/u.test(b.text) && /[A-Za-z0-9]$/.test(a.text) + /^[A-Za-z0-9]/.test(b.text) > 0) {
      tell(name(a.e) + name(b.e) + "together", `words run together: ${short(a.text)} and ${short(b.text)} in ${name(b.e)}`);
    }
  }

  const meet = (a, b) => ({ x: Math.min(a.right, b.right) - Math.max(a.left, b.left), y: Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) });
  // A line's rectangle is higher than its letters: two lines meet when a good part of the lower one's height is shared.
  for (let i = 0; i < shown.length; i++) for (let j = i + 1; j < shown.length; j++) {
    const a = shown[i], b = shown[j], m = meet(a.r, b.r);
    if (m.x <= 3 || m.y <= Math.min(a.r.height, b.r.height) * 0.45) continue;
    if (a.node === b.node && a.r.top === b.r.top) continue; // a line that ends in an ellipsis has two: as drawn, and whole
    if (floats(a.e) !== floats(b.e)) continue;
    tell(name(a.e) + name(b.e) + "over", `text over text: ${short(a.text)} in ${name(a.e)} and ${short(b.text)} in ${name(b.e)} at ${px(a.r)}`);
  }

  const controls = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
    .filter(e => e.getClientRects().length && e.checkVisibility() && !behind(e) && !terminal(e) && !forReaders(e))
    .flatMap(e => [...e.getClientRects()].map(r => ({ e, r })));
  for (let i = 0; i < controls.length; i++) for (let j = i + 1; j < controls.length; j++) {
    const a = controls[i], b = controls[j], m = meet(a.r, b.r);
    if (a.e.contains(b.e) || b.e.contains(a.e) || m.x <= 2 || m.y <= 2 || floats(a.e) !== floats(b.e)) continue;
    tell(name(a.e) + name(b.e) + "controls", `controls overlap: ${name(a.e)} ${short(a.e.innerText || "")} and ${name(b.e)} ${short(b.e.innerText || "")} at ${px(a.r)}`);
  }
  // What a page puts into a field must fit into it; so must the option that a select shows. What a person has typed wrongly may
  // be long.
  for (const { e } of controls) {
    if (e.tagName === "SELECT" && e.selectedOptions[0]) {
      const s = getComputedStyle(e), c = document.createElement("canvas").getContext("2d");
      c.font = s.font;
      // The arrow that a browser draws itself takes its part of the room.
      const room = e.clientWidth - parseFloat(s.paddingLeft) - parseFloat(s.paddingRight) - (s.appearance === "none" ? 0 : 18);
      if (c.measureText(e.selectedOptions[0].text).width > room + 2) tell(name(e) + "option", `the chosen option does not fit: ${short(e.selectedOptions[0].text)} in ${name(e)}, ${Math.round(room)} px`);
    }
    if (e.tagName === "INPUT" && ["text", "number", "email", "url", "search", "date", "month", "password"].includes(e.type) && e.scrollWidth > e.clientWidth + 2 && !e.readOnly && e.ariaInvalid !== "true") {
      tell(name(e) + "typed", `the value does not fit: ${short(e.value)} in ${name(e)}`);
    }
  }
  for (const i of document.images) if (!i.complete || i.naturalWidth === 0) found.push(`the picture ${i.src} did not load`);
  return found;
})()
