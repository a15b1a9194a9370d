-- What people rent. The database itself holds that a GPU is in one live instance at most, that states follow the table of
-- steps, and that an instance's segments never overlap.
CREATE TABLE life_step (
  from_state TEXT NOT NULL, -- 'new': before the first
  to_state   TEXT NOT NULL,
  PRIMARY KEY (from_state, to_state)
) STRICT, WITHOUT ROWID;
INSERT INTO life_step VALUES
  ('new', 'queued'), ('new', 'starting'),
  ('queued', 'starting'), ('queued', 'stopped'), ('queued', 'failed'),
  ('starting', 'running'), ('starting', 'failed'), ('starting', 'stopping'), ('starting', 'unreachable'),
  ('running', 'suspended'), ('running', 'stopping'), ('running', 'unreachable'), ('running', 'reclaiming'),
  ('suspended', 'running'), ('suspended', 'stopping'), ('suspended', 'unreachable'), ('suspended', 'reclaiming'),
  ('stopping', 'stopped'), ('stopping', 'failed'), ('stopping', 'unreachable'),
  ('unreachable', 'starting'), ('unreachable', 'running'), ('unreachable', 'suspended'), ('unreachable', 'stopping'), ('unreachable', 'failed'),
  ('reclaiming', 'stopping'), ('reclaiming', 'unreachable');

CREATE TABLE instance (
  seq               INTEGER PRIMARY KEY AUTOINCREMENT, -- the order in which they were asked for
  id                TEXT    NOT NULL UNIQUE,
  name              TEXT    NOT NULL,
  state             TEXT    NOT NULL CHECK (state IN ('queued', 'starting', 'running', 'suspended', 'stopping', 'stopped', 'failed', 'unreachable', 'reclaiming')),
  kind              TEXT    NOT NULL CHECK (kind IN ('on_demand', 'reserved', 'spot')),
  plan_id           TEXT    NOT NULL REFERENCES plan (id),
  pool_id           TEXT    REFERENCES pool (id),
  gpu_model         TEXT    NOT NULL,
  gpu_count         INTEGER NOT NULL CHECK (gpu_count >= 0),
  simulated         INTEGER NOT NULL CHECK (simulated IN (0, 1)),
  node_id           TEXT    REFERENCES node (id),
  team_id           TEXT    NOT NULL REFERENCES team (id),
  person_id         TEXT    NOT NULL REFERENCES person (id),
  image             TEXT    NOT NULL,
  command           TEXT    NOT NULL,
  argv              TEXT    NOT NULL CHECK (json_valid(argv)),
  labels            TEXT    NOT NULL CHECK (json_valid(labels)),
  wanted_gpus       TEXT    NOT NULL CHECK (json_valid(wanted_gpus)),
  cpu_millis        INTEGER NOT NULL,
  memory_bytes      INTEGER NOT NULL,
  pids              INTEGER NOT NULL,
  disk_bytes        INTEGER NOT NULL,
  rate              INTEGER NOT NULL CHECK (rate >= 0), -- micro-units an hour, locked
  duration          INTEGER CHECK (duration > 0),       -- microseconds from start to hard end; NULL: no hard end
  requeue           INTEGER NOT NULL CHECK (requeue IN (0, 1)),
  benchmark_id      TEXT,
  idempotency_key   TEXT,
  request_hash      BLOB    NOT NULL,
  requested_at      INTEGER NOT NULL,
  started_at        INTEGER,
  ends_at           INTEGER,
  proof_at          INTEGER,
  stop_requested_at INTEGER,
  ended_at          INTEGER, -- billing is over
  stop_reason       TEXT    NOT NULL DEFAULT '',
  exit_code         INTEGER,
  exit_detail       TEXT    NOT NULL DEFAULT '',
  ended_badly       INTEGER NOT NULL DEFAULT 0 CHECK (ended_badly IN (0, 1)),
  host_fault        INTEGER NOT NULL DEFAULT 0 CHECK (host_fault IN (0, 1)),
  booked_micros     INTEGER NOT NULL DEFAULT 0, -- what the ledger holds of its bill
  booked_through    INTEGER,
  CHECK (started_at IS NULL OR ended_at IS NULL OR ended_at >= started_at),
  CHECK (ends_at IS NULL OR ends_at > requested_at),
  CHECK (state NOT IN ('stopped', 'failed') OR ended_at IS NOT NULL),
  CHECK (state IN ('queued', 'stopped', 'failed') OR node_id IS NOT NULL)
) STRICT;
CREATE UNIQUE INDEX instance_idempotency ON instance (person_id, idempotency_key); -- NULLs differ from each other
CREATE INDEX instance_team ON instance (team_id, seq);
CREATE INDEX instance_person ON instance (person_id, seq);
CREATE INDEX instance_live ON instance (seq) WHERE state NOT IN ('stopped', 'failed');
CREATE INDEX instance_queue ON instance (pool_id, seq) WHERE state = 'queued';
CREATE INDEX instance_node ON instance (node_id, state, seq);
CREATE INDEX instance_open ON instance (team_id) WHERE ended_at IS NULL;
CREATE INDEX instance_ends ON instance (ends_at) WHERE ended_at IS NULL;
CREATE INDEX instance_team_ended ON instance (team_id, ended_at, started_at, booked_micros);
CREATE INDEX instance_person_ended ON instance (person_id, ended_at, started_at, booked_micros);
CREATE INDEX instance_ended ON instance (ended_at);

CREATE TRIGGER instance_first_step BEFORE INSERT ON instance
WHEN NOT EXISTS (SELECT 1 FROM life_step WHERE from_state = 'new' AND to_state = NEW.state)
BEGIN SELECT RAISE(ABORT, 'step_not_allowed'); END;
CREATE TRIGGER instance_step BEFORE UPDATE OF state ON instance
WHEN OLD.state <> NEW.state AND NOT EXISTS (SELECT 1 FROM life_step WHERE from_state = OLD.state AND to_state = NEW.state)
BEGIN SELECT RAISE(ABORT, 'step_not_allowed'); END;
CREATE TRIGGER instance_terms_locked BEFORE UPDATE OF rate, kind, plan_id, team_id, person_id ON instance
WHEN OLD.rate <> NEW.rate OR OLD.kind <> NEW.kind OR OLD.plan_id <> NEW.plan_id OR OLD.team_id <> NEW.team_id OR OLD.person_id <> NEW.person_id
BEGIN SELECT RAISE(ABORT, 'terms_locked'); END;
CREATE TRIGGER instance_stays BEFORE DELETE ON instance BEGIN SELECT RAISE(ABORT, 'instance_stays'); END;

CREATE TABLE instance_label (
  key         TEXT NOT NULL,
  value       TEXT NOT NULL,
  instance_id TEXT NOT NULL REFERENCES instance (id),
  PRIMARY KEY (key, value, instance_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX instance_label_of ON instance_label (instance_id);

CREATE TABLE instance_gpu (
  instance_id TEXT    NOT NULL REFERENCES instance (id),
  gpu_uuid    TEXT    NOT NULL REFERENCES gpu (uuid),
  released_at INTEGER, -- NULL: held
  PRIMARY KEY (instance_id, gpu_uuid)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX one_gpu_one_instance ON instance_gpu (gpu_uuid) WHERE released_at IS NULL;

CREATE TRIGGER instance_gpu_held_by_live BEFORE INSERT ON instance_gpu
WHEN NEW.released_at IS NOT NULL OR (SELECT state FROM instance WHERE id = NEW.instance_id) IN ('queued', 'stopped', 'failed')
BEGIN SELECT RAISE(ABORT, 'gpu_needs_live_instance'); END;
CREATE TRIGGER instance_gpu_released_at_end BEFORE UPDATE ON instance_gpu
WHEN OLD.released_at IS NOT NULL OR OLD.gpu_uuid <> NEW.gpu_uuid OR OLD.instance_id <> NEW.instance_id
  OR (SELECT state FROM instance WHERE id = NEW.instance_id) NOT IN ('stopped', 'failed')
BEGIN SELECT RAISE(ABORT, 'gpu_needs_live_instance'); END;
CREATE TRIGGER instance_gpu_stays BEFORE DELETE ON instance_gpu BEGIN SELECT RAISE(ABORT, 'gpu_needs_live_instance'); END;
CREATE TRIGGER instance_end_releases AFTER UPDATE OF state ON instance
WHEN NEW.state IN ('stopped', 'failed') AND OLD.state NOT IN ('stopped', 'failed')
BEGIN UPDATE instance_gpu SET released_at = NEW.ended_at WHERE instance_id = NEW.id AND released_at IS NULL; END;

CREATE TABLE instance_event (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  instance_id TEXT    NOT NULL REFERENCES instance (id),
  at          INTEGER NOT NULL,
  kind        TEXT    NOT NULL,
  args        TEXT    NOT NULL CHECK (json_valid(args)),
  person_id   TEXT REFERENCES person (id)
) STRICT;
CREATE INDEX instance_event_of ON instance_event (instance_id, id);

CREATE TABLE segment (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  instance_id TEXT    NOT NULL REFERENCES instance (id),
  state       TEXT    NOT NULL CHECK (state IN ('running', 'suspended', 'reclaiming', 'unreachable')),
  billable    INTEGER NOT NULL CHECK (billable IN (0, 1)),
  rate        INTEGER NOT NULL CHECK (rate >= 0),
  from_at     INTEGER NOT NULL,
  to_at       INTEGER CHECK (to_at > from_at), -- NULL: open
  CHECK (billable = 1 OR state = 'unreachable')
) STRICT;
CREATE UNIQUE INDEX one_open_segment ON segment (instance_id) WHERE to_at IS NULL;
CREATE INDEX segment_of ON segment (instance_id, from_at);

CREATE TRIGGER segment_no_overlap BEFORE INSERT ON segment
WHEN EXISTS (SELECT 1 FROM segment WHERE instance_id = NEW.instance_id
  AND (to_at IS NULL OR to_at > NEW.from_at) AND (NEW.to_at IS NULL OR NEW.to_at > from_at))
BEGIN SELECT RAISE(ABORT, 'segments_overlap'); END;
-- An open segment may be closed, and an unreachable one be proven to have been used; a closed one is history.
CREATE TRIGGER segment_closed_is_history BEFORE UPDATE ON segment
WHEN OLD.to_at IS NOT NULL OR OLD.instance_id <> NEW.instance_id OR OLD.from_at <> NEW.from_at OR OLD.rate <> NEW.rate OR OLD.state <> NEW.state
BEGIN SELECT RAISE(ABORT, 'segment_is_history'); END;
-- Only an open one may go: it was opened and ended in the same moment, so that it never was.
CREATE TRIGGER segment_stays BEFORE DELETE ON segment
WHEN OLD.to_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'segment_is_history'); END;
