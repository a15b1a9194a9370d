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
