// Lists what the Tab key must reach on the page as it is now, each by a number that it writes on the element, and says of the
// element with the focus which it is and whether a person sees that it has the focus.
(() => {
  const drawn = e => e.getClientRects().length > 0 && e.checkVisibility({ checkVisibilityCSS: true });
  window.tabStops = () => {
    const dialog = document.querySelector("dialog:modal");
    const all = [...(dialog ?? document).querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")]
      .filter(e => drawn(e) && !e.disabled && e.tabIndex >= 0 && !(e.type === "radio" && !e.checked && document.querySelector(`[name="${e.name}"]:checked`)));
    all.forEach((e, i) => e.dataset.stop = i);
    return all.map(e => e.tagName.toLowerCase() + " " + (e.innerText || e.name || e.ariaLabel || "").trim().slice(0, 40));
  };
  const marks = e => {
    const s = getComputedStyle(e);
    return [s.outlineStyle === "none" || parseFloat(s.outlineWidth) === 0 ? "" : s.outline, s.boxShadow, s.borderColor, s.backgroundColor, s.textDecorationLine].join("|");
  };
  window.tabFocus = () => {
    const e = document.activeElement;
    if (!e || e === document.body || e === document.documentElement) return { stop: -1, seen: "", name: "the page" };
    const r = e.getBoundingClientRect();
    const name = e.tagName.toLowerCase() + " " + (e.innerText || e.name || e.ariaLabel || "").trim().slice(0, 40);
    const focused = marks(e);
    e.blur();
    const blurred = marks(e);
    e.focus({ preventScroll: true, focusVisible: true });
    let seen = focused === blurred ? "looks the same without the focus" : "";
    if (r.bottom < 1 || r.top > innerHeight - 1 || r.right < 1 || r.left > innerWidth - 1) seen = "is outside of the screen";
    else {
      const top = document.elementFromPoint(Math.min(Math.max(r.x + r.width / 2, 1), innerWidth - 2), Math.min(Math.max(r.y + r.height / 2, 1), innerHeight - 2));
      if (top && top !== e && !e.contains(top) && !top.contains(e)) seen = "is covered by " + top.outerHTML.slice(0, 120);
    }
    return { stop: Number(e.dataset.stop ?? -2), seen, name };
  };
  return true;
})()
