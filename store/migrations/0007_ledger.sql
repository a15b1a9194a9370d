-- What is booked is for an instance or for a reservation, lies in one day of the site's zone, and says for whom and what it
-- was, so that totals a day can be kept beside the entries in the same transaction.
CREATE TABLE reservation (
  seq             INTEGER PRIMARY KEY AUTOINCREMENT,
  id              TEXT    NOT NULL UNIQUE,
  name            TEXT    NOT NULL,
  team_id         TEXT    NOT NULL REFERENCES team (id),
  person_id       TEXT    NOT NULL REFERENCES person (id),
  plan_id         TEXT    NOT NULL REFERENCES plan (id),
  pool_id         TEXT    NOT NULL REFERENCES pool (id),
  gpu_model       TEXT    NOT NULL,
  gpu_count       INTEGER NOT NULL CHECK (gpu_count > 0),
  named           INTEGER NOT NULL CHECK (named IN (0, 1)), -- 1: these very GPUs; 0: any of the pool, moved until it begins
  simulated       INTEGER NOT NULL CHECK (simulated IN (0, 1)),
  start_at        INTEGER NOT NULL,
  end_at          INTEGER NOT NULL CHECK (end_at > start_at),
  state           TEXT    NOT NULL CHECK (state IN ('booked', 'cancelled', 'released', 'ended')),
  created_at      INTEGER NOT NULL,
  claimed_at      INTEGER, -- when its first instance started; NULL: a no-show so far
  cancelled_at    INTEGER,
  released_at     INTEGER, -- given back before its end: paid on, less what is rented again
  settled_at      INTEGER, -- nothing more will be booked
  booked_micros   INTEGER NOT NULL DEFAULT 0,
  booked_through  INTEGER,
  CHECK ((state = 'cancelled') = (cancelled_at IS NOT NULL)),
  CHECK (released_at IS NULL OR released_at >= start_at AND released_at < end_at)
) STRICT;
CREATE INDEX reservation_team ON reservation (team_id, seq);
CREATE INDEX reservation_pool ON reservation (pool_id, end_at) WHERE state IN ('booked', 'released');
CREATE INDEX reservation_open ON reservation (start_at) WHERE settled_at IS NULL;
CREATE TRIGGER reservation_stays BEFORE DELETE ON reservation BEGIN SELECT RAISE(ABORT, 'reservation_stays'); END;
-- A step is taken from the state in which it was decided: what is over stays over.
CREATE TRIGGER reservation_step BEFORE UPDATE OF state ON reservation
WHEN OLD.state <> NEW.state AND OLD.state <> 'booked' AND NOT (OLD.state = 'released' AND NEW.state = 'ended')
BEGIN SELECT RAISE(ABORT, 'step_not_allowed'); END;

-- What it costs, by parts: an extension has its own rate.
CREATE TABLE reservation_part (
  reservation_id TEXT    NOT NULL REFERENCES reservation (id),
  from_at        INTEGER NOT NULL,
  to_at          INTEGER NOT NULL CHECK (to_at > from_at),
  list_rate      INTEGER NOT NULL CHECK (list_rate >= 0), -- on demand, when it was booked
  discount_ppm   INTEGER NOT NULL CHECK (discount_ppm BETWEEN 0 AND 700000),
  rate           INTEGER NOT NULL CHECK (rate BETWEEN 0 AND list_rate),
  PRIMARY KEY (reservation_id, from_at)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER reservation_part_never_changes BEFORE UPDATE ON reservation_part BEGIN SELECT RAISE(ABORT, 'terms_locked'); END;
CREATE TRIGGER reservation_part_stays BEFORE DELETE ON reservation_part BEGIN SELECT RAISE(ABORT, 'terms_locked'); END;

-- Which GPUs it has, each until it gives them back. The database refuses two at once.
CREATE TABLE reservation_gpu (
  reservation_id TEXT    NOT NULL REFERENCES reservation (id),
  gpu_uuid       TEXT    NOT NULL REFERENCES gpu (uuid),
  from_at        INTEGER NOT NULL,
  to_at          INTEGER NOT NULL CHECK (to_at > from_at),
  PRIMARY KEY (reservation_id, gpu_uuid)
) STRICT, WITHOUT ROWID;
CREATE INDEX reservation_gpu_when ON reservation_gpu (gpu_uuid, to_at, from_at);
CREATE TRIGGER reservations_never_overlap BEFORE INSERT ON reservation_gpu
WHEN EXISTS (SELECT 1 FROM reservation_gpu WHERE gpu_uuid = NEW.gpu_uuid AND to_at > NEW.from_at AND from_at < NEW.to_at)
BEGIN SELECT RAISE(ABORT, 'reservations_overlap'); END;
CREATE TRIGGER reservations_never_grow_together BEFORE UPDATE ON reservation_gpu
WHEN OLD.reservation_id <> NEW.reservation_id OR EXISTS (SELECT 1 FROM reservation_gpu
  WHERE gpu_uuid = NEW.gpu_uuid AND reservation_id <> NEW.reservation_id AND to_at > NEW.from_at AND from_at < NEW.to_at)
BEGIN SELECT RAISE(ABORT, 'reservations_overlap'); END;

ALTER TABLE instance ADD COLUMN reservation_id TEXT REFERENCES reservation (id);
ALTER TABLE instance ADD COLUMN placed_at INTEGER; -- it has its GPUs since
ALTER TABLE instance ADD COLUMN ends_because TEXT NOT NULL DEFAULT ''; -- '': as asked for; 'reservation': somebody's begins
UPDATE instance SET placed_at = coalesce(started_at, requested_at) WHERE state <> 'queued';
CREATE INDEX instance_reservation ON instance (reservation_id) WHERE reservation_id IS NOT NULL;

-- Who holds a GPU on demand must be gone before somebody's reservation of it begins, and has that as a hard end.
CREATE TRIGGER instance_gpu_not_reserved BEFORE INSERT ON instance_gpu
WHEN EXISTS (SELECT 1 FROM instance i JOIN reservation_gpu r ON r.gpu_uuid = NEW.gpu_uuid
  WHERE i.id = NEW.instance_id AND i.kind <> 'spot' AND i.reservation_id IS NOT r.reservation_id
  AND r.to_at > coalesce(i.placed_at, i.requested_at) AND (i.ends_at IS NULL OR r.from_at < i.ends_at))
BEGIN SELECT RAISE(ABORT, 'gpu_reserved'); END;
CREATE TRIGGER reservation_gpu_not_in_use BEFORE INSERT ON reservation_gpu
WHEN EXISTS (SELECT 1 FROM instance_gpu h JOIN instance i ON i.id = h.instance_id
  WHERE h.gpu_uuid = NEW.gpu_uuid AND h.released_at IS NULL AND i.kind <> 'spot' AND i.ended_at IS NULL AND i.reservation_id IS NOT NEW.reservation_id
  AND (i.ends_at IS NULL OR i.ends_at > NEW.from_at) AND coalesce(i.placed_at, i.requested_at) < NEW.to_at)
BEGIN SELECT RAISE(ABORT, 'gpu_in_use'); END;
CREATE TRIGGER instance_end_not_reserved BEFORE UPDATE OF ends_at ON instance
WHEN NEW.ended_at IS NULL AND NEW.kind <> 'spot' AND EXISTS (SELECT 1 FROM instance_gpu h JOIN reservation_gpu r ON r.gpu_uuid = h.gpu_uuid
  WHERE h.instance_id = NEW.id AND h.released_at IS NULL AND r.reservation_id IS NOT NEW.reservation_id
  AND r.to_at > coalesce(NEW.placed_at, NEW.requested_at) AND (NEW.ends_at IS NULL OR r.from_at < NEW.ends_at))
BEGIN SELECT RAISE(ABORT, 'gpu_reserved'); END;

DROP TRIGGER posting_before_entry;
DROP TRIGGER posting_never_changes;
DROP TRIGGER posting_never_shrinks;
CREATE TABLE entry_next (
  id             INTEGER PRIMARY KEY,
  key            TEXT    NOT NULL UNIQUE, -- doing it twice has one effect
  kind           TEXT    NOT NULL CHECK (kind IN ('usage', 'minimum', 'waiver', 'correction', 'fee', 'refund', 'credit')),
  instance_id    TEXT    REFERENCES instance (id),
  reservation_id TEXT    REFERENCES reservation (id),
  corrects_id    INTEGER REFERENCES entry (id),
  team_id        TEXT    NOT NULL REFERENCES team (id),
  person_id      TEXT    NOT NULL REFERENCES person (id),
  item           TEXT    NOT NULL CHECK (item IN ('on_demand', 'reserved', 'spot')), -- what was rented
  gpu_model      TEXT    NOT NULL, -- '': CPU-only work
  at             INTEGER NOT NULL, -- booked
  from_at        INTEGER NOT NULL,
  to_at          INTEGER NOT NULL CHECK (to_at >= from_at),
  day            TEXT    NOT NULL CHECK (length(day) = 10), -- of the site's zone, in which from_at and to_at lie
  gpu_micros     INTEGER NOT NULL, -- microseconds of GPU time, billed
  note           TEXT    NOT NULL DEFAULT '',
  CHECK (instance_id IS NULL OR reservation_id IS NULL),
  CHECK (kind NOT IN ('usage', 'minimum', 'waiver') OR instance_id IS NOT NULL OR reservation_id IS NOT NULL)
) STRICT;
INSERT INTO entry_next (id, key, kind, instance_id, team_id, person_id, item, gpu_model, at, from_at, to_at, day, gpu_micros)
  SELECT e.id, e.key, e.kind, e.instance_id, e.team_id, i.person_id, i.kind, i.gpu_model, e.at, e.from_at, e.to_at,
    local_day(CASE WHEN e.to_at > e.from_at THEN e.from_at ELSE e.from_at - 1 END, (SELECT time_zone FROM site)),
    CASE e.kind WHEN 'usage' THEN i.gpu_count * (SELECT coalesce(sum(min(coalesce(s.to_at, e.to_at), e.to_at) - max(s.from_at, e.from_at)), 0) FROM segment s
      WHERE s.instance_id = e.instance_id AND s.billable = 1 AND s.from_at < e.to_at AND coalesce(s.to_at, e.to_at) > e.from_at) ELSE 0 END
  FROM entry e JOIN instance i ON i.id = e.instance_id;
DROP TABLE entry;
ALTER TABLE entry_next RENAME TO entry;
CREATE INDEX entry_instance ON entry (instance_id, id) WHERE instance_id IS NOT NULL;
CREATE INDEX entry_reservation ON entry (reservation_id, id) WHERE reservation_id IS NOT NULL;
CREATE INDEX entry_team ON entry (team_id, id);
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

-- Totals a day: what the entries add up to, kept by the database itself in the same transaction. `doctor ledger` compares.
CREATE TABLE cost_team_day (
  team_id TEXT    NOT NULL REFERENCES team (id),
  day     TEXT    NOT NULL,
  amount  INTEGER NOT NULL,
  PRIMARY KEY (team_id, day)
) STRICT, WITHOUT ROWID;
CREATE TABLE cost_member_day (
  team_id   TEXT    NOT NULL REFERENCES team (id),
  person_id TEXT    NOT NULL REFERENCES person (id),
  day       TEXT    NOT NULL,
  amount    INTEGER NOT NULL,
  PRIMARY KEY (team_id, person_id, day)
) STRICT, WITHOUT ROWID;
CREATE TABLE cost_label_day (
  team_id TEXT    NOT NULL REFERENCES team (id),
  key     TEXT    NOT NULL,
  value   TEXT    NOT NULL,
  day     TEXT    NOT NULL,
  amount  INTEGER NOT NULL,
  PRIMARY KEY (team_id, key, value, day)
) STRICT, WITHOUT ROWID;
CREATE TABLE cost_day (
  day        TEXT    NOT NULL,
  team_id    TEXT    NOT NULL REFERENCES team (id),
  person_id  TEXT    NOT NULL REFERENCES person (id),
  item       TEXT    NOT NULL,
  gpu_model  TEXT    NOT NULL,
  amount     INTEGER NOT NULL,
  gpu_micros INTEGER NOT NULL,
  PRIMARY KEY (day, team_id, person_id, item, gpu_model)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER entry_counts AFTER INSERT ON entry
BEGIN
  INSERT INTO cost_team_day SELECT NEW.team_id, NEW.day, amount FROM posting WHERE entry_id = NEW.id AND account = 'team:' || NEW.team_id
    ON CONFLICT DO UPDATE SET amount = amount + excluded.amount;
  INSERT INTO cost_member_day SELECT NEW.team_id, NEW.person_id, NEW.day, amount FROM posting WHERE entry_id = NEW.id AND account = 'team:' || NEW.team_id
    ON CONFLICT DO UPDATE SET amount = amount + excluded.amount;
  INSERT INTO cost_label_day SELECT NEW.team_id, l.key, l.value, NEW.day, p.amount FROM posting p JOIN instance_label l ON l.instance_id = NEW.instance_id
    WHERE p.entry_id = NEW.id AND p.account = 'team:' || NEW.team_id
    ON CONFLICT DO UPDATE SET amount = amount + excluded.amount;
  INSERT INTO cost_day SELECT NEW.day, NEW.team_id, NEW.person_id, NEW.item, NEW.gpu_model, amount, NEW.gpu_micros FROM posting
    WHERE entry_id = NEW.id AND account = 'team:' || NEW.team_id
    ON CONFLICT DO UPDATE SET amount = amount + excluded.amount, gpu_micros = gpu_micros + excluded.gpu_micros;
END;
INSERT INTO cost_day SELECT e.day, e.team_id, e.person_id, e.item, e.gpu_model, sum(p.amount), sum(e.gpu_micros)
  FROM entry e JOIN posting p ON p.entry_id = e.id AND p.account = 'team:' || e.team_id GROUP BY 1, 2, 3, 4, 5;
INSERT INTO cost_team_day SELECT team_id, day, sum(amount) FROM cost_day GROUP BY 1, 2;
INSERT INTO cost_member_day SELECT team_id, person_id, day, sum(amount) FROM cost_day GROUP BY 1, 2, 3;
INSERT INTO cost_label_day SELECT e.team_id, l.key, l.value, e.day, sum(p.amount) FROM entry e JOIN posting p ON p.entry_id = e.id AND p.account = 'team:' || e.team_id
  JOIN instance_label l ON l.instance_id = e.instance_id GROUP BY 1, 2, 3, 4;
