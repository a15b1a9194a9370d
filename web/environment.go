package web

import (
	"maps"
	"slices"
	"strings"
)

// parseEnv reads a variable a line, KEY=VALUE; blanks around the value are its own.
func parseEnv(field, text string) (map[string]string, error) {
	env := map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		key, value, found := strings.Cut(line, "=")
		key = strings.TrimSpace(key)
		if _, doubled := env[key]; !found || key == "" || doubled {
			return nil, invalid(field, "wrong_env")
		}
		env[key] = value
	}
	return env, nil
}

// parseSecretNames reads a variable a line, KEY=NAME of a secret; one word alone is both.
func parseSecretNames(field, text string) (map[string]string, error) {
	names := map[string]string{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		key, name, found := strings.Cut(line, "=")
		if !found {
			name = key
		}
		key, name = strings.TrimSpace(key), strings.TrimSpace(name)
		if _, doubled := names[key]; key == "" || name == "" || doubled {
			return nil, invalid(field, "wrong_env")
		}
		names[key] = name
	}
	return names, nil
}

// envText is what parseEnv reads.
func envText(env map[string]string) string {
	lines := make([]string, 0, len(env))
	for _, key := range slices.Sorted(maps.Keys(env)) {
		lines = append(lines, key+"="+env[key])
	}
	return strings.Join(lines, "\n")
}
