-- Who comes by SSH is found by the fingerprint of the key.
CREATE INDEX ssh_key_fingerprint ON ssh_key (fingerprint);
