-- The one port of an instance that the console passes browsers on to; 0: none.
ALTER TABLE instance ADD COLUMN port INTEGER NOT NULL DEFAULT 0 CHECK (port BETWEEN 0 AND 65535);
