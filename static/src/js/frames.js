// Decodes the binary frames of web/live/PROTOCOL.md. A value that is not known is null, never 0.
const KEYFRAME = 1, DELTA = 2, BACKFILL = 3;
const utf8 = new TextDecoder();

class Reader {
  constructor(buffer) {
    this.bytes = new Uint8Array(buffer);
    this.at = 0;
  }
  byte() {
    if (this.at >= this.bytes.length) throw new Error("frame ends early");
    return this.bytes[this.at++];
  }
  // uv adds instead of shifting: counters are larger than 32 bits.
  uv() {
    let value = 0, unit = 1;
    for (let i = 0; i < 10; i++) {
      const b = this.byte();
      value += (b & 0x7f) * unit;
      if (b < 0x80) return value;
      unit *= 128;
    }
    throw new Error("number too long");
  }
  sv() {
    const u = this.uv();
    return u % 2 ? -(u + 1) / 2 : u / 2;
  }
  text() {
    const n = this.uv();
    if (this.at + n > this.bytes.length) throw new Error("frame ends early");
    const part = this.bytes.subarray(this.at, this.at + n);
    this.at += n;
    return utf8.decode(part);
  }
}

// bits lists the set bits of a mask, lowest first; a mask has as many bits as there are metrics.
function bits(mask) {
  const set = [];
  for (let i = 0; mask > 0; i++, mask = Math.floor(mask / 2)) if (mask % 2) set.push(i);
  return set;
}

function readValues(r) {
  const values = [], why = [];
  for (const m of bits(r.uv())) values[m] = r.sv();
  for (const m of bits(r.uv())) why[m] = r.byte();
  return { values, why };
}

function readInstance(r) {
  if (!r.byte()) return null;
  return { status: r.text(), cost: r.sv(), rate: r.sv() };
}

function readKeyframe(r, seq) {
  const frame = { kind: "state", seq, at: r.uv(), gpus: [] };
  for (let n = r.uv(); n > 0; n--) {
    const gpu = { uuid: r.text(), name: r.text(), simulated: r.byte() === 1, age: 0 };
    frame.gpus.push(Object.assign(gpu, readValues(r)));
  }
  frame.instance = readInstance(r);
  return frame;
}

// readDelta changes a copy of the state before it; without that state there is nothing to change.
function readDelta(r, seq, before) {
  if (!before || seq !== before.seq + 1) throw new Error("delta without its state");
  const frame = { kind: "state", seq, at: before.at + r.uv(), gpus: [] };
  const n = r.uv();
  if (n !== before.gpus.length) throw new Error("delta of other GPUs");
  for (const old of before.gpus) {
    const gpu = { ...old, values: [...old.values], why: [...old.why] };
    const changed = bits(r.uv()), known = new Set(bits(r.uv()));
    for (const m of changed) if (known.has(m)) gpu.values[m] = (old.values[m] ?? 0) + r.sv();
    for (const m of changed) {
      if (known.has(m)) continue;
      gpu.values[m] = undefined;
      gpu.why[m] = r.byte();
    }
    gpu.age = r.uv();
    frame.gpus.push(gpu);
  }
  frame.instance = readInstance(r);
  return frame;
}

function readBackfill(r, seq) {
  const frame = { kind: "backfill", seq, points: [] };
  for (let n = r.uv(); n > 0; n--) {
    const point = { at: r.uv(), gpus: [], cost: null };
    for (let g = r.uv(); g > 0; g--) point.gpus.push(readValues(r).values);
    if (r.byte()) point.cost = r.sv();
    frame.points.push(point);
  }
  return frame;
}

// decode reads one message; before is the last state, which a delta changes.
export function decode(buffer, before) {
  const r = new Reader(buffer);
  const kind = r.byte(), seq = r.uv();
  switch (kind) {
    case KEYFRAME: return readKeyframe(r, seq);
    case DELTA: return readDelta(r, seq, before);
    case BACKFILL: return readBackfill(r, seq);
  }
  throw new Error("unknown kind of frame");
}
