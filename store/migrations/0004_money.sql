-- The ledger: append-only double entry. Postings come before their entry, whose insert closes it.
CREATE TABLE entry (
  id          INTEGER PRIMARY KEY,
  key         TEXT    NOT NULL UNIQUE, -- doing it twice has one effect
  kind        TEXT    NOT NULL CHECK (kind IN ('usage', 'minimum', 'waiver', 'correction')),
  instance_id TEXT    NOT NULL REFERENCES instance (id),
  team_id     TEXT    NOT NULL REFERENCES team (id),
  at          INTEGER NOT NULL,
  from_at     INTEGER NOT NULL,
  to_at       INTEGER NOT NULL CHECK (to_at >= from_at)
) STRICT;
CREATE INDEX entry_instance ON entry (instance_id, id);
CREATE INDEX entry_team ON entry (team_id, id);

CREATE TABLE posting (
  entry_id INTEGER NOT NULL REFERENCES entry (id) DEFERRABLE INITIALLY DEFERRED,
  account  TEXT    NOT NULL,
  amount   INTEGER NOT NULL,
  PRIMARY KEY (entry_id, account)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER entry_balances BEFORE INSERT ON entry
WHEN (SELECT count(*) FROM posting WHERE entry_id = NEW.id) < 2 OR (SELECT sum(amount) FROM posting WHERE entry_id = NEW.id) <> 0
BEGIN SELECT RAISE(ABORT, 'entry_not_balanced'); END;
CREATE TRIGGER entry_never_changes BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'ledger_append_only'); END;
CREATE TRIGGER entry_never_shrinks BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'ledger_append_only'); END;
CREATE TRIGGER posting_before_entry BEFORE INSERT ON posting
WHEN EXISTS (SELECT 1 FROM entry WHERE id = NEW.entry_id)
BEGIN SELECT RAISE(ABORT, 'ledger_append_only'); END;
CREATE TRIGGER posting_never_changes BEFORE UPDATE ON posting BEGIN SELECT RAISE(ABORT, 'ledger_append_only'); END;
CREATE TRIGGER posting_never_shrinks BEFORE DELETE ON posting BEGIN SELECT RAISE(ABORT, 'ledger_append_only'); END;

CREATE TABLE budget (
  id           TEXT PRIMARY KEY,
  name         TEXT    NOT NULL,
  scope        TEXT    NOT NULL CHECK (scope IN ('team', 'member', 'label')),
  team_id      TEXT    NOT NULL REFERENCES team (id),
  person_id    TEXT    REFERENCES person (id),
  label_key    TEXT,
  label_value  TEXT,
  period       TEXT    NOT NULL CHECK (period IN ('day', 'week', 'month', 'quarter')),
  limit_micros INTEGER NOT NULL CHECK (limit_micros > 0),
  thresholds   TEXT    NOT NULL CHECK (json_valid(thresholds)),
  action       TEXT    NOT NULL CHECK (action IN ('notify', 'block')),
  emails       TEXT    NOT NULL CHECK (json_valid(emails)),
  version      INTEGER NOT NULL CHECK (version > 0),
  version_at   INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  checked_at   INTEGER NOT NULL, -- every period up to here was looked at
  deleted_at   INTEGER,
  CHECK ((scope = 'member') = (person_id IS NOT NULL)),
  CHECK ((scope = 'label') = (label_key IS NOT NULL AND label_value IS NOT NULL))
) STRICT;
CREATE INDEX budget_team ON budget (team_id) WHERE deleted_at IS NULL;

CREATE TABLE budget_fire (
  budget_id    TEXT    NOT NULL REFERENCES budget (id),
  version      INTEGER NOT NULL,
  period_start INTEGER NOT NULL,
  kind         TEXT    NOT NULL CHECK (kind IN ('actual', 'forecast')),
  threshold    INTEGER NOT NULL,
  at           INTEGER NOT NULL,
  spent_micros INTEGER NOT NULL,
  PRIMARY KEY (budget_id, version, period_start, kind, threshold)
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id  TEXT    NOT NULL UNIQUE,
  recipient   TEXT    NOT NULL,
  lang        TEXT    NOT NULL CHECK (lang IN ('en', 'zh')),
  template    TEXT    NOT NULL CHECK (template IN ('budget_threshold', 'budget_reached', 'instance_stopped', 'invitation', 'gpu_quarantined')),
  data        TEXT    NOT NULL CHECK (json_valid(data)),
  tries       INTEGER NOT NULL DEFAULT 0,
  created_at  INTEGER NOT NULL,
  next_try_at INTEGER NOT NULL,
  sent_at     INTEGER,
  dead_at     INTEGER,
  last_error  TEXT    NOT NULL DEFAULT '',
  CHECK (sent_at IS NULL OR dead_at IS NULL)
) STRICT;
CREATE INDEX outbox_due ON outbox (next_try_at) WHERE sent_at IS NULL AND dead_at IS NULL;
