-- Calendars that other programs subscribe to, and what people were told ahead of time. The mail of it has the templates
-- instance_ends_soon, reservation_starts_soon and reservation_ends_soon.
CREATE TABLE calendar_feed (
  id         TEXT PRIMARY KEY,
  hash       BLOB    NOT NULL UNIQUE, -- SHA-256 of the secret in the address
  person_id  TEXT    NOT NULL REFERENCES person (id),
  created_at INTEGER NOT NULL,
  used_at    INTEGER,
  revoked_at INTEGER
) STRICT;
CREATE INDEX calendar_feed_person ON calendar_feed (person_id);

-- A notice is given once for each moment that it is about: an end that is moved is another one.
CREATE TABLE notice (
  kind       TEXT    NOT NULL CHECK (kind IN ('instance_ends', 'reservation_starts', 'reservation_ends')),
  subject_id TEXT    NOT NULL, -- the instance or reservation
  moment     INTEGER NOT NULL, -- when it ends or starts
  minutes    INTEGER NOT NULL CHECK (minutes > 0), -- before that
  at         INTEGER NOT NULL,
  PRIMARY KEY (kind, subject_id, moment, minutes)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER notice_stays BEFORE DELETE ON notice BEGIN SELECT RAISE(ABORT, 'notice_stays'); END;
CREATE TRIGGER notice_never_changes BEFORE UPDATE ON notice BEGIN SELECT RAISE(ABORT, 'notice_stays'); END;

-- A reservation that is made longer takes no GPU that somebody uses on demand by then.
CREATE TRIGGER reservation_gpu_grows_not_into_use BEFORE UPDATE OF to_at ON reservation_gpu
WHEN NEW.to_at > OLD.to_at AND EXISTS (SELECT 1 FROM instance_gpu h JOIN instance i ON i.id = h.instance_id
  WHERE h.gpu_uuid = NEW.gpu_uuid AND h.released_at IS NULL AND i.kind <> 'spot' AND i.ended_at IS NULL AND i.reservation_id IS NOT NEW.reservation_id
  AND (i.ends_at IS NULL OR i.ends_at > OLD.to_at) AND coalesce(i.placed_at, i.requested_at) < NEW.to_at)
BEGIN SELECT RAISE(ABORT, 'gpu_in_use'); END;
-- Nor does it move: where it begins stays.
CREATE TRIGGER reservation_starts_where_it_did BEFORE UPDATE OF start_at ON reservation
WHEN OLD.start_at <> NEW.start_at
BEGIN SELECT RAISE(ABORT, 'terms_locked'); END;
