package main

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"time"

	"github.com/meterhouse/meterhouse/gpu/link"
	"github.com/meterhouse/meterhouse/store"
)

// adminNodeJoin prints a token by which one machine becomes a node.
func adminNodeJoin(ctx context.Context, c *call) error {
	f := c.flags()
	name := f.String("name", "", "what the node will be called; as the machine calls itself if empty")
	ttl := f.Duration("ttl", time.Hour, "how long the token may be used")
	cert := f.String("tls-cert", "", "the console's certificate, where no authority that machines trust has signed it")
	data := f.String("data", defaultData, "data directory")
	if _, err := f.parseArgs(0); err != nil {
		return err
	}
	pin, err := pinOf(*cert)
	if err != nil {
		return err
	}
	return withData(ctx, *data, func(s *store.Store) error {
		secret, err := s.NewJoin(ctx, "", *name, *ttl)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(c.out, link.JoinToken(secret, pin))
		return err
	})
}

// pinOf is the pin of the certificate in a PEM file; "" for no file.
func pinOf(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("--tls-cert: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return "", fmt.Errorf("--tls-cert: %s is no PEM file", file)
	}
	found, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return "", fmt.Errorf("--tls-cert: %w", err)
	}
	return link.Pin(found), nil
}

// adminNodeRemove refuses a node's agent from now on.
func adminNodeRemove(ctx context.Context, c *call) error {
	f := c.flags()
	data := f.String("data", defaultData, "data directory")
	args, err := f.parseArgs(1)
	if err != nil {
		return err
	}
	return withData(ctx, *data, func(s *store.Store) error {
		nodes, err := s.Nodes(ctx)
		if err != nil {
			return err
		}
		id := args[0]
		for _, n := range nodes {
			if n.Name == id {
				id = n.ID
			}
		}
		if err := s.RemoveNode(ctx, id, ""); err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.out, "%s is removed: its agent's key is refused\n", args[0])
		return err
	})
}
