-- Storage that outlives instances: volumes and their snapshots, who has which attached, and what they cost.
CREATE TABLE storage_price (
  version              INTEGER PRIMARY KEY CHECK (version > 0),
  micros_per_gib_month INTEGER NOT NULL CHECK (micros_per_gib_month BETWEEN 0 AND 1000000000), -- a month is 730 hours
  starts_at            INTEGER NOT NULL,
  set_at               INTEGER NOT NULL,
  person_id            TEXT REFERENCES person (id)
) STRICT;
CREATE TRIGGER storage_price_never_changes BEFORE UPDATE ON storage_price BEGIN SELECT RAISE(ABORT, 'price_append_only'); END;
CREATE TRIGGER storage_price_never_shrinks BEFORE DELETE ON storage_price BEGIN SELECT RAISE(ABORT, 'price_append_only'); END;
INSERT INTO storage_price VALUES (1, 100000, 0, 0, NULL);

CREATE TABLE volume (
  seq            INTEGER PRIMARY KEY AUTOINCREMENT,
  id             TEXT    NOT NULL UNIQUE,
  name           TEXT    NOT NULL,
  state          TEXT    NOT NULL CHECK (state IN ('creating', 'ready', 'deleting', 'deleted', 'failed')),
  node_id        TEXT    NOT NULL REFERENCES node (id),
  team_id        TEXT    NOT NULL REFERENCES team (id),
  person_id      TEXT    NOT NULL REFERENCES person (id), -- who made it, and pays as a member
  shared         INTEGER NOT NULL CHECK (shared IN (0, 1)), -- the whole team may attach it
  gib            INTEGER NOT NULL CHECK (gib BETWEEN 1 AND 1048576), -- asked for
  held_gib       INTEGER NOT NULL DEFAULT 0, -- what the node has made of it, and what is billed
  rate           INTEGER NOT NULL CHECK (rate >= 0), -- micro-units a GiB-month, locked
  snapshot_id    TEXT, -- it begins as this one; NULL: empty
  created_at     INTEGER NOT NULL,
  ready_at       INTEGER, -- billed from then on
  deleted_at     INTEGER, -- and until then
  fault          TEXT    NOT NULL DEFAULT '', -- why the node could not do what was asked last
  used_bytes     INTEGER, -- as last seen
  held_bytes     INTEGER, -- what fits in it, as last seen
  seen_at        INTEGER,
  booked_micros  INTEGER NOT NULL DEFAULT 0,
  booked_through INTEGER,
  CHECK ((state IN ('deleted', 'failed')) = (deleted_at IS NOT NULL)),
  CHECK (state IN ('creating', 'failed') OR ready_at IS NOT NULL)
) STRICT;
CREATE UNIQUE INDEX one_volume_of_a_name ON volume (team_id, name) WHERE deleted_at IS NULL;
CREATE INDEX volume_open ON volume (team_id) WHERE deleted_at IS NULL;
CREATE TRIGGER volume_stays BEFORE DELETE ON volume BEGIN SELECT RAISE(ABORT, 'volume_stays'); END;
CREATE TRIGGER volume_step BEFORE UPDATE OF state ON volume
WHEN OLD.state <> NEW.state AND (OLD.state, NEW.state) NOT IN (VALUES ('creating', 'ready'), ('creating', 'failed'), ('ready', 'deleting'), ('deleting', 'deleted'))
BEGIN SELECT RAISE(ABORT, 'step_not_allowed'); END;
CREATE TRIGGER volume_terms_locked BEFORE UPDATE OF rate, team_id, person_id, node_id ON volume
WHEN OLD.rate <> NEW.rate OR OLD.team_id <> NEW.team_id OR OLD.person_id <> NEW.person_id OR OLD.node_id <> NEW.node_id
BEGIN SELECT RAISE(ABORT, 'terms_locked'); END;
CREATE TRIGGER volume_only_grows BEFORE UPDATE OF gib, held_gib ON volume
WHEN NEW.gib < OLD.gib OR NEW.held_gib < OLD.held_gib OR NEW.held_gib > NEW.gib
BEGIN SELECT RAISE(ABORT, 'volume_only_grows'); END;

CREATE TABLE volume_snapshot (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT    NOT NULL UNIQUE,
  volume_id  TEXT    NOT NULL REFERENCES volume (id),
  name       TEXT    NOT NULL,
  state      TEXT    NOT NULL CHECK (state IN ('creating', 'ready', 'deleting', 'deleted', 'failed')),
  person_id  TEXT    NOT NULL REFERENCES person (id),
  gib        INTEGER NOT NULL DEFAULT 0, -- what it takes, begun GiB
  rate       INTEGER NOT NULL CHECK (rate >= 0),
  created_at INTEGER NOT NULL,
  ready_at   INTEGER,
  deleted_at INTEGER,
  fault      TEXT    NOT NULL DEFAULT '',
  CHECK ((state IN ('deleted', 'failed')) = (deleted_at IS NOT NULL))
) STRICT;
CREATE INDEX volume_snapshot_of ON volume_snapshot (volume_id, seq);
CREATE TRIGGER volume_snapshot_stays BEFORE DELETE ON volume_snapshot BEGIN SELECT RAISE(ABORT, 'volume_stays'); END;
CREATE TRIGGER volume_snapshot_step BEFORE UPDATE OF state ON volume_snapshot
WHEN OLD.state <> NEW.state AND (OLD.state, NEW.state) NOT IN (VALUES ('creating', 'ready'), ('creating', 'failed'), ('ready', 'deleting'), ('deleting', 'deleted'))
BEGIN SELECT RAISE(ABORT, 'step_not_allowed'); END;

-- A volume is written by one instance at a time, or only read by several.
CREATE TABLE volume_attachment (
  instance_id TEXT    NOT NULL REFERENCES instance (id),
  volume_id   TEXT    NOT NULL REFERENCES volume (id),
  path        TEXT    NOT NULL CHECK (substr(path, 1, 1) = '/'),
  read_only   INTEGER NOT NULL CHECK (read_only IN (0, 1)),
  attached_at INTEGER NOT NULL,
  released_at INTEGER, -- NULL: attached
  PRIMARY KEY (instance_id, volume_id),
  UNIQUE (instance_id, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX volume_attachment_live ON volume_attachment (volume_id) WHERE released_at IS NULL;
CREATE TRIGGER volume_has_one_writer BEFORE INSERT ON volume_attachment
WHEN EXISTS (SELECT 1 FROM volume_attachment WHERE volume_id = NEW.volume_id AND released_at IS NULL AND (read_only = 0 OR NEW.read_only = 0))
BEGIN SELECT RAISE(ABORT, 'volume_attached'); END;
CREATE TRIGGER volume_attached_to_live BEFORE INSERT ON volume_attachment
WHEN NEW.released_at IS NOT NULL OR (SELECT state FROM volume WHERE id = NEW.volume_id) <> 'ready'
  OR (SELECT state FROM instance WHERE id = NEW.instance_id) IN ('stopped', 'failed')
BEGIN SELECT RAISE(ABORT, 'volume_not_ready'); END;
CREATE TRIGGER volume_released_at_end BEFORE UPDATE ON volume_attachment
WHEN OLD.released_at IS NOT NULL OR OLD.volume_id <> NEW.volume_id OR OLD.instance_id <> NEW.instance_id OR OLD.path <> NEW.path OR OLD.read_only <> NEW.read_only
  OR (SELECT state FROM instance WHERE id = NEW.instance_id) NOT IN ('stopped', 'failed')
BEGIN SELECT RAISE(ABORT, 'volume_attached'); END;
CREATE TRIGGER volume_attachment_stays BEFORE DELETE ON volume_attachment BEGIN SELECT RAISE(ABORT, 'volume_attached'); END;
CREATE TRIGGER instance_end_releases_volumes AFTER UPDATE OF state ON instance
WHEN NEW.state IN ('stopped', 'failed') AND OLD.state NOT IN ('stopped', 'failed')
BEGIN UPDATE volume_attachment SET released_at = NEW.ended_at WHERE instance_id = NEW.id AND released_at IS NULL; END;
CREATE TRIGGER volume_attached_is_not_deleted BEFORE UPDATE OF state ON volume
WHEN NEW.state = 'deleting' AND OLD.state <> 'deleting' AND EXISTS (SELECT 1 FROM volume_attachment WHERE volume_id = NEW.id AND released_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'volume_attached'); END;

-- The truth of a volume's bill: how much it and each of its snapshots took, from when to when.
CREATE TABLE volume_segment (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  volume_id   TEXT    NOT NULL REFERENCES volume (id),
  snapshot_id TEXT    REFERENCES volume_snapshot (id), -- NULL: the volume itself
  gib         INTEGER NOT NULL CHECK (gib > 0),
  rate        INTEGER NOT NULL CHECK (rate >= 0), -- micro-units a GiB-month
  from_at     INTEGER NOT NULL,
  to_at       INTEGER CHECK (to_at > from_at) -- NULL: open
) STRICT;
CREATE INDEX volume_segment_of ON volume_segment (volume_id, from_at);
CREATE TRIGGER volume_segment_no_overlap BEFORE INSERT ON volume_segment
WHEN EXISTS (SELECT 1 FROM volume_segment WHERE volume_id = NEW.volume_id AND snapshot_id IS NEW.snapshot_id
  AND (to_at IS NULL OR to_at > NEW.from_at) AND (NEW.to_at IS NULL OR NEW.to_at > from_at))
BEGIN SELECT RAISE(ABORT, 'segments_overlap'); END;
CREATE TRIGGER volume_segment_closed_is_history BEFORE UPDATE ON volume_segment
WHEN OLD.to_at IS NOT NULL OR OLD.volume_id <> NEW.volume_id OR OLD.from_at <> NEW.from_at OR OLD.rate <> NEW.rate OR OLD.gib <> NEW.gib
BEGIN SELECT RAISE(ABORT, 'segment_is_history'); END;
CREATE TRIGGER volume_segment_stays BEFORE DELETE ON volume_segment
WHEN OLD.to_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'segment_is_history'); END;

-- The ledger books storage too.
DROP TRIGGER posting_before_entry;
DROP TRIGGER posting_never_changes;
DROP TRIGGER posting_never_shrinks;
CREATE TABLE entry_next (
  id             INTEGER PRIMARY KEY,
  key            TEXT    NOT NULL UNIQUE, -- doing it twice has one effect
  kind           TEXT    NOT NULL CHECK (kind IN ('usage', 'minimum', 'waiver', 'correction', 'fee', 'refund', 'credit')),
  instance_id    TEXT    REFERENCES instance (id),
  reservation_id TEXT    REFERENCES reservation (id),
  volume_id      TEXT    REFERENCES volume (id),
  corrects_id    INTEGER REFERENCES entry (id),
  team_id        TEXT    NOT NULL REFERENCES team (id),
  person_id      TEXT    NOT NULL REFERENCES person (id),
  item           TEXT    NOT NULL CHECK (item IN ('on_demand', 'reserved', 'spot', 'storage')), -- what was rented
  gpu_model      TEXT    NOT NULL, -- '': CPU-only work, and storage
  at             INTEGER NOT NULL, -- booked
  from_at        INTEGER NOT NULL,
  to_at          INTEGER NOT NULL CHECK (to_at >= from_at),
  day            TEXT    NOT NULL CHECK (length(day) = 10), -- of the site's zone, in which from_at and to_at lie
  gpu_micros     INTEGER NOT NULL, -- microseconds of GPU time, billed
  note           TEXT    NOT NULL DEFAULT '',
  CHECK ((instance_id IS NOT NULL) + (reservation_id IS NOT NULL) + (volume_id IS NOT NULL) <= 1),
  CHECK (kind NOT IN ('usage', 'minimum', 'waiver') OR instance_id IS NOT NULL OR reservation_id IS NOT NULL OR volume_id IS NOT NULL),
  CHECK (volume_id IS NULL OR item = 'storage')
) STRICT;
INSERT INTO entry_next (id, key, kind, instance_id, reservation_id, corrects_id, team_id, person_id, item, gpu_model, at, from_at, to_at, day, gpu_micros, note)
  SELECT id, key, kind, instance_id, reservation_id, corrects_id, team_id, person_id, item, gpu_model, at, from_at, to_at, day, gpu_micros, note FROM entry;
DROP TABLE entry;
ALTER TABLE entry_next RENAME TO entry;
CREATE INDEX entry_instance ON entry (instance_id, id) WHERE instance_id IS NOT NULL;
CREATE INDEX entry_reservation ON entry (reservation_id, id) WHERE reservation_id IS NOT NULL;
CREATE INDEX entry_volume ON entry (volume_id, id) WHERE volume_id IS NOT NULL;
CREATE INDEX entry_team ON entry (team_id, id);
CREATE INDEX entry_team_day ON entry (team_id, day, id);
CREATE INDEX entry_corrects ON entry (corrects_id) WHERE corrects_id IS NOT NULL;
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
CREATE TRIGGER entry_correction_says_why BEFORE INSERT ON entry
WHEN NEW.corrects_id IS NOT NULL AND (NEW.note = '' OR NEW.kind NOT IN ('correction', 'credit')
  OR NOT EXISTS (SELECT 1 FROM entry WHERE id = NEW.corrects_id AND team_id = NEW.team_id))
BEGIN SELECT RAISE(ABORT, 'correction_wrong'); END;
CREATE TRIGGER entry_counts AFTER INSERT ON entry
BEGIN
  INSERT INTO cost_team_day SELECT NEW.team_id, NEW.day, amount FROM posting WHERE entry_id = NEW.id AND account = 'team:' || NEW.team_id
    ON CONFLICT DO UPDATE SET amount = amount + excluded.amount;
  INSERT INTO cost_member_day SELECT NEW.team_id, NEW.person_id, NEW.day, amount FROM posting WHERE entry_id = NEW.id AND account = 'team:' || NEW.team_id
    ON CONFLICT DO UPDATE SET amount = amount + excluded.amount;
  INSERT INTO cost_label_day SELECT NEW.team_id, l.key, l.value, NEW.day, p.amount, NEW.gpu_micros FROM posting p JOIN instance_label l ON l.instance_id = NEW.instance_id
    WHERE p.entry_id = NEW.id AND p.account = 'team:' || NEW.team_id
    ON CONFLICT DO UPDATE SET amount = amount + excluded.amount, gpu_micros = gpu_micros + excluded.gpu_micros;
  INSERT INTO cost_day SELECT NEW.day, NEW.team_id, NEW.person_id, NEW.item, NEW.gpu_model, amount, NEW.gpu_micros FROM posting
    WHERE entry_id = NEW.id AND account = 'team:' || NEW.team_id
    ON CONFLICT DO UPDATE SET amount = amount + excluded.amount, gpu_micros = gpu_micros + excluded.gpu_micros;
END;
