package gateway

import (
	"context"
	"errors"
	"strings"

	"golang.org/x/crypto/ssh"
)

// protocol is what we speak: nothing that is known to be weak, and no other way in than a key.
func (g *Gateway) protocol() *ssh.ServerConfig {
	c := &ssh.ServerConfig{
		Config: ssh.Config{
			KeyExchanges: []string{ssh.KeyExchangeMLKEM768X25519, ssh.KeyExchangeCurve25519, ssh.KeyExchangeECDHP256, ssh.KeyExchangeECDHP384, ssh.KeyExchangeECDHP521},
			Ciphers:      []string{ssh.CipherAES128GCM, ssh.CipherAES256GCM, ssh.CipherChaCha20Poly1305, ssh.CipherAES256CTR, ssh.CipherAES128CTR},
			MACs:         []string{ssh.HMACSHA256ETM, ssh.HMACSHA512ETM},
		},
		PublicKeyAuthAlgorithms: []string{
			ssh.KeyAlgoED25519, ssh.KeyAlgoSKED25519, ssh.KeyAlgoSKECDSA256, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521,
			ssh.KeyAlgoRSASHA256, ssh.KeyAlgoRSASHA512,
		},
		MaxAuthTries:      maxTries,
		ServerVersion:     "SSH-2.0-Meterhouse",
		PublicKeyCallback: g.known,
	}
	c.AddHostKey(g.HostKey)
	return c
}

// maxTries is how many keys a client may offer: as many as OpenSSH's server takes.
const maxTries = 6

// keyIDs is where the ids of the keys that it may be are kept: one for each person who has it.
const keyIDs = "key-ids"

// errUnknownKey is the one answer to each key that nobody has, whatever instance was asked for.
var errUnknownKey = errors.New("unknown key")

// known accepts a key that an active person has. Which instance they ask for is looked at after they have proven it theirs.
func (g *Gateway) known(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
	ctx, cancel := context.WithTimeout(context.Background(), handshakeTime)
	defer cancel()
	keys, err := g.Store.SSHKeysByFingerprint(ctx, ssh.FingerprintSHA256(key))
	if err != nil {
		g.Log.Warn("an SSH key could not be looked up", "error", err)
	}
	if len(keys) == 0 {
		return nil, errUnknownKey
	}
	ids := make([]string, len(keys))
	for i, k := range keys {
		ids[i] = k.ID
	}
	return &ssh.Permissions{Extensions: map[string]string{keyIDs: strings.Join(ids, " ")}}, nil
}
