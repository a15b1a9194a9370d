// What pages show of the metrics, numbered as gpu.Metric: how each is drawn and written, as views/format.go writes it.
const sp = "\u00a0";
const GIB = 2 ** 30;

const percent = (n) => (n > 0 && n < 10 ? `0.${n}` : String(Math.floor((n + 5) / 10))) + sp + "%";
const tenths = (n) => String(Math.round((n * 10) / GIB) / 10);

export function bytes(n) {
  if (n > 0 && n < GIB) return Math.max(1, Math.round(n / 2 ** 20)) + sp + "MiB";
  return tenths(n) + sp + "GiB";
}

export const metrics = {
  utilization: { number: 0, write: percent, draw: (n) => n / 10, said: (x) => Math.round(x) + sp + "%", top: () => 100 },
  memory_used: { number: 2, write: bytes, draw: (n) => n / GIB, said: (x) => Math.round(x * 10) / 10 + sp + "GiB",
    top: (root) => Math.round(Number(root.dataset.memoryTotal) / GIB) || undefined },
  power: { number: 5, write: (n) => Math.round(n / 1000) + sp + "W", draw: (n) => n / 1000, said: (x) => Math.round(x) + sp + "W" },
  temperature: { number: 7, write: (n) => n + sp + "°C" },
};

// money writes micro-units with a number of decimal places, rounded half up; pages never show a negative cost.
export function money(sign, micros, places) {
  const unit = 10 ** (6 - places);
  const rounded = Math.floor((micros + unit / 2) / unit);
  const digits = String(rounded).padStart(places + 1, "0");
  const whole = digits.slice(0, -places).replace(/\B(?=(\d{3})+$)/g, ",");
  return sign + whole + "." + digits.slice(-places);
}
