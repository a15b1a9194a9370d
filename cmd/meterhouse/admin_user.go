package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/meterhouse/meterhouse/store"
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
		if _, err := fmt.Fprintf(c.out, "%s is %s in team %s (%s)\n", p.Name, p.Role, p.TeamName, p.ID); err != nil {
			return err
		}
		return c.sayHowToSignIn(ctx, s, p, *data)
	})
}

// sayHowToSignIn says what comes next for a new person.
func (c *call) sayHowToSignIn(ctx context.Context, s *store.Store, p store.Person, data string) error {
	if !p.HasPassword {
		_, err := fmt.Fprintf(c.out, "They have no password yet. This prints a link that signs them in once, within 15 minutes:\n  meterhouse admin login-link --user %s --data %s\n",
			shellWord(p.Name), shellWord(data))
		return err
	}
	base, err := consoleURL(ctx, s)
	if err == nil {
		_, err = fmt.Fprintf(c.out, "They sign in at %s/login as %s with that password\n", base, p.Email)
	}
	return err
}

// shellWord writes a text so that a shell reads it as one word.
func shellWord(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-/@", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
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
