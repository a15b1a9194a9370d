package main

import (
	"context"
	"fmt"
	"io"

	"github.com/meterhouse/meterhouse/store"
)

// greet prints where the console is and how to get in. A link that can't be made is no reason to end the console: admin
// login-link makes one too.
func (p *program) greet(ctx context.Context, out io.Writer) {
	base := p.web.BaseURL()
	fmt.Fprintf(out, "\nMeterhouse %s is on %s\n", version, base)
	if p.options.smtp == "" {
		fmt.Fprintln(out, "No mail server is set: mail waits until --smtp names one.")
	}
	if err := p.remember(ctx, base); err != nil && ctx.Err() == nil {
		p.log.Warn("the console's address was not noted; admin login-link needs --url", "error", err)
	}
	if err := p.invite(ctx, out, base); err != nil && ctx.Err() == nil {
		p.log.Warn("no sign-in link was made", "error", err)
	}
}

// remember notes the console's address for links that are made beside it.
func (p *program) remember(ctx context.Context, base string) error {
	site, err := p.store.Site(ctx)
	if err != nil || site.URL == base {
		return err
	}
	return p.store.UpdateSite(ctx, store.Site{URL: base})
}

// invite prints a link to set the console up while nobody has an account, and with --demo one that signs the first admin in.
func (p *program) invite(ctx context.Context, out io.Writer, base string) error {
	site, err := p.store.Site(ctx)
	if err != nil {
		return err
	}
	switch {
	case !site.SetUp:
		code, err := p.store.SetupCode(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "Make the first account here (once, within 24 hours):\n  %s/setup?code=%s\n\n", base, code)
	case p.options.demo:
		admin, err := firstAdmin(ctx, p.store)
		if err != nil {
			return err
		}
		link, err := p.store.LoginLink(ctx, admin.ID)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "Sign in as %s (once, within 15 minutes):\n  %s/login/link?code=%s\n\n", admin.Name, base, link)
	default:
		fmt.Fprintln(out)
	}
	return nil
}

// firstAdmin is the admin who has been there longest.
func firstAdmin(ctx context.Context, s *store.Store) (store.Person, error) {
	people, err := s.People(ctx)
	if err != nil {
		return store.Person{}, err
	}
	var first store.Person
	for _, p := range people {
		if p.Admin && p.DisabledAt == nil && (first.ID == "" || p.CreatedAt.Before(first.CreatedAt)) {
			first = p
		}
	}
	if first.ID == "" {
		return first, fmt.Errorf("there is no admin: add one with `meterhouse admin user add NAME --role admin`")
	}
	return first, nil
}
