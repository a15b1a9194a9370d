-- A machine becomes a node by a join token, which is good once, and is known by its own key from then on.
CREATE TABLE node_join (
  hash       BLOB    PRIMARY KEY, -- of the secret, which is kept nowhere
  name       TEXT    NOT NULL,    -- what the node will be called; '': as it calls itself
  person_id  TEXT    REFERENCES person (id), -- NULL: made at the console's own machine
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at    INTEGER,
  node_id    TEXT    REFERENCES node (id),
  CHECK ((used_at IS NULL) = (node_id IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE node_key (
  key        BLOB    PRIMARY KEY, -- ed25519, the public half
  node_id    TEXT    NOT NULL REFERENCES node (id),
  created_at INTEGER NOT NULL,
  removed_at INTEGER -- then it is refused for ever
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX node_key_live ON node_key (node_id) WHERE removed_at IS NULL;
