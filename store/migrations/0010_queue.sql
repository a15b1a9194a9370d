-- A team's fair share of GPUs that are short: its part of the weights of all who want them. 100 is the usual.
ALTER TABLE team ADD COLUMN weight INTEGER NOT NULL DEFAULT 100 CHECK (weight BETWEEN 1 AND 1000);

-- What goes on is found by instance_open, what ended by instance_ended: nothing looks for either by these any more.
DROP INDEX instance_team_ended;
DROP INDEX instance_person_ended;
