-- Budgets over rolling days, with forecasts and more to do than to refuse; mail that is asked again whether it is still
-- true, gathered into digests, and not sent to who wants none of it; browsers that a person has signed in from.

CREATE TABLE budget_next (
  id           TEXT PRIMARY KEY,
  name         TEXT    NOT NULL,
  scope        TEXT    NOT NULL CHECK (scope IN ('team', 'member', 'label')),
  team_id      TEXT    NOT NULL REFERENCES team (id),
  person_id    TEXT    REFERENCES person (id),
  label_key    TEXT,
  label_value  TEXT,
  period       TEXT    NOT NULL CHECK (period IN ('day', 'week', 'month', 'quarter', 'rolling')),
  rolling_days INTEGER CHECK (rolling_days BETWEEN 1 AND 366), -- how long a rolling period is, today included
  limit_micros INTEGER NOT NULL CHECK (limit_micros > 0),
  thresholds   TEXT    NOT NULL CHECK (json_valid(thresholds)),
  forecasts    TEXT    NOT NULL DEFAULT '[100]' CHECK (json_valid(forecasts)), -- thresholds of what is expected at the end
  action       TEXT    NOT NULL CHECK (action IN ('notify', 'block', 'spot_only', 'stop')),
  emails       TEXT    NOT NULL CHECK (json_valid(emails)),
  version      INTEGER NOT NULL CHECK (version > 0),
  version_at   INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  checked_at   INTEGER NOT NULL, -- every period up to here was looked at
  deleted_at   INTEGER,
  CHECK ((scope = 'member') = (person_id IS NOT NULL)),
  CHECK ((scope = 'label') = (label_key IS NOT NULL AND label_value IS NOT NULL)),
  CHECK ((period = 'rolling') = (rolling_days IS NOT NULL))
) STRICT;
INSERT INTO budget_next (id, name, scope, team_id, person_id, label_key, label_value, period, limit_micros, thresholds, action, emails, version, version_at,
  created_at, checked_at, deleted_at) SELECT id, name, scope, team_id, person_id, label_key, label_value, period, limit_micros, thresholds, action, emails,
  version, version_at, created_at, checked_at, deleted_at FROM budget;
DROP TABLE budget;
ALTER TABLE budget_next RENAME TO budget;
CREATE INDEX budget_team ON budget (team_id) WHERE deleted_at IS NULL;

-- That what runs on a used-up budget will be stopped, told when and for when: once a version and period.
CREATE TABLE budget_stop (
  budget_id     TEXT    NOT NULL REFERENCES budget (id),
  version       INTEGER NOT NULL,
  period_start  INTEGER NOT NULL,
  told_at       INTEGER NOT NULL,
  stops_at      INTEGER NOT NULL CHECK (stops_at > told_at),
  called_off_at INTEGER, -- there was money again before it came to that
  done_at       INTEGER,
  PRIMARY KEY (budget_id, version, period_start),
  CHECK (called_off_at IS NULL OR done_at IS NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX budget_stop_open ON budget_stop (stops_at) WHERE called_off_at IS NULL AND done_at IS NULL;

-- What the outbox may hold. A new kind of mail is a row here and words in both languages.
CREATE TABLE mail_template (
  name TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
INSERT INTO mail_template VALUES ('budget_threshold'), ('budget_reached'), ('budget_forecast'), ('budget_stop_notice'), ('spot_notice'),
  ('reservation_starts_soon'), ('reservation_ends_soon'), ('instance_ends_soon'), ('instance_stopped'), ('idle_warning'), ('gpu_fault'), ('gpu_quarantined'),
  ('invitation'), ('new_device'), ('quota_requested'), ('quota_decided'), ('digest'), ('test');

CREATE TABLE outbox_next (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id    TEXT    NOT NULL UNIQUE,
  recipient     TEXT    NOT NULL,
  recipient_key TEXT    NOT NULL, -- folded: who it is
  lang          TEXT    NOT NULL CHECK (lang IN ('en', 'zh')),
  template      TEXT    NOT NULL REFERENCES mail_template (name),
  data          TEXT    NOT NULL CHECK (json_valid(data)),
  tries         INTEGER NOT NULL DEFAULT 0,
  created_at    INTEGER NOT NULL,
  next_try_at   INTEGER NOT NULL,
  sent_at       INTEGER,
  dead_at       INTEGER,
  dropped_at    INTEGER, -- not sent: last_error says why
  last_error    TEXT    NOT NULL DEFAULT '',
  digest_id     INTEGER REFERENCES outbox (id), -- the mail that tells it among others
  CHECK ((sent_at IS NOT NULL) + (dead_at IS NOT NULL) + (dropped_at IS NOT NULL) <= 1),
  CHECK (digest_id IS NULL OR template <> 'digest')
) STRICT;
INSERT INTO outbox_next (id, message_id, recipient, recipient_key, lang, template, data, tries, created_at, next_try_at, sent_at, dead_at, last_error)
  SELECT id, message_id, recipient, lower(recipient), lang, template, data, tries, created_at, next_try_at, sent_at, dead_at, last_error FROM outbox;
DROP TABLE outbox;
ALTER TABLE outbox_next RENAME TO outbox;
CREATE INDEX outbox_due ON outbox (next_try_at) WHERE sent_at IS NULL AND dead_at IS NULL AND dropped_at IS NULL AND digest_id IS NULL;
CREATE INDEX outbox_sent ON outbox (recipient_key, sent_at) WHERE sent_at IS NOT NULL;
CREATE INDEX outbox_dead ON outbox (id) WHERE dead_at IS NOT NULL;
CREATE INDEX outbox_digest ON outbox (digest_id) WHERE digest_id IS NOT NULL;

-- Which mail an address wants, also one that is nobody's here; without a row all of it, as it comes.
CREATE TABLE mail_preference (
  recipient_key TEXT PRIMARY KEY,
  off           TEXT    NOT NULL CHECK (json_valid(off)), -- kinds that are not wanted
  digest        INTEGER NOT NULL CHECK (digest IN (0, 1)), -- 1: what is not urgent once an hour in one mail
  changed_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Proves that a link to stop mail is of a mail that was sent.
CREATE TABLE mail_key (
  id  INTEGER PRIMARY KEY CHECK (id = 1),
  key BLOB    NOT NULL CHECK (length(key) = 32)
) STRICT;
INSERT INTO mail_key VALUES (1, randomblob(32));

CREATE TABLE device (
  person_id TEXT    NOT NULL REFERENCES person (id),
  hash      BLOB    NOT NULL, -- SHA-256 of the secret that the browser keeps
  first_at  INTEGER NOT NULL,
  seen_at   INTEGER NOT NULL,
  PRIMARY KEY (person_id, hash)
) STRICT, WITHOUT ROWID;
