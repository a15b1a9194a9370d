-- What was asked for under a key, so that the same request sent again has one effect, also after a restart. Of what was sent
-- only a hash is kept, and of what came of it the id: no secret stands here. Renting keeps its keys in the instance itself,
-- for as long as that is known. A row is good for a day and is then deleted.
CREATE TABLE request (
  person_id TEXT    NOT NULL REFERENCES person (id),
  key       TEXT    NOT NULL CHECK (length(key) BETWEEN 1 AND 200),
  hash      BLOB    NOT NULL CHECK (length(hash) = 32), -- SHA-256 of method, path and what was sent
  made      TEXT    NOT NULL, -- the id of what it made or changed
  at        INTEGER NOT NULL,
  PRIMARY KEY (person_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX request_at ON request (at);

-- The address under which people reach the console, as it was when it last served: links that are made while no console
-- runs lead there. '': it never served.
ALTER TABLE site ADD COLUMN url TEXT NOT NULL DEFAULT '';
