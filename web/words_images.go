package web

import "github.com/meterhouse/meterhouse/web/lang"

// imageWords are those of what was done with images, "" for anything else.
func (f flash) imageWords(t lang.T) string {
	switch f.Key {
	case "image_asked":
		return t.ImageAsked(f.Name)
	case "image_going":
		return t.ImageIsGoing(f.Name)
	case "template_saved":
		return t.TemplateSaved(f.Name)
	case "template_removed":
		return t.TemplateRemoved()
	case "secret_saved":
		return t.SecretSaved(f.Name)
	case "secret_removed":
		return t.SecretIsRemoved()
	}
	return f.volumeWords(t)
}
