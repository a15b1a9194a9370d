-- What a team or one of its members may use at most, in all pools or in one; a limit that is raised for a time; and who asked
-- for that and why.
CREATE TABLE quota (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  id          TEXT    NOT NULL UNIQUE,
  team_id     TEXT    NOT NULL REFERENCES team (id),
  person_id   TEXT    REFERENCES person (id), -- NULL: the whole team together
  pool_id     TEXT    REFERENCES pool (id),   -- NULL: all pools, and CPU-only work
  kind        TEXT    NOT NULL CHECK (kind IN ('gpus', 'instances', 'rate', 'term', 'spot_only', 'hours')),
  limit_value INTEGER NOT NULL CHECK (limit_value >= 0), -- thousandths of a GPU, instances, micro-units an hour, seconds
  hours       TEXT    NOT NULL CHECK (json_valid(hours)), -- of the week, a number of 24 bits a day from Sunday on; [] without
  set_at      INTEGER NOT NULL,
  set_by      TEXT    REFERENCES person (id), -- NULL: the console itself
  ended_at    INTEGER, -- taken away
  CHECK (kind NOT IN ('spot_only', 'hours') OR limit_value = 0),
  CHECK ((kind = 'hours') = (json_array_length(hours) = 7))
) STRICT;
CREATE UNIQUE INDEX one_quota_of_a_kind ON quota (team_id, coalesce(person_id, ''), coalesce(pool_id, ''), kind) WHERE ended_at IS NULL;
CREATE TRIGGER quota_stays BEFORE DELETE ON quota BEGIN SELECT RAISE(ABORT, 'quota_stays'); END;
CREATE TRIGGER quota_is_for_whom_it_was BEFORE UPDATE ON quota
WHEN OLD.ended_at IS NOT NULL OR OLD.team_id <> NEW.team_id OR OLD.person_id IS NOT NEW.person_id OR OLD.pool_id IS NOT NEW.pool_id OR OLD.kind <> NEW.kind
BEGIN SELECT RAISE(ABORT, 'quota_stays'); END;

CREATE TABLE quota_request (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  id          TEXT    NOT NULL UNIQUE,
  quota_id    TEXT    NOT NULL REFERENCES quota (id),
  person_id   TEXT    NOT NULL REFERENCES person (id), -- who asks
  limit_value INTEGER NOT NULL CHECK (limit_value >= 0), -- wished for; of those without a limit nothing
  hours_long  INTEGER NOT NULL CHECK (hours_long > 0), -- for how long it is wished
  why         TEXT    NOT NULL CHECK (length(why) > 0),
  state       TEXT    NOT NULL CHECK (state IN ('open', 'granted', 'refused', 'withdrawn')),
  asked_at    INTEGER NOT NULL,
  decided_at  INTEGER,
  decided_by  TEXT    REFERENCES person (id), -- NULL: the console itself, as its rule was taken away
  reason      TEXT    NOT NULL DEFAULT '', -- of a refusal
  CHECK ((state = 'open') = (decided_at IS NULL)),
  CHECK (state NOT IN ('granted', 'refused') OR decided_by IS NOT NULL)
) STRICT;
CREATE UNIQUE INDEX one_open_quota_request ON quota_request (quota_id, person_id) WHERE state = 'open';
CREATE INDEX quota_request_person ON quota_request (person_id, seq);
CREATE TRIGGER quota_request_stays BEFORE DELETE ON quota_request BEGIN SELECT RAISE(ABORT, 'request_is_decided'); END;
CREATE TRIGGER quota_request_is_decided_once BEFORE UPDATE ON quota_request
WHEN OLD.state <> 'open'
BEGIN SELECT RAISE(ABORT, 'request_is_decided'); END;

-- A grant ends by itself: nothing is done then, it counts no more.
CREATE TABLE quota_grant (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  quota_id    TEXT    NOT NULL REFERENCES quota (id),
  request_id  TEXT    UNIQUE REFERENCES quota_request (id), -- one request is granted once
  limit_value INTEGER NOT NULL CHECK (limit_value >= 0), -- of those without a limit nothing: the rule is lifted
  from_at     INTEGER NOT NULL,
  until_at    INTEGER NOT NULL CHECK (until_at > from_at), -- not included
  granted_by  TEXT    REFERENCES person (id),
  ended_at    INTEGER -- taken back before
) STRICT;
CREATE INDEX quota_grant_of ON quota_grant (quota_id, until_at);
CREATE TRIGGER quota_grant_stays BEFORE DELETE ON quota_grant BEGIN SELECT RAISE(ABORT, 'quota_stays'); END;

-- How far a person has read the notices in the inbox.
CREATE TABLE inbox_read (
  person_id TEXT    PRIMARY KEY REFERENCES person (id),
  read_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
