package web

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"time"

	"github.com/meterhouse/meterhouse/gpu/link"
	"github.com/meterhouse/meterhouse/store"
)

// joinTTL is how long a join token may be used where nothing else is said.
const joinTTL = time.Hour

// Join is a token by which one machine becomes a node.
type Join struct {
	Token     string    `json:"token"`
	Command   string    `json:"command"` // as it is given on that machine
	ExpiresAt time.Time `json:"expires_at"`
}

// JoinBody says for whom it is.
type JoinBody struct {
	Name    string `json:"name"`    // of the node; "": as the machine calls itself
	Minutes int    `json:"minutes"` // for which it may be used; 0: 60
}

func (s *Server) createJoin(c *call) error {
	var body JoinBody
	if err := decode(c, &body); err != nil {
		return err
	}
	join, err := s.newJoin(c, body)
	if err != nil {
		return err
	}
	return send(c, http.StatusCreated, "application/json", join)
}

// newJoin makes a token that names the console's certificate where no authority that this machine trusts has signed it.
func (s *Server) newJoin(c *call, body JoinBody) (Join, error) {
	ttl := time.Duration(body.Minutes) * time.Minute
	if body.Minutes == 0 {
		ttl = joinTTL
	}
	if body.Minutes < 0 || body.Minutes > 30*24*60 {
		return Join{}, invalid("minutes", "out_of_range")
	}
	pin, err := s.pin()
	if err != nil {
		return Join{}, err
	}
	secret, err := s.store.NewJoin(c.Request().Context(), c.who.ID, body.Name, ttl)
	if err != nil {
		return Join{}, err
	}
	token := link.JoinToken(secret, pin)
	return Join{Token: token, Command: s.joinCommand(token), ExpiresAt: s.now().Add(ttl)}, nil
}

func (s *Server) joinCommand(token string) string {
	return "meterhouse agent --console " + s.BaseURL() + " --join " + token
}

// joinable reports whether other machines can reach the console as agents do.
func (s *Server) joinable() bool {
	_, err := link.ParseConsole(s.BaseURL())
	return s.config.Link != nil && err == nil
}

func (s *Server) pin() (string, error) {
	if s.config.TLSCert == "" {
		return "", nil
	}
	pair, err := tls.LoadX509KeyPair(s.config.TLSCert, s.config.TLSKey)
	if err != nil {
		return "", &store.Error{Kind: store.Unavailable, Message: "certificate_unreadable", Err: err}
	}
	between := x509.NewCertPool()
	for _, der := range pair.Certificate[1:] {
		if cert, err := x509.ParseCertificate(der); err == nil {
			between.AddCert(cert)
		}
	}
	if _, err := pair.Leaf.Verify(x509.VerifyOptions{Intermediates: between, CurrentTime: s.now()}); err == nil {
		return "", nil
	}
	return link.Pin(pair.Leaf), nil
}
