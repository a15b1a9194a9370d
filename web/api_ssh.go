package web

import (
	"net"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/meterhouse/meterhouse/store"
)

// SSH is how to enter an instance by SSH.
type SSH struct {
	User        string `json:"user"`
	Host        string `json:"host"`
	Port        int    `json:"port"`
	HostKey     string `json:"host_key"` // type and base64, as in known_hosts
	Fingerprint string `json:"fingerprint"`
	Command     string `json:"command"`
}

func (s *Server) getSSH(c *call) error {
	in, err := s.ownInstance(c)
	if err != nil {
		return err
	}
	if s.gateway == nil {
		return &store.Error{Kind: store.Conflict, Message: "ssh_off"}
	}
	return ok(c, s.sshOf(c, in.ID))
}

// sshOf is how to come in, by the name under which this request reached the console.
func (s *Server) sshOf(c *call, user string) SSH {
	out := SSH{User: user, Port: s.gateway.Port(), Fingerprint: s.sshFingerprint()}
	if u, err := url.Parse(s.ownURL(c)); err == nil {
		out.Host = u.Hostname()
	}
	out.HostKey = strings.TrimSpace(string(ssh.MarshalAuthorizedKey(s.config.SSHKey.PublicKey())))
	out.Command = "ssh -p " + strconv.Itoa(out.Port) + " " + user + "@" + out.Host
	if ip := net.ParseIP(out.Host); out.Port == 22 && (ip == nil || ip.To4() != nil) {
		out.Command = "ssh " + user + "@" + out.Host
	}
	return out
}

// sshFingerprint is what a client shows when it comes for the first time; "" without a gateway.
func (s *Server) sshFingerprint() string {
	if s.gateway == nil {
		return ""
	}
	return ssh.FingerprintSHA256(s.config.SSHKey.PublicKey())
}
