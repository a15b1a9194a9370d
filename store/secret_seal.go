package store

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// secretKeyFile lies in the data directory, for its owner's eyes alone. A backup does not have it: whoever finds one can't read
// a secret.
const secretKeyFile = "secrets.key"

const secretKeyBytes = 32 // AES-256

// secretKey reads the key that secrets are sealed with; make makes it where there is none.
func (s *Store) secretKey(make bool) ([]byte, error) {
	path := filepath.Join(filepath.Dir(s.file), secretKeyFile)
	key, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && make {
		if err := writeSecretKey(path); err != nil {
			return nil, &Error{Kind: Unavailable, Message: "secret_key_missing", Err: err}
		}
		key, err = os.ReadFile(path)
	}
	if err == nil && len(key) != secretKeyBytes {
		err = fmt.Errorf("%s has %d bytes", path, len(key))
	}
	if err != nil {
		return nil, &Error{Kind: Unavailable, Message: "secret_key_missing", Err: err}
	}
	return key, nil
}

// writeSecretKey makes a key that is whole or not there, and is never replaced: what it sealed would be lost.
func writeSecretKey(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), secretKeyFile+".") // its mode is 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	key := make([]byte, secretKeyBytes)
	_, _ = rand.Read(key) // never fails (crypto/rand)
	_, err = f.Write(key)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// seal encrypts a value for the secret of that id alone: moved to another row it does not open.
func seal(key []byte, id, value string) ([]byte, error) {
	aead, err := sealer(key)
	if err != nil {
		return nil, err
	}
	return aead.Seal(nil, nil, []byte(value), []byte(id)), nil
}

// unseal opens a value.
func (s *Store) unseal(id, name string, sealed []byte) (string, error) {
	if len(sealed) == 0 {
		return "", &Error{Kind: Conflict, Message: "secret_removed", Args: map[string]string{"name": name}}
	}
	key, err := s.secretKey(false)
	if err != nil {
		return "", err
	}
	aead, err := sealer(key)
	if err != nil {
		return "", err
	}
	value, err := aead.Open(nil, nil, sealed, []byte(id))
	if err != nil {
		return "", &Error{Kind: Unavailable, Message: "secret_key_missing", Err: err}
	}
	return string(value), nil
}

// sealer is AES-GCM with a nonce of chance in front of what it seals.
func sealer(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

func withoutNUL(text string) bool { return !strings.ContainsRune(text, 0) }
