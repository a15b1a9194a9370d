package web

import "github.com/meterhouse/meterhouse/web/lang"

// idleWords are those of what was done with idle instances.
func (f flash) idleWords(t lang.T) string {
	switch f.Key {
	case "kept":
		return t.Kept(f.Name)
	case "idle_saved":
		return t.IdleSaved()
	}
	return f.imageWords(t)
}
