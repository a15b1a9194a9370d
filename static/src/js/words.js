// The texts that scripts write. They come from the page, which takes them from the catalogue: no script has a word of its own.
const source = document.querySelector("script[data-units]");
export const words = source ? source.dataset : {};

export const agePattern = (age) => (words.ago ?? "{}").replace("{}", age);

// duration writes seconds as views/format.go does.
export function duration(seconds) {
  const [d, h, m, s] = (words.units ?? "d,h,m,s").split(",");
  const n = Math.floor(seconds);
  const two = (x) => String(x).padStart(2, "0");
  const sp = "\u00a0";
  if (n >= 86400) return [Math.floor(n / 86400), d, Math.floor(n / 3600) % 24, h, two(Math.floor(n / 60) % 60), m].join(sp);
  if (n >= 3600) return [Math.floor(n / 3600), h, two(Math.floor(n / 60) % 60), m, two(n % 60), s].join(sp);
  if (n >= 60) return [Math.floor(n / 60), m, two(n % 60), s].join(sp);
  return [n, s].join(sp);
}
