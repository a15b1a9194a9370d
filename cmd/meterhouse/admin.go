package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/money"
)

func adminUserAdd(ctx context.Context, c *call) error {
	f := c.flags()
	var n store.NewPerson
	f.StringVar(&n.Email, "email", "", "mail address")
	role := f.String("role", "member", "viewer, member, manager or admin")
	f.StringVar(&n.Team, "team", "", "home team, made if missing")
	f.StringVar(&n.Lang, "lang", "", "en or zh")
	fromStdin := f.Bool("password-stdin", false, "read the password from stdin; without it the person signs in by link")
	data := f.String("data", defaultData, "data directory")
	asJSON := f.Bool("json", false, "print JSON")
	args, err := f.parseArgs(1)
	if err != nil {
		return err
	}
	n.Name, n.Role = args[0], store.Role(*role)
	if n.Email == "" || n.Team == "" {
		return misuse("--email and --team are needed")
	}
	if *fromStdin {
		if n.Password, err = readLine(c.in); err != nil {
			return fmt.Errorf("read the password: %w", err)
		}
	}
	return withData(ctx, *data, func(s *store.Store) error {
		p, err := s.AddPerson(ctx, n)
		if err != nil {
			return err
		}
		if *asJSON {
			return c.printJSON(personJSON(p))
		}
		_, err = fmt.Fprintf(c.out, "%s is %s in team %s (%s)\n", p.Name, p.Role, p.TeamName, p.ID)
		return err
	})
}

func personJSON(p store.Person) map[string]any {
	return map[string]any{"id": p.ID, "name": p.Name, "email": p.Email, "role": p.Role, "team": p.TeamName,
		"created_at": p.CreatedAt.UTC(), "disabled": p.DisabledAt != nil}
}

// readLine reads one line without its end, of at most 1 KiB.
func readLine(in io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(in, 1<<10)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return "", errors.New("stdin is empty")
	}
	return line, nil
}

func adminUserList(ctx context.Context, c *call) error {
	f := c.flags()
	data := f.String("data", defaultData, "data directory")
	asJSON := f.Bool("json", false, "print JSON")
	if _, err := f.parseArgs(0); err != nil {
		return err
	}
	return withData(ctx, *data, func(s *store.Store) error {
		people, err := s.People(ctx)
		if err != nil {
			return err
		}
		if *asJSON {
			list := make([]map[string]any, 0, len(people))
			for _, p := range people {
				list = append(list, personJSON(p))
			}
			return c.printJSON(map[string]any{"people": list})
		}
		t := table{head: []string{"ID", "NAME", "EMAIL", "ROLE", "TEAM"}}
		for _, p := range people {
			t.add(p.ID, p.Name, p.Email, string(p.Role), p.TeamName)
		}
		return t.print(c.out)
	})
}

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
		secret, token, err := s.CreateToken(ctx, p.ID, *name)
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
	url := f.String("url", "http://"+defaultListen, "the console's address")
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

func adminPriceSet(ctx context.Context, c *call) error {
	f := c.flags()
	kind := f.String("kind", string(store.OnDemand), "on_demand, reserved or spot")
	starts := f.String("starts", "", "when it begins to hold, RFC 3339; now if empty")
	data := f.String("data", defaultData, "data directory")
	args, err := f.parseArgs(2)
	if err != nil {
		return err
	}
	micros, err := money.Parse(args[1])
	if err != nil || micros < 0 {
		return misuse("the amount %q is a plain number an hour, such as 2.50", args[1])
	}
	from := time.Now().UTC()
	if *starts != "" {
		if from, err = time.Parse(time.RFC3339, *starts); err != nil {
			return misuse("--starts %q is no time such as 2026-01-31T00:00:00Z", *starts)
		}
	}
	return withData(ctx, *data, func(s *store.Store) error {
		if err := s.SetPrice(ctx, args[0], store.InstanceKind(*kind), micros, from, ""); err != nil {
			return err
		}
		_, err := fmt.Fprintf(c.out, "%s is %s an hour (%s) for what is rented from %s on; what runs keeps its price\n",
			args[0], args[1], *kind, from.Format(time.RFC3339))
		return err
	})
}

func adminGPUClear(ctx context.Context, c *call) error {
	f := c.flags()
	data := f.String("data", defaultData, "data directory")
	args, err := f.parseArgs(1)
	if err != nil {
		return err
	}
	return withData(ctx, *data, func(s *store.Store) error {
		g, err := s.GPU(ctx, args[0])
		if err != nil {
			return err
		}
		if g.State == store.GPUOK {
			_, err := fmt.Fprintf(c.out, "%s is offered already\n", g.UUID)
			return err
		}
		if err := s.SetGPUState(ctx, g.UUID, store.GPUOK, ""); err != nil {
			return err
		}
		record := store.AuditRecord{Action: "gpu_cleared", Target: g.UUID, Detail: "was " + g.State + ": " + g.StateReason}
		if err := s.Audit(ctx, record); err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.out, "%s is offered again; it was %s (%s)\n", g.UUID, g.State, g.StateReason)
		return err
	})
}
