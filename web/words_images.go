package web

import "github.com/meterhouse/meterhouse/web/lang"

// imageWords are those of what was done with images, "" for anything else.
func (f flash) imageWords(t lang.T) string {
	switch f.Key {
	case "image_asked":
		return t.ImageAsked(f.Name)
	case "image_going":
		return t.ImageIsGoing(f.Name)
	}
	return f.volumeWords(t)
}
