-- Nodes, their GPUs, and the plans and prices under which they are rented.
CREATE TABLE node (
  id         TEXT PRIMARY KEY,
  name       TEXT    NOT NULL UNIQUE,
  local      INTEGER NOT NULL CHECK (local IN (0, 1)),
  state      TEXT    NOT NULL CHECK (state IN ('up', 'cordoned', 'lost')),
  executor   TEXT    NOT NULL,
  seen_at    INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE node_limit (
  node_id  TEXT    NOT NULL REFERENCES node (id),
  name     TEXT    NOT NULL,
  enforced INTEGER NOT NULL CHECK (enforced IN (0, 1)),
  detail   TEXT    NOT NULL,
  PRIMARY KEY (node_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE pool (
  id        TEXT PRIMARY KEY, -- a readable slug, the first part of its plans' ids
  model     TEXT    NOT NULL,
  simulated INTEGER NOT NULL CHECK (simulated IN (0, 1)),
  UNIQUE (model, simulated)
) STRICT;

CREATE TABLE gpu (
  uuid         TEXT PRIMARY KEY,
  node_id      TEXT    NOT NULL REFERENCES node (id),
  pool_id      TEXT    NOT NULL REFERENCES pool (id),
  model        TEXT    NOT NULL,
  vendor       TEXT    NOT NULL,
  pci_bus_id   TEXT    NOT NULL,
  driver       TEXT    NOT NULL,
  idx          INTEGER NOT NULL, -- for show and for the order in which they are given out
  memory_bytes INTEGER NOT NULL CHECK (memory_bytes >= 0),
  power_limit_milliwatts INTEGER CHECK (power_limit_milliwatts > 0), -- NULL: unknown
  simulated    INTEGER NOT NULL CHECK (simulated IN (0, 1)),
  state        TEXT    NOT NULL CHECK (state IN ('ok', 'watch', 'fenced', 'quarantined', 'lost')),
  state_reason TEXT    NOT NULL,
  state_since  INTEGER NOT NULL,
  lost_state   TEXT    CHECK (lost_state IN ('ok', 'watch', 'fenced', 'quarantined')), -- what it was before it was lost
  seen_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX gpu_pool ON gpu (pool_id, node_id, idx);
CREATE INDEX gpu_node ON gpu (node_id, idx);

CREATE TABLE plan (
  id           TEXT PRIMARY KEY,
  pool_id      TEXT REFERENCES pool (id), -- NULL: CPU-only
  gpu_count    INTEGER NOT NULL CHECK (gpu_count BETWEEN 0 AND 64),
  cpu_millis   INTEGER NOT NULL CHECK (cpu_millis > 0),
  memory_bytes INTEGER NOT NULL CHECK (memory_bytes > 0),
  pids         INTEGER NOT NULL CHECK (pids > 0),
  disk_bytes   INTEGER NOT NULL CHECK (disk_bytes > 0),
  CHECK ((pool_id IS NULL) = (gpu_count = 0)),
  UNIQUE (pool_id, gpu_count)
) STRICT;

-- A price list only grows: what was charged can always be explained.
CREATE TABLE price (
  plan_id         TEXT    NOT NULL REFERENCES plan (id),
  kind            TEXT    NOT NULL CHECK (kind IN ('on_demand', 'reserved', 'spot')),
  version         INTEGER NOT NULL,
  micros_per_hour INTEGER NOT NULL CHECK (micros_per_hour BETWEEN 0 AND 1000000000000),
  starts_at       INTEGER NOT NULL,
  person_id       TEXT REFERENCES person (id),
  PRIMARY KEY (plan_id, kind, version)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER price_never_changes BEFORE UPDATE ON price BEGIN SELECT RAISE(ABORT, 'price_append_only'); END;
CREATE TRIGGER price_never_shrinks BEFORE DELETE ON price BEGIN SELECT RAISE(ABORT, 'price_append_only'); END;

INSERT INTO plan VALUES ('cpu-2', NULL, 0, 2000, 4294967296, 1024, 21474836480);
INSERT INTO price VALUES ('cpu-2', 'on_demand', 1, 50000, 0, NULL);
