-- Spot: the market of each pool and what it asked when, who was given notice for whom, and runs that follow one another.
CREATE TABLE spot_market (
  pool_id     TEXT PRIMARY KEY REFERENCES pool (id),
  minimum_ppm INTEGER NOT NULL CHECK (minimum_ppm BETWEEN 100000 AND 1000000), -- the admin's floor of the factor
  use_ppm     INTEGER NOT NULL CHECK (use_ppm BETWEEN 0 AND 1000000),
  area_ppm    INTEGER NOT NULL,
  average_ppb INTEGER NOT NULL,
  factor_ppm  INTEGER NOT NULL CHECK (factor_ppm BETWEEN 100000 AND 1000000), -- of the on-demand price
  at          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A row each time a pool's factor changed, and only grows: what was asked can always be shown.
CREATE TABLE spot_price (
  pool_id    TEXT    NOT NULL REFERENCES pool (id),
  at         INTEGER NOT NULL,
  factor_ppm INTEGER NOT NULL CHECK (factor_ppm BETWEEN 100000 AND 1000000),
  PRIMARY KEY (pool_id, at)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER spot_price_never_changes BEFORE UPDATE ON spot_price BEGIN SELECT RAISE(ABORT, 'price_append_only'); END;
CREATE TRIGGER spot_price_never_shrinks BEFORE DELETE ON spot_price BEGIN SELECT RAISE(ABORT, 'price_append_only'); END;

ALTER TABLE instance ADD COLUMN notice_at INTEGER;                         -- it is reclaimed: T0
ALTER TABLE instance ADD COLUMN reclaimed_for TEXT;                        -- the instance or reservation that needs its GPUs
ALTER TABLE instance ADD COLUMN reclaim_steps INTEGER NOT NULL DEFAULT 0 CHECK (reclaim_steps BETWEEN 0 AND 3); -- that were taken: see store/spot
ALTER TABLE instance ADD COLUMN checkpoint_command TEXT NOT NULL DEFAULT '';
ALTER TABLE instance ADD COLUMN checkpoint_began INTEGER;
ALTER TABLE instance ADD COLUMN checkpoint_ended INTEGER;
ALTER TABLE instance ADD COLUMN checkpoint_exit INTEGER;
ALTER TABLE instance ADD COLUMN checkpoint_detail TEXT NOT NULL DEFAULT '';
ALTER TABLE instance ADD COLUMN run INTEGER NOT NULL DEFAULT 1 CHECK (run > 0);
ALTER TABLE instance ADD COLUMN earlier_id TEXT REFERENCES instance (id);  -- the run before, whose home it goes on with
CREATE UNIQUE INDEX instance_one_next_run ON instance (earlier_id) WHERE earlier_id IS NOT NULL;
CREATE INDEX instance_spot ON instance (pool_id, ended_at) WHERE kind = 'spot';
CREATE TRIGGER instance_notice_stays BEFORE UPDATE OF notice_at ON instance
WHEN OLD.notice_at IS NOT NEW.notice_at AND (OLD.notice_at IS NOT NULL OR NEW.kind <> 'spot')
BEGIN SELECT RAISE(ABORT, 'terms_locked'); END;
CREATE TRIGGER instance_run_locked BEFORE UPDATE OF run, earlier_id ON instance
WHEN OLD.run <> NEW.run OR OLD.earlier_id IS NOT NEW.earlier_id
BEGIN SELECT RAISE(ABORT, 'terms_locked'); END;

-- A node may be lost under a notice, and come back before it is over.
INSERT INTO life_step VALUES ('unreachable', 'reclaiming');

-- GPUs that are kept for an instance that waits while spot instances give them back: nobody else gets them.
CREATE TABLE promise (
  gpu_uuid    TEXT    PRIMARY KEY REFERENCES gpu (uuid),
  instance_id TEXT    NOT NULL REFERENCES instance (id),
  at          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX promise_of ON promise (instance_id);
CREATE TRIGGER promise_to_who_waits BEFORE INSERT ON promise
WHEN (SELECT state FROM instance WHERE id = NEW.instance_id) <> 'queued'
BEGIN SELECT RAISE(ABORT, 'promise_needs_queued'); END;
CREATE TRIGGER instance_gpu_not_promised BEFORE INSERT ON instance_gpu
WHEN EXISTS (SELECT 1 FROM promise WHERE gpu_uuid = NEW.gpu_uuid AND instance_id <> NEW.instance_id)
BEGIN SELECT RAISE(ABORT, 'gpu_promised'); END;
CREATE TRIGGER promise_ends_with_the_wait AFTER UPDATE OF state ON instance
WHEN NEW.state IN ('stopping', 'stopped', 'failed')
BEGIN DELETE FROM promise WHERE instance_id = NEW.id; END;
