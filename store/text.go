package store

import (
	"net/mail"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	nameMax   = 60
	emailMax  = 254 // RFC 5321, 4.5.3.1.3, less the angle brackets
	detailMax = 2000
	urlMax    = 300
)

// cleanText brings what a person typed into one form (NFC, no space around) and refuses what could end a line, hide or
// turn the text around, or is too long. max counts characters.
func cleanText(field, text string, min, max int) (string, error) {
	if !utf8.ValidString(text) {
		return "", invalid(field, "not_allowed_characters")
	}
	if len(text) > 8*max { // before the work of normalising what is refused anyway
		return "", tooLong(field, max)
	}
	text = strings.TrimSpace(norm.NFC.String(text))
	switch n := utf8.RuneCountInString(text); {
	case n == 0 && min > 0:
		return "", invalid(field, "required")
	case n < min:
		return "", &Error{Kind: Invalid, Field: field, Message: "too_short", Args: map[string]string{"min": strconv.Itoa(min)}}
	case n > max:
		return "", tooLong(field, max)
	}
	for _, r := range text {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs) {
			return "", invalid(field, "not_allowed_characters")
		}
	}
	return text, nil
}

func tooLong(field string, max int) error {
	return &Error{Kind: Invalid, Field: field, Message: "too_long", Args: map[string]string{"max": strconv.Itoa(max)}}
}

// cleanName is for what people give names: letters, digits, space, "-", "_" and ".", of which a letter or digit comes first:
// "..", "-" and "-f" mean something else to a shell and to a path.
func cleanName(field, name string) (string, error) {
	name, err := cleanText(field, name, 1, nameMax)
	if err != nil {
		return "", err
	}
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune(" -_.", r) {
			return "", invalid(field, "not_allowed_characters")
		}
	}
	if first, _ := utf8.DecodeRuneInString(name); !unicode.IsLetter(first) && !unicode.IsDigit(first) {
		return "", invalid(field, "name_begins_wrong")
	}
	return name, nil
}

// cleanPersonName allows what people are called besides: apostrophes, and the like. No "@": a name is no address.
func cleanPersonName(field, name string) (string, error) {
	name, err := cleanText(field, name, 1, nameMax)
	if err != nil {
		return "", err
	}
	if strings.ContainsAny(name, "@<>\"\\") {
		return "", invalid(field, "not_allowed_characters")
	}
	return name, nil
}

// cleanEmail accepts a bare address that can stand in a mail's header.
func cleanEmail(field, address string) (string, error) {
	address, err := cleanText(field, address, 3, emailMax)
	if err != nil {
		return "", err
	}
	parsed, err := mail.ParseAddress(address)
	if err != nil || parsed.Address != address || strings.ContainsAny(address, " ,;<>\"()\\") {
		return "", invalid(field, "email_wrong")
	}
	return address, nil
}

// foldKey makes what reads the same be the same, so that names are unique whatever their case.
func foldKey(text string) string { return strings.ToLower(norm.NFKC.String(strings.TrimSpace(text))) }

// cleanLang accepts a language tag of one that the console speaks.
func cleanLang(field, lang, otherwise string) (string, error) {
	switch tag := strings.ToLower(strings.TrimSpace(lang)); {
	case tag == "":
		return otherwise, nil
	case tag == "en" || strings.HasPrefix(tag, "en-"):
		return "en", nil
	case tag == "zh" || strings.HasPrefix(tag, "zh-"):
		return "zh", nil
	}
	return "", invalid(field, "lang_unknown")
}
