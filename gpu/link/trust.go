package link

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// JoinToken makes the text that an admin hands to an agent: the secret and, where the console's certificate is signed by
// nobody that machines trust, the pin by which the agent knows it.
func JoinToken(secret, pin string) string {
	if pin == "" {
		return secret
	}
	return secret + "." + pin
}

// splitToken is JoinToken's other way.
func splitToken(token string) (secret, pin string) {
	secret, pin, _ = strings.Cut(token, ".")
	return secret, pin
}

// Pin is a certificate's public key in short: a certificate that is renewed with the same key keeps it.
func Pin(c *x509.Certificate) string {
	sum := sha256.Sum256(c.RawSubjectPublicKeyInfo)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// trusting is how a console's certificate is checked: by its pin alone, or as every other site's.
func trusting(pin string) *tls.Config {
	if pin == "" {
		return &tls.Config{MinVersion: tls.VersionTLS13}
	}
	return &tls.Config{MinVersion: tls.VersionTLS13, InsecureSkipVerify: true, // the pin says more than any signer
		VerifyConnection: func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) == 0 || Pin(s.PeerCertificates[0]) != pin {
				return errors.New("this is not the console that the join token was made by: its certificate has another key")
			}
			return nil
		}}
}

// ParseConsole reads the address of a console. Without TLS it must be on this machine.
func ParseConsole(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return nil, fmt.Errorf("%q is no address such as https://gpu.example.com", text)
	}
	ip := net.ParseIP(u.Hostname())
	switch {
	case u.Scheme == "https":
	case u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()):
	default:
		return nil, fmt.Errorf("%q: another machine is reached by https alone", text)
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}, nil
}

// Identity is what an agent keeps of itself in its data directory: its key, and how it knows its console.
type Identity struct {
	Key ed25519.PrivateKey

	dir   string
	known acquaintance
}

// acquaintance is the console that has taken the agent in.
type acquaintance struct {
	Console string `json:"console"`
	Pin     string `json:"pin,omitempty"`
	Node    string `json:"node"` // what the console calls this machine
}

const (
	keyFile     = "agent.key"  // PKCS #8, PEM
	consoleFile = "agent.json" // an acquaintance
)

// OpenIdentity reads an agent's identity from its data directory, and makes its key the first time.
func OpenIdentity(dir string) (*Identity, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	i := &Identity{dir: dir}
	var err error
	if i.Key, err = readKey(filepath.Join(dir, keyFile)); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, consoleFile))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return i, nil
	case err == nil:
		err = json.Unmarshal(text, &i.known)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, consoleFile), err)
	}
	return i, nil
}

func readKey(path string) (ed25519.PrivateKey, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return newKey(path)
	}
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s may be read by others: who has it can be this node. Remove the node from the console, delete the file and join anew", path)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s is no key", path)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, ok := parsed.(ed25519.PrivateKey)
	if err != nil || !ok {
		return nil, errors.Join(fmt.Errorf("%s is no ed25519 key", path), err)
	}
	return key, nil
}

func newKey(path string) (ed25519.PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, replaceFile(path, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// replaceFile puts a file in place in one step, for its owner alone.
func replaceFile(path string, text []byte) error {
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// ErrNotJoined: the agent has no token, and no console knows its key.
var ErrNotJoined = errors.New("this machine is no node of that console yet: a join token is needed")

// Meet lets an agent use this identity towards a console: with a token, or as the console knows it already.
func (i *Identity) Meet(a *Agent, console *url.URL, token string) error {
	secret, pin := splitToken(token)
	switch {
	case secret != "":
	case i.known.Console != console.String():
		return ErrNotJoined
	default:
		pin = i.known.Pin
	}
	a.Console, a.Trust, a.Key, a.Join = console, trusting(pin), i.Key, secret
	a.Joined = func(node string) error {
		met := acquaintance{Console: console.String(), Pin: pin, Node: node}
		if met == i.known {
			return nil
		}
		text, err := json.Marshal(met)
		if err != nil {
			return err
		}
		if err := replaceFile(filepath.Join(i.dir, consoleFile), append(text, '\n')); err != nil {
			return fmt.Errorf("remember the console: %w", err)
		}
		i.known = met
		return nil
	}
	return nil
}
