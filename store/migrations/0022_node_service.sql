-- What an admin said of a node stands beside whether it is heard of: one that is lost and comes back is still cordoned.
CREATE TABLE node_next (
  id             TEXT PRIMARY KEY,
  name           TEXT    NOT NULL UNIQUE,
  local          INTEGER NOT NULL CHECK (local IN (0, 1)),
  state          TEXT    NOT NULL CHECK (state IN ('up', 'lost')),
  executor       TEXT    NOT NULL,
  build          TEXT    NOT NULL DEFAULT '', -- the version of its agent; '': not known
  seen_at        INTEGER NOT NULL,
  created_at     INTEGER NOT NULL,
  service        TEXT    NOT NULL DEFAULT 'open' CHECK (service IN ('open', 'cordoned', 'draining')),
  service_reason TEXT    NOT NULL DEFAULT '',
  service_by     TEXT    REFERENCES person (id), -- NULL: nobody yet, or at the console's own machine
  service_at     INTEGER,
  drain_by       INTEGER, -- when what still runs there ends; NULL: when it ends by itself
  CHECK (drain_by IS NULL OR service = 'draining')
) STRICT;
INSERT INTO node_next (id, name, local, state, executor, seen_at, created_at, service)
  SELECT id, name, local, CASE state WHEN 'lost' THEN 'lost' ELSE 'up' END, executor, seen_at, created_at, CASE state WHEN 'cordoned' THEN 'cordoned' ELSE 'open' END FROM node;
DROP TABLE node;
ALTER TABLE node_next RENAME TO node;

-- A maintenance window is a time in which nothing is on a node. All of its GPUs are taken then, as by a reservation.
CREATE TABLE maintenance (
  id           TEXT PRIMARY KEY,
  node_id      TEXT    NOT NULL REFERENCES node (id),
  start_at     INTEGER NOT NULL,
  end_at       INTEGER NOT NULL CHECK (end_at > start_at),
  reason       TEXT    NOT NULL,
  person_id    TEXT    REFERENCES person (id), -- NULL: at the console's own machine
  created_at   INTEGER NOT NULL,
  cancelled_at INTEGER
) STRICT;
CREATE INDEX maintenance_of ON maintenance (node_id, end_at) WHERE cancelled_at IS NULL;
CREATE TRIGGER maintenance_never_overlaps BEFORE INSERT ON maintenance
WHEN EXISTS (SELECT 1 FROM maintenance WHERE node_id = NEW.node_id AND cancelled_at IS NULL AND end_at > NEW.start_at AND start_at < NEW.end_at)
BEGIN SELECT RAISE(ABORT, 'maintenance_overlaps'); END;
CREATE TRIGGER maintenance_not_in_use BEFORE INSERT ON maintenance
WHEN EXISTS (SELECT 1 FROM reservation_gpu h JOIN gpu g ON g.uuid = h.gpu_uuid WHERE g.node_id = NEW.node_id AND h.to_at > NEW.start_at AND h.from_at < NEW.end_at)
  OR EXISTS (SELECT 1 FROM instance i WHERE i.node_id = NEW.node_id AND i.kind <> 'spot' AND i.ended_at IS NULL AND i.state <> 'queued'
    AND (i.ends_at IS NULL OR i.ends_at > NEW.start_at) AND coalesce(i.placed_at, i.requested_at) < NEW.end_at)
BEGIN SELECT RAISE(ABORT, 'maintenance_in_use'); END;
CREATE TRIGGER maintenance_stays_where_it_is BEFORE UPDATE OF node_id, start_at, end_at ON maintenance
BEGIN SELECT RAISE(ABORT, 'terms_locked'); END;

-- When a GPU is taken by what is planned: reservations, and windows of its node, which are nobody's reservation.
CREATE VIEW gpu_planned AS
  SELECT gpu_uuid, reservation_id, from_at, to_at FROM reservation_gpu
  UNION ALL
  SELECT g.uuid, NULL, m.start_at, m.end_at FROM maintenance m JOIN gpu g ON g.node_id = m.node_id WHERE m.cancelled_at IS NULL;

CREATE TRIGGER reservation_gpu_not_in_maintenance BEFORE INSERT ON reservation_gpu
WHEN EXISTS (SELECT 1 FROM maintenance m JOIN gpu g ON g.node_id = m.node_id WHERE g.uuid = NEW.gpu_uuid AND m.cancelled_at IS NULL AND m.end_at > NEW.from_at AND m.start_at < NEW.to_at)
BEGIN SELECT RAISE(ABORT, 'gpu_in_maintenance'); END;
CREATE TRIGGER reservation_gpu_grows_not_into_maintenance BEFORE UPDATE OF to_at ON reservation_gpu
WHEN NEW.to_at > OLD.to_at AND EXISTS (SELECT 1 FROM maintenance m JOIN gpu g ON g.node_id = m.node_id
  WHERE g.uuid = NEW.gpu_uuid AND m.cancelled_at IS NULL AND m.end_at > OLD.to_at AND m.start_at < NEW.to_at)
BEGIN SELECT RAISE(ABORT, 'gpu_in_maintenance'); END;
-- Who is on a node, with a GPU or without, is gone before its maintenance; who yields gets notice instead.
CREATE TRIGGER instance_not_in_maintenance BEFORE UPDATE OF ends_at, node_id ON instance
WHEN NEW.ended_at IS NULL AND NEW.kind <> 'spot' AND EXISTS (SELECT 1 FROM maintenance m WHERE m.node_id = NEW.node_id AND m.cancelled_at IS NULL
  AND m.end_at > coalesce(NEW.placed_at, NEW.requested_at) AND (NEW.ends_at IS NULL OR m.start_at < NEW.ends_at))
BEGIN SELECT RAISE(ABORT, 'node_in_maintenance'); END;
CREATE TRIGGER instance_begins_not_in_maintenance BEFORE INSERT ON instance
WHEN NEW.ended_at IS NULL AND NEW.kind <> 'spot' AND EXISTS (SELECT 1 FROM maintenance m WHERE m.node_id = NEW.node_id AND m.cancelled_at IS NULL
  AND m.end_at > coalesce(NEW.placed_at, NEW.requested_at) AND (NEW.ends_at IS NULL OR m.start_at < NEW.ends_at))
BEGIN SELECT RAISE(ABORT, 'node_in_maintenance'); END;

ALTER TABLE instance ADD COLUMN kept_ends_at INTEGER;                    -- its hard end before a drain or a window set an earlier one
ALTER TABLE instance ADD COLUMN kept_because TEXT NOT NULL DEFAULT ''; -- and what had set that
ALTER TABLE instance ADD COLUMN wanted_node TEXT REFERENCES node (id); -- where it is to run; NULL: anywhere

-- How GPUs are joined.
ALTER TABLE gpu ADD COLUMN island TEXT NOT NULL DEFAULT ''; -- those of a node with the same are joined by NVLink; '': by none, or not known
ALTER TABLE gpu ADD COLUMN numa TEXT NOT NULL DEFAULT '';   -- the NUMA node of its PCIe root; '': not known

-- What was done to one thing.
CREATE INDEX audit_of ON audit (target, id);
