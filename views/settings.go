package views

import "time"

// SettingsPage is /settings. Its forms: POST /settings/profile (name, email), /settings/password (old_password where there
// is one, password), /settings/language (language: "en", "zh" or "" for the browser's), /settings/keys (name, key),
// /settings/tokens (name), /settings/mail (kind: those that are sent, digest), /logout; and, on /settings?ask=ID alone, POST /settings/keys/{id}/delete and the same of tokens and
// sessions.
type SettingsPage struct {
	Page
	ProfileForm  Form
	PasswordForm Form
	HasPassword  bool   // else none was set yet, and no old one is asked for
	Language     string // what the person chose, "" for the browser's
	KeyForm      Form
	TokenForm    Form
	Keys         []SSHKey
	SSHHostKey   string // fingerprint of the console's own; "": no gateway
	Tokens       []Token
	NewToken     string // shown once, right after it was made
	Sessions     []Session
	Mail         []MailWish
	MailDigest   bool         // what is not urgent comes once an hour
	SiteMail     bool         // the person may see the site's mail
	Ask          *SettingsAsk // nil: nothing is to be asked
	BaseURL      string       // for the CLI example
}

// SettingsAsk is the question before something is ended, at /settings?ask=ID.
type SettingsAsk struct {
	Kind     string // "tokens", "keys" or "sessions", as in the address of its form
	ID, Name string
}

// SSHKey is a public key.
type SSHKey struct {
	ID, Name, Fingerprint string
	AddedAt               time.Time
}

// Token is an API token; the token itself is known only when it is made.
type Token struct {
	ID, Name          string
	CreatedAt, UsedAt time.Time // zero: never
}

// Session is a sign-in.
type Session struct {
	ID        string
	Agent     string // browser and system, in words
	Address   string
	CreatedAt time.Time
	SeenAt    time.Time
	Current   bool
}
