-- What an instance can start from: the images of each node, how they came there, and work on them that is not done yet.
CREATE TABLE image (
  seq            INTEGER PRIMARY KEY AUTOINCREMENT,
  id             TEXT    NOT NULL UNIQUE,
  node_id        TEXT    NOT NULL REFERENCES node (id),
  reference      TEXT    NOT NULL, -- whole: registry, path, tag or digest
  origin         TEXT    NOT NULL CHECK (origin IN ('found', 'pull', 'build', 'save')),
  state          TEXT    NOT NULL CHECK (state IN ('queued', 'working', 'ready', 'failed', 'removing', 'removed')),
  team_id        TEXT    REFERENCES team (id),     -- who sees it; NULL: everybody
  person_id      TEXT    REFERENCES person (id),   -- who asked for it; NULL: it was found
  instance_id    TEXT    REFERENCES instance (id), -- whose files were saved
  recipe         TEXT,    -- a Dockerfile, while it is to be built
  context        BLOB,    -- and its files, a tar
  engine_id      TEXT    NOT NULL DEFAULT '', -- of its configuration, sha256:…: what instances are pinned to
  digest         TEXT    NOT NULL DEFAULT '', -- of its manifest
  bytes          INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0),
  contents       TEXT    CHECK (json_valid(contents)), -- NULL: not looked into yet, or in vain
  contents_error TEXT    NOT NULL DEFAULT '',
  step           TEXT    NOT NULL DEFAULT '', -- in the engine's words
  done           INTEGER NOT NULL DEFAULT 0,
  total          INTEGER NOT NULL DEFAULT 0,
  error          TEXT    NOT NULL DEFAULT '',
  created_at     INTEGER NOT NULL,
  finished_at    INTEGER,
  used_at        INTEGER NOT NULL, -- last; when it came, where nobody used it
  CHECK ((origin = 'found') = (person_id IS NULL)),
  CHECK ((state IN ('queued', 'working')) = (finished_at IS NULL)),
  CHECK (state NOT IN ('ready', 'removing') OR engine_id <> '')
) STRICT;
CREATE UNIQUE INDEX one_image_of_a_name ON image (node_id, reference) WHERE state IN ('ready', 'removing');
CREATE UNIQUE INDEX one_work_on_a_name ON image (node_id, reference) WHERE state IN ('queued', 'working');
CREATE INDEX image_there ON image (seq) WHERE state <> 'removed';
CREATE TRIGGER image_stays BEFORE DELETE ON image BEGIN SELECT RAISE(ABORT, 'image_stays'); END;

-- What the images of a node take.
CREATE TABLE image_space (
  node_id    TEXT    PRIMARY KEY REFERENCES node (id),
  bytes      INTEGER NOT NULL,
  free_bytes INTEGER NOT NULL,
  error      TEXT    NOT NULL DEFAULT '', -- why nothing is known of the images
  seen_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Who may bring images here, and how long those stay that nobody uses.
CREATE TABLE image_rule (
  id           INTEGER PRIMARY KEY CHECK (id = 1),
  members_pull INTEGER NOT NULL CHECK (members_pull IN (0, 1)), -- from the registries alone
  registries   TEXT    NOT NULL CHECK (json_valid(registries)),
  keep_days    INTEGER NOT NULL CHECK (keep_days >= 0) -- 0: always
) STRICT;
INSERT INTO image_rule VALUES (1, 0, '[]', 0);

-- The image that an instance starts from, by its content: the name may mean another tomorrow.
CREATE TABLE instance_image (
  instance_id TEXT PRIMARY KEY REFERENCES instance (id),
  engine_id   TEXT NOT NULL,
  digest      TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX instance_image_of ON instance_image (engine_id);
CREATE TRIGGER instance_image_is_pinned BEFORE UPDATE ON instance_image BEGIN SELECT RAISE(ABORT, 'terms_locked'); END;

-- What instances are given in their environment. A secret's value is sealed with a key that lies beside the database, not in it.
CREATE TABLE secret (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT    NOT NULL UNIQUE,
  name       TEXT    NOT NULL,
  team_id    TEXT    NOT NULL REFERENCES team (id),
  person_id  TEXT    REFERENCES person (id), -- whose it is; NULL: the whole team's
  sealed     BLOB    NOT NULL,
  changed_by TEXT    NOT NULL REFERENCES person (id),
  changed_at INTEGER NOT NULL,
  removed_at INTEGER,
  CHECK (removed_at IS NULL OR length(sealed) = 0) -- what is removed is really gone
) STRICT;
CREATE UNIQUE INDEX one_secret_of_a_name ON secret (team_id, coalesce(person_id, ''), name) WHERE removed_at IS NULL;

CREATE TABLE instance_env (
  instance_id TEXT NOT NULL REFERENCES instance (id),
  key         TEXT NOT NULL,
  value       TEXT,
  secret_id   TEXT REFERENCES secret (id),
  PRIMARY KEY (instance_id, key),
  CHECK ((value IS NULL) <> (secret_id IS NULL))
) STRICT, WITHOUT ROWID;

-- A saved launch form. Secrets are in it by name.
CREATE TABLE template (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT    NOT NULL UNIQUE,
  name       TEXT    NOT NULL,
  name_key   TEXT    NOT NULL,
  team_id    TEXT    NOT NULL REFERENCES team (id),
  person_id  TEXT    NOT NULL REFERENCES person (id),
  shared     INTEGER NOT NULL CHECK (shared IN (0, 1)), -- with the team
  image      TEXT    NOT NULL, -- as in the form, by its whole name where it is known
  form       TEXT    NOT NULL CHECK (json_valid(form)),
  changed_at INTEGER NOT NULL,
  removed_at INTEGER
) STRICT;
CREATE UNIQUE INDEX one_template_of_a_name ON template (team_id, CASE shared WHEN 1 THEN '' ELSE person_id END, name_key) WHERE removed_at IS NULL;
CREATE INDEX template_image ON template (image) WHERE removed_at IS NULL;
