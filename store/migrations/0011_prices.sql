-- Discounts of terms, of teams and of pools, in versions that only grow; what an instance would cost at the list price;
-- corrections that name what they put right; and long work that an admin starts, with how far it is.

-- The discounts by a reservation's length. Steps come before their list, whose insert closes it; without a list the
-- product's own hold.
CREATE TABLE term_step (
  version      INTEGER NOT NULL REFERENCES term_list (version) DEFERRABLE INITIALLY DEFERRED,
  months       INTEGER NOT NULL CHECK (months BETWEEN 0 AND 120),
  days         INTEGER NOT NULL CHECK (days BETWEEN 0 AND 3660 AND (months = 0) <> (days = 0)),
  discount_ppm INTEGER NOT NULL CHECK (discount_ppm BETWEEN 0 AND 700000),
  PRIMARY KEY (version, months, days)
) STRICT, WITHOUT ROWID;
CREATE TABLE term_list (
  version   INTEGER PRIMARY KEY CHECK (version > 0),
  starts_at INTEGER NOT NULL,
  set_at    INTEGER NOT NULL,
  person_id TEXT REFERENCES person (id)
) STRICT;
CREATE TRIGGER term_list_never_changes BEFORE UPDATE ON term_list BEGIN SELECT RAISE(ABORT, 'price_append_only'); END;
CREATE TRIGGER term_list_never_shrinks BEFORE DELETE ON term_list BEGIN SELECT RAISE(ABORT, 'price_append_only'); END;
CREATE TRIGGER term_step_before_list BEFORE INSERT ON term_step
WHEN EXISTS (SELECT 1 FROM term_list WHERE version = NEW.version)
BEGIN SELECT RAISE(ABORT, 'price_append_only'); END;
CREATE TRIGGER term_step_never_changes BEFORE UPDATE ON term_step BEGIN SELECT RAISE(ABORT, 'price_append_only'); END;
CREATE TRIGGER term_step_never_shrinks BEFORE DELETE ON term_step BEGIN SELECT RAISE(ABORT, 'price_append_only'); END;

-- What a team pays less, everywhere or in a pool, or everybody in a pool. Of each such rule the last that has begun holds; of
-- several rules the most specific.
CREATE TABLE discount (
  id           INTEGER PRIMARY KEY, -- the order in which they were set
  team_id      TEXT    REFERENCES team (id), -- NULL: every team
  pool_id      TEXT    REFERENCES pool (id), -- NULL: every pool, and CPU-only work
  discount_ppm INTEGER CHECK (discount_ppm BETWEEN 0 AND 700000), -- NULL: the rule ends
  starts_at    INTEGER NOT NULL,
  set_at       INTEGER NOT NULL,
  person_id    TEXT    REFERENCES person (id),
  CHECK (team_id IS NOT NULL OR pool_id IS NOT NULL)
) STRICT;
CREATE INDEX discount_of ON discount (team_id, pool_id, starts_at);
CREATE TRIGGER discount_never_changes BEFORE UPDATE ON discount BEGIN SELECT RAISE(ABORT, 'price_append_only'); END;
CREATE TRIGGER discount_never_shrinks BEFORE DELETE ON discount BEGIN SELECT RAISE(ABORT, 'price_append_only'); END;

-- The list price that an instance's locked rate comes from. What waits keeps the price of when it was asked for.
ALTER TABLE instance ADD COLUMN list_rate INTEGER CHECK (list_rate >= 0); -- micro-units an hour; NULL: as its rate
ALTER TABLE instance ADD COLUMN discount_ppm INTEGER NOT NULL DEFAULT 0 CHECK (discount_ppm BETWEEN 0 AND 700000);
CREATE TRIGGER instance_discount_locked BEFORE UPDATE OF list_rate, discount_ppm ON instance
WHEN OLD.list_rate IS NOT NEW.list_rate OR OLD.discount_ppm <> NEW.discount_ppm
BEGIN SELECT RAISE(ABORT, 'terms_locked'); END;

-- A correction by hand says why; a line of an invoice that comes of one names it.
CREATE INDEX entry_corrects ON entry (corrects_id) WHERE corrects_id IS NOT NULL;
CREATE TRIGGER entry_correction_says_why BEFORE INSERT ON entry
WHEN NEW.corrects_id IS NOT NULL AND (NEW.note = '' OR NEW.kind NOT IN ('correction', 'credit')
  OR NOT EXISTS (SELECT 1 FROM entry WHERE id = NEW.corrects_id AND team_id = NEW.team_id))
BEGIN SELECT RAISE(ABORT, 'correction_wrong'); END;
DROP TRIGGER invoice_adds_up;
CREATE TABLE invoice_line_next (
  number        INTEGER NOT NULL REFERENCES invoice (number) DEFERRABLE INITIALLY DEFERRED,
  line          INTEGER NOT NULL CHECK (line > 0),
  month         TEXT    NOT NULL CHECK (length(month) = 7), -- of the use; an earlier one is a correction
  person_id     TEXT    NOT NULL REFERENCES person (id),
  person_name   TEXT    NOT NULL,
  item          TEXT    NOT NULL,
  gpu_model     TEXT    NOT NULL,
  kind          TEXT    NOT NULL CHECK (kind IN ('use', 'fee', 'refund', 'credit', 'correction')),
  gpu_micros    INTEGER NOT NULL,
  amount_micros INTEGER NOT NULL,
  amount_minor  INTEGER NOT NULL,
  entry_id      INTEGER REFERENCES entry (id), -- the one entry that a correction or credit by hand is
  corrects_id   INTEGER REFERENCES entry (id),
  note          TEXT    NOT NULL DEFAULT '',
  PRIMARY KEY (number, line)
) STRICT, WITHOUT ROWID;
INSERT INTO invoice_line_next (number, line, month, person_id, person_name, item, gpu_model, kind, gpu_micros, amount_micros, amount_minor)
  SELECT number, line, month, person_id, person_name, item, gpu_model, kind, gpu_micros, amount_micros, amount_minor FROM invoice_line;
DROP TABLE invoice_line;
ALTER TABLE invoice_line_next RENAME TO invoice_line;
CREATE TRIGGER invoice_line_before_invoice BEFORE INSERT ON invoice_line
WHEN EXISTS (SELECT 1 FROM invoice WHERE number = NEW.number)
BEGIN SELECT RAISE(ABORT, 'invoice_is_final'); END;
CREATE TRIGGER invoice_line_never_changes BEFORE UPDATE ON invoice_line BEGIN SELECT RAISE(ABORT, 'invoice_is_final'); END;
CREATE TRIGGER invoice_line_never_shrinks BEFORE DELETE ON invoice_line BEGIN SELECT RAISE(ABORT, 'invoice_is_final'); END;
CREATE TRIGGER invoice_adds_up BEFORE INSERT ON invoice
WHEN NEW.amount_micros <> coalesce((SELECT sum(amount_micros) FROM invoice_line WHERE number = NEW.number), 0)
  OR NEW.amount_minor <> coalesce((SELECT sum(amount_minor) FROM invoice_line WHERE number = NEW.number), 0)
BEGIN SELECT RAISE(ABORT, 'invoice_does_not_add_up'); END;

-- Long work that an admin starts: one of a kind at a time. A console that was killed begins it again.
CREATE TABLE job (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  kind        TEXT    NOT NULL CHECK (kind IN ('ledger', 'replay')),
  name        TEXT    NOT NULL, -- of what is replayed
  state       TEXT    NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
  options     TEXT    NOT NULL CHECK (json_valid(options)),
  input       BLOB, -- what was sent to work on, until it is over
  done        INTEGER NOT NULL DEFAULT 0,
  total       INTEGER NOT NULL DEFAULT 0, -- 0: not known yet
  result      TEXT    CHECK (json_valid(result)),
  error       TEXT    NOT NULL DEFAULT '',
  person_id   TEXT    REFERENCES person (id), -- NULL: the console itself
  created_at  INTEGER NOT NULL,
  started_at  INTEGER,
  finished_at INTEGER,
  CHECK ((state = 'done') = (result IS NOT NULL)),
  CHECK ((state IN ('queued', 'running')) = (finished_at IS NULL)),
  CHECK (finished_at IS NULL OR input IS NULL)
) STRICT;
CREATE UNIQUE INDEX one_job_of_a_kind ON job (kind) WHERE finished_at IS NULL;

-- The totals a day by label know the GPU time too, so that costs by label need no segments.
ALTER TABLE cost_label_day ADD COLUMN gpu_micros INTEGER NOT NULL DEFAULT 0;
UPDATE cost_label_day SET gpu_micros = (SELECT coalesce(sum(e.gpu_micros), 0) FROM entry e JOIN instance_label l ON l.instance_id = e.instance_id
  WHERE e.team_id = cost_label_day.team_id AND e.day = cost_label_day.day AND l.key = cost_label_day.key AND l.value = cost_label_day.value);
DROP TRIGGER entry_counts;
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
