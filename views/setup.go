package views

// SetupPage is /setup, the first start. Its form is POST /setup with the fields code (the one-time code from the terminal),
// name, email, password, team, zone (IANA name), currency (ISO 4217).
type SetupPage struct {
	Page
	Form  Form
	Zones []string // IANA names to suggest
}

// LoginPage is /login. Its form is POST /login with the fields email, password, next (where to go then, a local path).
type LoginPage struct {
	Page
	Form Form
}
