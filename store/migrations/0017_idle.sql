-- What instances do, in rows of five minutes: from it comes what is idle and what was paid for and not used. Old ones go.
CREATE TABLE activity (
  instance_id TEXT    NOT NULL REFERENCES instance (id),
  at          INTEGER NOT NULL, -- of the five minutes that begin then
  known       INTEGER NOT NULL CHECK (known BETWEEN 0 AND 300000000), -- microseconds of them in which all that follows was known
  busy        INTEGER NOT NULL CHECK (busy BETWEEN 0 AND known), -- in which the busiest of its GPUs was active
  used        INTEGER NOT NULL CHECK (used BETWEEN 0 AND busy),  -- in which its GPUs were, on average
  cpu         INTEGER NOT NULL CHECK (cpu >= 0),    -- microseconds of processors' time
  memory      INTEGER NOT NULL CHECK (memory >= 0), -- bytes, the most that its GPUs held
  PRIMARY KEY (instance_id, at)
) STRICT, WITHOUT ROWID;
CREATE INDEX activity_at ON activity (at);

-- How the site deals with what is idle; without a row, as store/idle says by default.
CREATE TABLE idle_setting (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  is_on   INTEGER NOT NULL CHECK (is_on IN (0, 1)),
  mail    INTEGER NOT NULL, -- microseconds, as are the others
  stop    INTEGER NOT NULL CHECK (stop > mail),
  minimum INTEGER NOT NULL CHECK (minimum >= 0),
  set_at  INTEGER NOT NULL,
  set_by  TEXT REFERENCES person (id) -- NULL: the console itself
) STRICT;

-- A time of being idle and what its person was told of it.
CREATE TABLE idle_spell (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  instance_id TEXT    NOT NULL REFERENCES instance (id),
  since_at    INTEGER NOT NULL,
  noted_at    INTEGER NOT NULL,
  told_at     INTEGER, -- by mail
  stops_at    INTEGER CHECK (stops_at > told_at),
  warned_at   INTEGER,
  over_at     INTEGER,
  over_why    TEXT CHECK (over_why IN ('active', 'kept', 'exempt', 'off', 'late', 'unknown', 'ended', 'stopped')),
  CHECK ((told_at IS NULL) = (stops_at IS NULL)),
  CHECK (warned_at IS NULL OR told_at IS NOT NULL),
  CHECK ((over_at IS NULL) = (over_why IS NULL))
) STRICT;
CREATE UNIQUE INDEX one_open_idle_spell ON idle_spell (instance_id) WHERE over_at IS NULL;
CREATE TRIGGER idle_spell_stays BEFORE UPDATE ON idle_spell
WHEN OLD.over_at IS NOT NULL OR OLD.instance_id <> NEW.instance_id OR OLD.stops_at IS NOT NULL AND OLD.stops_at IS NOT NEW.stops_at
BEGIN SELECT RAISE(ABORT, 'idle_spell_is_over'); END;
-- Nothing stays open of an instance that ends, whatever ends it.
CREATE TRIGGER idle_spell_ends AFTER UPDATE OF ended_at ON instance
WHEN NEW.ended_at IS NOT NULL AND OLD.ended_at IS NULL
BEGIN UPDATE idle_spell SET over_at = NEW.ended_at, over_why = CASE NEW.stop_reason WHEN 'idle' THEN 'stopped' ELSE 'ended' END
  WHERE instance_id = NEW.id AND over_at IS NULL; END;

-- Until when an instance is needed, as somebody said.
CREATE TABLE idle_keep (
  instance_id TEXT    PRIMARY KEY REFERENCES instance (id),
  until_at    INTEGER NOT NULL,
  person_id   TEXT    REFERENCES person (id), -- NULL: by the link in the mail
  at          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
