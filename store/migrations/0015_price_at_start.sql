-- A price is locked when an instance starts: until then, what waits has the one of when it was asked for, and takes that of
-- the moment with its place.
DROP TRIGGER instance_terms_locked;
CREATE TRIGGER instance_terms_locked BEFORE UPDATE OF rate, kind, plan_id, team_id, person_id ON instance
WHEN OLD.rate <> NEW.rate AND OLD.state <> 'queued' OR OLD.kind <> NEW.kind OR OLD.plan_id <> NEW.plan_id OR OLD.team_id <> NEW.team_id OR OLD.person_id <> NEW.person_id
BEGIN SELECT RAISE(ABORT, 'terms_locked'); END;
DROP TRIGGER instance_discount_locked;
CREATE TRIGGER instance_discount_locked BEFORE UPDATE OF list_rate, discount_ppm ON instance
WHEN (OLD.list_rate IS NOT NEW.list_rate OR OLD.discount_ppm <> NEW.discount_ppm) AND OLD.state <> 'queued'
BEGIN SELECT RAISE(ABORT, 'terms_locked'); END;
