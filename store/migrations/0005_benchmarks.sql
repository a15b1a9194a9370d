-- Benchmark runs and what they measured.
CREATE TABLE benchmark (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  id          TEXT    NOT NULL UNIQUE,
  suite       TEXT    NOT NULL,
  backend     TEXT    NOT NULL,
  gpus        TEXT    NOT NULL CHECK (json_valid(gpus)),
  gpu_model   TEXT    NOT NULL, -- '' for the CPU
  size        INTEGER NOT NULL CHECK (size >= 0),
  seed        INTEGER NOT NULL,
  seconds     INTEGER NOT NULL CHECK (seconds >= 0),
  person_id   TEXT    NOT NULL REFERENCES person (id),
  team_id     TEXT    NOT NULL REFERENCES team (id),
  instance_id TEXT    NOT NULL REFERENCES instance (id) DEFERRABLE INITIALLY DEFERRED,
  status      TEXT    NOT NULL CHECK (status IN ('queued', 'running', 'done', 'unstable', 'wrong', 'failed', 'cancelled')),
  progress    INTEGER NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 1000),
  phase       TEXT    NOT NULL DEFAULT '',
  created_at  INTEGER NOT NULL,
  started_at  INTEGER,
  ended_at    INTEGER,
  environment TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(environment)),
  error       TEXT    NOT NULL DEFAULT '',
  simulated   INTEGER NOT NULL CHECK (simulated IN (0, 1))
) STRICT;
CREATE INDEX benchmark_history ON benchmark (suite, backend, ended_at);
CREATE INDEX benchmark_person ON benchmark (person_id, seq);
CREATE INDEX benchmark_team ON benchmark (team_id, seq);

CREATE TABLE benchmark_result (
  benchmark_id TEXT    NOT NULL REFERENCES benchmark (id),
  place        INTEGER NOT NULL, -- the order in which the suite ran
  test         TEXT    NOT NULL,
  unit         TEXT    NOT NULL,
  median       REAL    NOT NULL,
  p5           REAL    NOT NULL,
  p95          REAL    NOT NULL,
  cv           REAL    NOT NULL,
  n            INTEGER NOT NULL,
  stable       INTEGER NOT NULL CHECK (stable IN (0, 1)),
  simulated    INTEGER NOT NULL CHECK (simulated IN (0, 1)),
  reasons      TEXT    NOT NULL CHECK (json_valid(reasons)),
  notes        TEXT    NOT NULL CHECK (json_valid(notes)),
  PRIMARY KEY (benchmark_id, place)
) STRICT, WITHOUT ROWID;
