package gateway

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/crypto/ssh"
)

// HostKeyFile is where in the data directory the console's host key lies.
const HostKeyFile = "ssh_host_ed25519_key"

// HostKey reads the host key and makes it where there is none: once, so that nobody is ever asked about another one.
func HostKey(dir string) (ssh.Signer, error) {
	key, err := ReadHostKey(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	block, err := ssh.MarshalPrivateKey(private, "meterhouse")
	if err != nil {
		return nil, err
	}
	if err := writeKey(dir, pem.EncodeToMemory(block)); err != nil {
		return nil, fmt.Errorf("keeping the SSH host key: %w", err)
	}
	return ReadHostKey(dir)
}

// ReadHostKey reads the host key. fs.ErrNotExist while there is none.
func ReadHostKey(dir string) (ssh.Signer, error) {
	text, err := os.ReadFile(filepath.Join(dir, HostKeyFile))
	if err != nil {
		return nil, err
	}
	key, err := ssh.ParsePrivateKey(text)
	if err != nil {
		return nil, fmt.Errorf("the SSH host key %s is broken; bring it back from a copy, or remove it and everyone is asked about a new one: %w", filepath.Join(dir, HostKeyFile), err)
	}
	return key, nil
}

// writeKey has the whole file there in one step, or none: CreateTemp makes it for its owner alone.
func writeKey(dir string, text []byte) error {
	f, err := os.CreateTemp(dir, HostKeyFile+".*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // it has its other name by then
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), filepath.Join(dir, HostKeyFile))
}
