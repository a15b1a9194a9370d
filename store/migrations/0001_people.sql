-- The site, its people and how they prove who they are. Times are microseconds UTC; of secrets only SHA-256 is kept.
CREATE TABLE site (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  name       TEXT    NOT NULL,
  currency   TEXT    NOT NULL CHECK (length(currency) = 3),
  time_zone  TEXT    NOT NULL,
  lang       TEXT    NOT NULL CHECK (lang IN ('en', 'zh')),
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE setup_code (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  hash       BLOB    NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE TABLE team (
  id         TEXT PRIMARY KEY,
  name       TEXT    NOT NULL,
  name_key   TEXT    NOT NULL UNIQUE, -- folded: two teams that read the same are one
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE person (
  id            TEXT PRIMARY KEY,
  name          TEXT    NOT NULL,
  name_key      TEXT    NOT NULL UNIQUE,
  email         TEXT    NOT NULL,
  email_key     TEXT    NOT NULL UNIQUE,
  lang          TEXT    NOT NULL CHECK (lang IN ('', 'en', 'zh')), -- '': as the browser asks for; mail in the site's
  admin         INTEGER NOT NULL CHECK (admin IN (0, 1)),
  team_id       TEXT    NOT NULL REFERENCES team (id), -- home team
  password_hash TEXT,
  created_at    INTEGER NOT NULL,
  disabled_at   INTEGER
) STRICT;
CREATE INDEX person_admin ON person (id) WHERE admin = 1;

CREATE TABLE member (
  team_id   TEXT NOT NULL REFERENCES team (id),
  person_id TEXT NOT NULL REFERENCES person (id),
  role      TEXT NOT NULL CHECK (role IN ('viewer', 'member', 'manager')),
  PRIMARY KEY (team_id, person_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX member_person ON member (person_id);

CREATE TABLE session (
  id         TEXT PRIMARY KEY,
  hash       BLOB    NOT NULL UNIQUE,
  person_id  TEXT    NOT NULL REFERENCES person (id),
  created_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  addr       TEXT    NOT NULL,
  agent      TEXT    NOT NULL
) STRICT;
CREATE INDEX session_person ON session (person_id);
CREATE INDEX session_expires ON session (expires_at);

CREATE TABLE login_link (
  hash       BLOB PRIMARY KEY,
  person_id  TEXT    NOT NULL REFERENCES person (id),
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE throttle (
  key      TEXT PRIMARY KEY, -- person:ID, name:HASH of one that nobody has, addr:ADDRESS
  attempts INTEGER NOT NULL CHECK (attempts > 0),
  last_at  INTEGER NOT NULL,
  until_at INTEGER NOT NULL -- nothing is looked at before
) STRICT, WITHOUT ROWID;
CREATE INDEX throttle_last ON throttle (last_at);

CREATE TABLE api_token (
  id         TEXT PRIMARY KEY,
  hash       BLOB    NOT NULL UNIQUE,
  person_id  TEXT    NOT NULL REFERENCES person (id),
  name       TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  used_at    INTEGER,
  revoked_at INTEGER
) STRICT;
CREATE INDEX api_token_person ON api_token (person_id);

CREATE TABLE ssh_key (
  id          TEXT PRIMARY KEY,
  person_id   TEXT    NOT NULL REFERENCES person (id),
  name        TEXT    NOT NULL,
  key         TEXT    NOT NULL,
  fingerprint TEXT    NOT NULL,
  created_at  INTEGER NOT NULL,
  UNIQUE (person_id, fingerprint)
) STRICT;

CREATE TABLE ticket (
  hash       BLOB PRIMARY KEY,
  person_id  TEXT    NOT NULL REFERENCES person (id),
  purpose    TEXT    NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX ticket_expires ON ticket (expires_at);

CREATE TABLE audit (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  at        INTEGER NOT NULL,
  person_id TEXT REFERENCES person (id),
  action    TEXT    NOT NULL,
  target    TEXT    NOT NULL,
  detail    TEXT    NOT NULL,
  addr      TEXT    NOT NULL
) STRICT;
CREATE TRIGGER audit_never_changes BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'audit_append_only'); END;
CREATE TRIGGER audit_never_shrinks BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'audit_append_only'); END;
