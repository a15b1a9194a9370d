-- Invoices: a team's month, numbered without gaps when issued, never changed. What is booked later for a month that is
-- invoiced stands on the next one, which names the month. through_entry says how far the ledger was then.
CREATE TABLE invoice (
  number        INTEGER PRIMARY KEY CHECK (number > 0),
  team_id       TEXT    NOT NULL REFERENCES team (id),
  team_name     TEXT    NOT NULL,
  site_name     TEXT    NOT NULL,
  currency      TEXT    NOT NULL,
  time_zone     TEXT    NOT NULL,
  first_day     TEXT    NOT NULL CHECK (length(first_day) = 10),
  next_day      TEXT    NOT NULL CHECK (next_day > first_day), -- the day after its last
  issued_at     INTEGER NOT NULL,
  through_entry INTEGER NOT NULL,
  amount_micros INTEGER NOT NULL, -- what the entries add up to
  amount_minor  INTEGER NOT NULL, -- what is asked for, in the currency's smallest unit
  UNIQUE (team_id, first_day)
) STRICT;
CREATE TRIGGER invoice_next_number BEFORE INSERT ON invoice
WHEN NEW.number <> 1 + coalesce((SELECT max(number) FROM invoice), 0)
BEGIN SELECT RAISE(ABORT, 'invoice_number_wrong'); END;
CREATE TRIGGER invoice_never_changes BEFORE UPDATE ON invoice BEGIN SELECT RAISE(ABORT, 'invoice_is_final'); END;
CREATE TRIGGER invoice_never_shrinks BEFORE DELETE ON invoice BEGIN SELECT RAISE(ABORT, 'invoice_is_final'); END;

CREATE TABLE invoice_line (
  number        INTEGER NOT NULL REFERENCES invoice (number) DEFERRABLE INITIALLY DEFERRED,
  line          INTEGER NOT NULL CHECK (line > 0),
  month         TEXT    NOT NULL CHECK (length(month) = 7), -- of the use; an earlier one is a correction
  person_id     TEXT    NOT NULL REFERENCES person (id),
  person_name   TEXT    NOT NULL,
  item          TEXT    NOT NULL,
  gpu_model     TEXT    NOT NULL,
  kind          TEXT    NOT NULL CHECK (kind IN ('use', 'fee', 'refund', 'credit')),
  gpu_micros    INTEGER NOT NULL,
  amount_micros INTEGER NOT NULL,
  amount_minor  INTEGER NOT NULL,
  PRIMARY KEY (number, line)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER invoice_line_before_invoice BEFORE INSERT ON invoice_line
WHEN EXISTS (SELECT 1 FROM invoice WHERE number = NEW.number)
BEGIN SELECT RAISE(ABORT, 'invoice_is_final'); END;
CREATE TRIGGER invoice_line_never_changes BEFORE UPDATE ON invoice_line BEGIN SELECT RAISE(ABORT, 'invoice_is_final'); END;
CREATE TRIGGER invoice_line_never_shrinks BEFORE DELETE ON invoice_line BEGIN SELECT RAISE(ABORT, 'invoice_is_final'); END;
CREATE TRIGGER invoice_adds_up BEFORE INSERT ON invoice
WHEN NEW.amount_micros <> coalesce((SELECT sum(amount_micros) FROM invoice_line WHERE number = NEW.number), 0)
  OR NEW.amount_minor <> coalesce((SELECT sum(amount_minor) FROM invoice_line WHERE number = NEW.number), 0)
BEGIN SELECT RAISE(ABORT, 'invoice_does_not_add_up'); END;
CREATE INDEX entry_team_day ON entry (team_id, day, id);
