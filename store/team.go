package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Team is who pays.
type Team struct {
	ID, Name  string
	CreatedAt time.Time
	Weight    int64 // of its fair share: 100 is the usual
}

const teamColumns = "id, name, created_at, weight"

func scanTeam(r scanner) (Team, error) {
	var team Team
	var created int64
	err := r.Scan(&team.ID, &team.Name, &created, &team.Weight)
	team.CreatedAt = fromMicros(created)
	return team, err
}

// Team returns one team.
func (s *Store) Team(ctx context.Context, id string) (team Team, err error) {
	err = s.read(ctx, func(t *tx) error {
		team, err = scanTeam(t.row("SELECT "+teamColumns+" FROM team WHERE id = ?", id))
		return orNotFound(err, "team", id)
	})
	return team, err
}

// Teams returns every team by name.
func (s *Store) Teams(ctx context.Context) (teams []Team, err error) {
	err = s.read(ctx, func(t *tx) error {
		teams, err = list(t, scanTeam, "SELECT "+teamColumns+" FROM team ORDER BY name_key")
		return err
	})
	return teams, err
}

// TeamMembers returns the people of a team by name, each with the role they have in it.
func (s *Store) TeamMembers(ctx context.Context, teamID string) (people []Person, err error) {
	err = s.read(ctx, func(t *tx) error {
		people, err = list(t, scanPerson, `SELECT `+personColumns+` FROM member m
			JOIN person p ON p.id = m.person_id JOIN team h ON h.id = p.team_id WHERE m.team_id = ? ORDER BY p.name_key`, teamID)
		return err
	})
	return people, err
}

// RoleIn returns a person's role in a team: Admin for an admin, "" for who is not in it or disabled.
func (s *Store) RoleIn(ctx context.Context, personID, teamID string) (role Role, err error) {
	err = s.read(ctx, func(t *tx) error {
		role, err = t.roleIn(personID, teamID)
		return err
	})
	return role, err
}

func (t *tx) roleIn(personID, teamID string) (Role, error) {
	var admin bool
	var role sql.NullString
	err := t.row(`SELECT p.admin, m.role FROM person p LEFT JOIN member m ON m.person_id = p.id AND m.team_id = ?
		WHERE p.id = ? AND p.disabled_at IS NULL`, teamID, personID).Scan(&admin, &role)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", nil
	case err == nil && admin:
		return Admin, nil
	}
	return Role(role.String), err
}

// ensureTeam returns the team of that name, made if missing. "" is the oldest team, or a first one called "main".
func (t *tx) ensureTeam(name string) (Team, error) {
	if name == "" {
		team, err := scanTeam(t.row("SELECT " + teamColumns + " FROM team ORDER BY created_at, id LIMIT 1"))
		if !errors.Is(err, sql.ErrNoRows) {
			return team, err
		}
		name = "main"
	}
	name, err := cleanName("team", name)
	if err != nil {
		return Team{}, err
	}
	team, err := scanTeam(t.row("SELECT "+teamColumns+" FROM team WHERE name_key = ?", foldKey(name)))
	if !errors.Is(err, sql.ErrNoRows) {
		return team, err
	}
	team = Team{ID: newID("t-"), Name: name, CreatedAt: t.now, Weight: usualWeight}
	_, err = t.exec("INSERT INTO team (id, name, name_key, created_at) VALUES (?, ?, ?, ?)", team.ID, name, foldKey(name), micros(t.now))
	t.emit("person", team.ID)
	return team, err
}
