package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/meterhouse/meterhouse/store"
)

func adminTokenCreate(ctx context.Context, c *call) error {
	f := c.flags()
	user := f.String("user", "", "name or mail address of the person")
	name := f.String("name", "command line", "what the token is for")
	data := f.String("data", defaultData, "data directory")
	asJSON := f.Bool("json", false, "print JSON")
	if _, err := f.parseArgs(0); err != nil {
		return err
	}
	if *user == "" {
		return misuse("--user is needed")
	}
	return withData(ctx, *data, func(s *store.Store) error {
		p, err := s.PersonByName(ctx, *user)
		if err != nil {
			return err
		}
		secret, token, err := s.CreateToken(ctx, p.ID, *name, store.Request{})
		if err != nil {
			return err
		}
		if *asJSON {
			return c.printJSON(map[string]string{"id": token.ID, "name": token.Name, "token": secret})
		}
		_, err = fmt.Fprintln(c.out, secret)
		return err
	})
}

func adminLoginLink(ctx context.Context, c *call) error {
	f := c.flags()
	user := f.String("user", "", "name or mail address of the person; the first admin if empty")
	url := f.String("url", "", "the console's address; where it served last if empty")
	data := f.String("data", defaultData, "data directory")
	asJSON := f.Bool("json", false, "print JSON")
	if _, err := f.parseArgs(0); err != nil {
		return err
	}
	return withData(ctx, *data, func(s *store.Store) error {
		p, err := firstAdmin(ctx, s)
		if *user != "" {
			p, err = s.PersonByName(ctx, *user)
		}
		if err != nil {
			return err
		}
		if *url == "" {
			if *url, err = consoleURL(ctx, s); err != nil {
				return err
			}
		}
		code, err := s.LoginLink(ctx, p.ID)
		if err != nil {
			return err
		}
		link := strings.TrimRight(*url, "/") + "/login/link?code=" + code
		if *asJSON {
			return c.printJSON(map[string]string{"user": p.Name, "url": link})
		}
		_, err = fmt.Fprintln(c.out, link)
		return err
	})
}

// consoleURL is where people reach the console, as it was when it last served.
func consoleURL(ctx context.Context, s *store.Store) (string, error) {
	site, err := s.Site(ctx)
	if site.URL == "" {
		site.URL = "http://" + defaultListen
	}
	return site.URL, err
}
