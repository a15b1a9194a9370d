// Returns what is wrong with the words of the page, as a list of sentences. LANG is "en" or "zh", DATA lists names and words
// that are the same in every language.
((LANG, DATA) => {
  const found = [];
  const short = s => JSON.stringify(s.trim().replace(/\s+/g, " ").slice(0, 80));
  const data = DATA.filter(Boolean).sort((a, b) => b.length - a.length).map(d => d.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const known = new RegExp(data.join("|"), "gi");
  const tag = document.documentElement.lang;
  if (LANG === "en" ? tag !== "en" : tag !== "zh-Hans") found.push(`the page's language is ${short(tag)}`);
  if (!document.title.trim()) found.push("the page has no title");
  const heads = [...document.querySelectorAll("h1")].filter(h => h.getClientRects().length);
  if (heads.length !== 1) found.push(`the page has ${heads.length} h1`);

  const other = (text, where) => {
    if (/undefined|\bNaN\b|\[object |%!|<nil>|0001-01-01|\bTODO\b|lorem/i.test(text)) found.push(`a placeholder: ${short(text)} in ${where}`);
    if (LANG === "en") {
      if (/[\u3400-\u9fff\u3000-\u303f\uff00-\uffef]/.test(text.replaceAll("简体中文", ""))) found.push(`Chinese in the English page: ${short(text)} in ${where}`);
      return;
    }
    // A Chinese sentence may name a command, a key or a shell; it does not hold two English words in a row. What has no
    // Chinese in it at all must be a name.
    const named = text.replace(known, " ").replace(/“[^”]*”|\S+[=/@.]\S+|\b[a-z]-[0-9a-z]{12}\b/g, " ");
    const rest = named.match(/[\u3400-\u9fff]/) ? named.match(/[A-Za-z]{2,} +[a-z]{2,}/g) : named.match(/[A-Za-z][a-z]{2,}/g);
    if (rest) found.push(`English in the Chinese page: ${short(text)} in ${where} (${rest.slice(0, 4).join(", ")})`);
  };
  const skip = "script, style, noscript, template, code, pre, kbd, samp, textarea, .xterm, [translate=no], [data-terminal]";
  const drawn = e => e.checkVisibility ? e.checkVisibility({ checkVisibilityCSS: true }) : true;
  other(document.title, "the title");
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    const e = node.parentElement;
    if (!node.data.trim() || !e || e.closest(skip)) continue;
    const lang = e.closest("[lang]");
    if (lang && lang !== document.documentElement) continue;
    if (e.tagName !== "OPTION" && !drawn(e)) continue;
    // What a machine says about itself is in its own words.
    if (e.closest(".facts dd") && !/[\u3400-\u9fff]/.test(node.data)) continue;
    other(node.data, e.tagName.toLowerCase() + (e.classList[0] ? "." + e.classList[0] : ""));
  }
  for (const e of document.body.querySelectorAll("[aria-label], [title], [placeholder], [alt], [aria-description], [aria-roledescription]")) {
    if (e.closest(skip)) continue;
    for (const a of ["aria-label", "title", "placeholder", "alt", "aria-description", "aria-roledescription"]) {
      const v = e.getAttribute(a);
      // The exact time on hover is written as ISO 8601 in both languages.
      if (v && !/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(v)) other(v, a + " of " + e.tagName.toLowerCase());
    }
  }
  return [...new Set(found)];
})
