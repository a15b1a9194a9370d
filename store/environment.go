package store

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	envMax      = 100      // variables of an instance
	envBytesMax = 64 << 10 // all of them together
)

var envKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)

// ownEnv is how the variables begin that the console itself gives.
const ownEnv = "METERHOUSE_"

// cleanEnv checks what an instance is to have in its environment, by value and by a secret's name.
func cleanEnv(env, secrets map[string]string) error {
	if len(env)+len(secrets) > envMax {
		return invalid("env", "env_too_many")
	}
	size := 0
	for _, field := range []string{"env", "secrets"} {
		values := map[string]map[string]string{"env": env, "secrets": secrets}[field]
		for _, key := range slices.Sorted(maps.Keys(values)) {
			value := values[key]
			size += len(key) + len(value)
			_, twice := env[key]
			switch {
			case !envKey.MatchString(key) || strings.HasPrefix(key, ownEnv):
				return &Error{Kind: Invalid, Field: field, Message: "env_key_wrong", Args: map[string]string{"name": clipped(key, 100)}}
			case field == "secrets" && twice:
				return &Error{Kind: Invalid, Field: field, Message: "env_doubled", Args: map[string]string{"name": key}}
			case strings.ContainsRune(value, 0) || !utf8.ValidString(value):
				return invalid(field, "not_allowed_characters")
			}
		}
	}
	if size > envBytesMax {
		return tooLong("env", envBytesMax)
	}
	return nil
}

// insertEnv writes down what an instance has in its environment; a secret that its person can't use is Invalid.
func (t *tx) insertEnv(id string, r RentRequest) error {
	for _, key := range slices.Sorted(maps.Keys(r.Env)) {
		if _, err := t.exec("INSERT INTO instance_env (instance_id, key, value) VALUES (?, ?, ?)", id, key, r.Env[key]); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.Secrets)) {
		secret, err := t.usableSecret(r.PersonID, r.TeamID, r.Secrets[key])
		if err != nil {
			return err
		}
		if _, err := t.exec("INSERT INTO instance_env (instance_id, key, secret_id) VALUES (?, ?, ?)", id, key, secret); err != nil {
			return err
		}
	}
	return nil
}

// copyEnv gives a further run what the first had.
func (t *tx) copyEnv(to, from string) error {
	_, err := t.exec("INSERT INTO instance_env (instance_id, key, value, secret_id) SELECT ?, key, value, secret_id FROM instance_env WHERE instance_id = ?", to, from)
	return err
}

// Environment is what an instance was given besides what the console gives: KEY=value, by key. With secrets it is what its
// executor needs: their values are in it, and nothing else may ask.
func (s *Store) Environment(ctx context.Context, instanceID string) (env []string, err error) {
	err = s.read(ctx, func(t *tx) error {
		rows, err := list(t, func(r scanner) (row envRow, err error) {
			return row, r.Scan(&row.key, &row.value, &row.secret, &row.name, &row.sealed)
		}, `SELECT e.key, coalesce(e.value, ''), coalesce(e.secret_id, ''), coalesce(s.name, ''), coalesce(s.sealed, x'') FROM instance_env e LEFT JOIN secret s ON s.id = e.secret_id
			WHERE e.instance_id = ? ORDER BY e.key`, instanceID)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if row.secret != "" {
				if row.value, err = s.unseal(row.secret, row.name, row.sealed); err != nil {
					return err
				}
			}
			env = append(env, row.key+"="+row.value)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return env, nil
}

type envRow struct {
	key, value, secret, name string
	sealed                   []byte
}

// EnvironmentNames is the same for people: the values, and of secrets their names.
func (s *Store) EnvironmentNames(ctx context.Context, instanceID string) (env, secrets map[string]string, err error) {
	env, secrets = map[string]string{}, map[string]string{}
	err = s.read(ctx, func(t *tx) error {
		return t.each(func(r scanner) error {
			var key, value, secret string
			if err := r.Scan(&key, &value, &secret); err != nil {
				return err
			}
			if secret != "" {
				secrets[key] = secret
			} else {
				env[key] = value
			}
			return nil
		}, "SELECT e.key, coalesce(e.value, ''), coalesce(s.name, '') FROM instance_env e LEFT JOIN secret s ON s.id = e.secret_id WHERE e.instance_id = ?", instanceID)
	})
	return env, secrets, err
}
